//! Personal access tokens of an account.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::extract::{AnyPathId, Authenticated, Body, Input, PathId, State};
use crate::query::parse_moment;
use crate::response::{Created, Json};
use crate::views::users::{CreatedTokenView, TokenView};
use svc_domain::id::{PersonalAccessTokenId, UserId};
use svc_identity::error::ServiceError;
use svc_identity::tokens::CreateToken;

/// A token to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatePersonalAccessTokenInput {
    /// What people call it: 1 to 100 characters.
    label: String,
    /// When it ends: a date, which is its midnight UTC, or a date with time and offset. Never if left out.
    expires_at: Option<String>,
    /// What it is narrowed to; all that its user may if left out.
    capabilities: Option<Vec<String>>,
}

impl Input for CreatePersonalAccessTokenInput {}

/// Makes a token that acts for an account
#[endpoint(responses((status_code = 409, description = "The account has too many tokens")))]
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
    let expires_at = match expires_at.as_deref().map(parse_moment) {
        Some(None) => {
            let message = "must be a date (2026-11-21) or a date with time (2026-11-21T10:30:00Z)";
            return Err(ServiceError::invalid("expiresAt", message).into());
        }
        given => given.flatten(),
    };
    let request = CreateToken {
        label,
        expires_at,
        capabilities,
    };
    Ok(Created(state.tokens.create(by.0, id.0, request).await?.into()))
}

/// The tokens of an account
#[endpoint]
pub async fn list_personal_access_tokens(
    state: State,
    by: Authenticated,
    id: PathId<UserId>,
) -> Result<Json<Vec<TokenView>>, ApiError> {
    let tokens = state.tokens.list(&by.0, id.0).await?;
    Ok(Json(tokens.into_iter().map(TokenView::from).collect()))
}

/// Revokes a token; `false` if the account has none such
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
