//! Emptying the index, or the whole server.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::extract::{Authenticated, Body, Input, State};
use crate::response::Created;
use svc_identity::error::ServiceError;
use svc_library::reset::ResetType;

/// What is to be emptied.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResetInput {
    /// `deindex` empties the index, `factory` everything.
    #[serde(rename = "type")]
    reset_type: Option<String>,
    /// `Deindex media` or `Factory reset`, exactly.
    #[serde(alias = "validationString")]
    validation_phrase: Option<String>,
}

impl Input for ResetInput {}

/// Empties the index, or the whole server
///
/// A run of the indexer ends before. Media files are never touched. After a factory reset nobody is known any more,
/// and whoever comes first can set the server up.
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
    let reset_type = match reset_type.as_deref() {
        Some("deindex") => ResetType::Deindex,
        Some("factory") => ResetType::Factory,
        _ => return Err(ServiceError::invalid("type", "must be deindex or factory").into()),
    };
    let phrase = validation_phrase.unwrap_or_default();
    state.reset.carry_out(by.0, reset_type, &phrase).await?;
    // Nobody would be given them any more; nor are they to lie about in memory.
    state.response_cache.clear();
    Ok(Created(true))
}
