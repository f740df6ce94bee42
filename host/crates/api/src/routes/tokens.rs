//! Personal access tokens of an account.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input};
use crate::date_time::DateTime;
use crate::extract::{AnyPathId, Authenticated, PathId, State};
use crate::response::{Created, Json};
use crate::views::users::{CreatedTokenView, TokenView};
use svc_domain::id::{PersonalAccessTokenId, UserId};
use svc_identity::tokens::CreateToken;

/// The token to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatePersonalAccessTokenInput {
    /// Name of the token for people: 1 to 100 characters.
    label: String,
    /// Expiry: a date, which means midnight in UTC, or a date with time and offset. Default: never.
    #[salvo(schema(value_type = Option<String>))]
    expires_at: Option<DateTime>,
    /// The capabilities of the token; default: all capabilities of its account.
    capabilities: Option<Vec<String>>,
}

impl Input for CreatePersonalAccessTokenInput {}

/// Create a personal access token for an account
#[endpoint(responses((status_code = 409, description = "The account has the maximum number of tokens")))]
pub async fn create_personal_access_token(
    state: State,
    by: Authenticated,
    body: Body<CreatePersonalAccessTokenInput>,
    id: PathId<UserId>,
) -> Result<Created<CreatedTokenView>, ApiError> {
    let CreatePersonalAccessTokenInput {
        label,
        expires_at,
        capabilities,
    } = body.0;
    let request = CreateToken {
        label,
        expires_at: expires_at.map(|DateTime(at)| at),
        capabilities,
    };
    Ok(Created(state.tokens.create(by.0, id.0, request).await?.into()))
}

/// List the personal access tokens of an account
#[endpoint]
pub async fn list_personal_access_tokens(
    state: State,
    by: Authenticated,
    id: PathId<UserId>,
) -> Result<Json<Vec<TokenView>>, ApiError> {
    Ok(state.tokens.list(&by.0, id.0).await?.into())
}

/// Revoke a personal access token
///
/// Returns `false` if the account has no such token.
#[endpoint]
pub async fn revoke_personal_access_token(
    state: State,
    by: Authenticated,
    id: PathId<UserId>,
    personal_access_token_id: AnyPathId<PersonalAccessTokenId>,
) -> Result<Json<bool>, ApiError> {
    let token = personal_access_token_id.0;
    Ok(Json(state.tokens.revoke(by.0, id.0, token).await?))
}
