//! Reset of the index or of the whole server.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input};
use crate::extract::{Authenticated, State};
use crate::response::Created;
use svc_library::reset::ResetType;

/// The kind of reset and its confirmation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResetInput {
    /// `deindex`: empty the index; `factory`: delete all data of the server.
    #[serde(rename = "type")]
    #[salvo(schema(value_type = Option<String>))]
    reset_type: ResetTypeInput,
    /// Exactly `Deindex media` or `Factory reset`.
    #[serde(alias = "validationString")]
    validation_phrase: Option<String>,
}

/// A kind of reset.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ResetTypeInput {
    Deindex,
    Factory,
}

impl From<ResetTypeInput> for ResetType {
    fn from(input: ResetTypeInput) -> Self {
        match input {
            ResetTypeInput::Deindex => Self::Deindex,
            ResetTypeInput::Factory => Self::Factory,
        }
    }
}

impl Input for ResetInput {}

/// Reset the index or the whole server
///
/// Stops a run of the indexer. Media files are not changed. A factory reset deletes all accounts; the server can then be
/// set up again without authentication.
#[endpoint]
pub async fn reset_server(
    state: State,
    by: Authenticated,
    body: Body<ResetInput>,
) -> Result<Created<bool>, ApiError> {
    let ResetInput {
        reset_type,
        validation_phrase,
    } = body.0;
    let phrase = validation_phrase.unwrap_or_default();
    state.reset.execute(by.0, reset_type.into(), &phrase).await?;
    // The reset invalidates all cached responses; free their memory.
    state.response_cache.clear();
    Ok(Created(true))
}
