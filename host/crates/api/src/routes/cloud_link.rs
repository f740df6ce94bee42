//! The link of the caller's account to a cloud account.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Authenticated, CloudToken, State};
use crate::response::{Created, Json};
use crate::views::cloud_link::CloudLinkView;
use crate::views::users::UserView;

/// Link the caller's account to a cloud account
///
/// The cloud account is that of the token in `Svc-Cloud-Token`. On a server with a provider of OpenID Connect, and without
/// the header, the response names the path that the app opens in the browser: the sign-in that it starts links the account.
/// Requires a sign-in within the last five minutes; a refresh does not count. Linking again to the same cloud account changes
/// nothing.
#[endpoint(responses(
    (status_code = 400, description = "The cloud token is missing"),
    (status_code = 409, description = "One of the accounts is linked to another"),
    (status_code = 429, description = "Too many rejected tokens")
))]
pub async fn link_cloud_account(
    state: State,
    by: Authenticated,
    cloud_token: CloudToken,
) -> Result<Created<CloudLinkView>, ApiError> {
    if state.oidc.is_offered() && cloud_token.0.is_none() {
        state.cloud_links.require_person(&by.0).await?;
        let ticket = state.oidc.link_ticket(&by.0).await?;
        return Ok(Created(CloudLinkView::start(&by.0, &ticket)));
    }
    let account = state.cloud_links.link(by.0, cloud_token.0.as_deref()).await?;
    Ok(Created(CloudLinkView::Linked(UserView::with_roles(account))))
}

/// Unlink the caller's account from its cloud account
///
/// Requires a sign-in within the last five minutes, and a password to sign in with afterwards. Ends the sessions that the cloud
/// account signed in, and takes the roles that followed its groups with a provider.
#[endpoint(responses(
    (status_code = 404, description = "The account is not linked"),
    (status_code = 409, description = "The account has no password")
))]
pub async fn unlink_cloud_account(state: State, by: Authenticated) -> Result<Json<UserView>, ApiError> {
    let account = state.cloud_links.unlink(by.0).await?;
    Ok(Json(UserView::with_roles(account)))
}
