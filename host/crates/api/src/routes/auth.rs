//! Signing in, staying so, signing out.

use salvo::Writer as _;
use salvo::http::header::SET_COOKIE;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::client::Client;
use crate::csrf::CsrfOriginCheck;
use crate::extract::{CloudToken, DeferredBody, Input, MaybeCaller, State, SvcApp};
use crate::refresh_cookie::RefreshCookie;
use crate::response::{Created, CreatedEmpty, WithCookie};
use crate::views::auth::{LoginView, RefreshView};
use svc_identity::login::LoginRequest;
use svc_identity::sessions::{RefreshError, RefreshRequest};

/// What one signs in with: name or id and password; the guest's name or id alone; or a cloud token.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginInput {
    /// Name of the account.
    username: Option<String>,
    /// Its id, in place of the name.
    user_id: Option<String>,
    /// Password.
    password: Option<String>,
    /// The token of a cloud account that is linked to an account of this server.
    #[serde(alias = "ssoToken")]
    cloud_token: Option<String>,
}

impl Input for LoginInput {}

/// Signs in to an app
///
/// From a page of the server's own site, or from no page at all, the answer sets the refresh cookie.
#[endpoint(responses(
    (status_code = 401, description = "The cloud does not vouch for the token"),
    (status_code = 403, description = "Login refused"),
    (status_code = 429, description = "Too many wrong passwords")
))]
pub async fn sign_in(
    state: State,
    app: SvcApp,
    client: Client,
    csrf_check: CsrfOriginCheck,
    cookie: RefreshCookie,
    body: DeferredBody<LoginInput>,
) -> Result<WithCookie<Created<LoginView>>, ApiError> {
    let body = match app.0 {
        Some(_) => body.0?,
        // Refused in any case, and with the same effort; the body does not matter.
        None => body.0.unwrap_or_default(),
    };
    let login = state
        .logins
        .sign_in(LoginRequest {
            app: app.0,
            username: body.username,
            user_id: body.user_id,
            password: body.password,
            cloud_token: body.cloud_token,
            client: client.into(),
            cross_site: csrf_check == CsrfOriginCheck::CrossSite,
            previous: cookie
                .value
                .clone()
                .filter(|_| csrf_check == CsrfOriginCheck::SameSite),
        })
        .await?;
    let next = login.issued.cookie.as_ref().and_then(|next| cookie.set(next));
    Ok(WithCookie(next, Created(login.into())))
}

/// Lets a session go on
///
/// Same-site callers send the refresh cookie, which is good for one use; the answer sets the next one. Callers from
/// another site send the header `Svc-Cloud-Token`.
#[endpoint(responses(
    (status_code = 401, description = "The session is over, or the cloud does not vouch for it"),
    (status_code = 429, description = "Refreshed too often")
))]
pub async fn refresh_session(
    state: State,
    app: SvcApp,
    client: Client,
    csrf_check: CsrfOriginCheck,
    cookie: RefreshCookie,
    cloud_token: CloudToken,
) -> Result<WithCookie<Created<RefreshView>>, ApiError> {
    let request = RefreshRequest {
        cookie: cookie.value.clone(),
        cloud_token: cloud_token.0,
        cross_site: csrf_check == CsrfOriginCheck::CrossSite,
        app: app.0,
        client: client.into(),
    };
    match state.sessions.refresh(request).await {
        Ok(issued) => {
            let next = issued.cookie.as_ref().and_then(|next| cookie.set(next));
            Ok(WithCookie(next, Created(issued.into())))
        }
        Err(RefreshError { error, clear_cookie }) => {
            let problem = ApiError::from(error);
            Err(match cookie.clear() {
                Some(cleared) if clear_cookie => problem.with_header(SET_COOKIE, cleared),
                _ => problem,
            })
        }
    }
}

/// Signs out
///
/// Ends the session of the refresh cookie and that of the access token, whichever is sent. From a page of another
/// site it does nothing.
#[endpoint]
pub async fn sign_out(
    state: State,
    client: Client,
    csrf_check: CsrfOriginCheck,
    caller: MaybeCaller,
    cookie: RefreshCookie,
) -> Result<WithCookie<CreatedEmpty>, ApiError> {
    if csrf_check == CsrfOriginCheck::CrossSite {
        return Ok(WithCookie(None, CreatedEmpty));
    }
    let caller = caller.0;
    let session = caller.and_then(|actor| actor.session().map(|session| (actor.user.id, session)));
    state
        .sessions
        .end(cookie.value.as_deref(), session, client.into())
        .await?;
    Ok(WithCookie(cookie.clear(), CreatedEmpty))
}
