//! Sign-in, session refresh, sign-out.

use salvo::Writer as _;
use salvo::http::header::SET_COOKIE;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{DeferredBody, Input};
use crate::client::Client;
use crate::csrf::CsrfOriginCheck;
use crate::extract::{CloudToken, MaybeCaller, OptionalSvcApp, State, SvcApp};
use crate::refresh_cookie::RefreshCookie;
use crate::response::{Created, CreatedEmpty, WithCookie};
use crate::views::auth::{LoginView, RefreshView};
use svc_identity::login::LoginRequest;
use svc_identity::sessions::{RefreshError, RefreshRequest};

/// Credentials: name or id and password, the name or id of the guest account, or a cloud token.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginInput {
    /// Name of the account.
    username: Option<String>,
    /// Id of the account, in place of its name.
    user_id: Option<String>,
    /// Password of the account; absent for the guest account.
    password: Option<String>,
    /// Token of a cloud account that is linked to an account of this server.
    #[serde(alias = "ssoToken")]
    cloud_token: Option<String>,
}

impl Input for LoginInput {}

/// Sign in to an app
///
/// The response sets the refresh cookie, unless the request comes from a page of another site.
#[endpoint(responses(
    (status_code = 401, description = "The cloud rejected the token"),
    (status_code = 403, description = "Sign-in refused"),
    (status_code = 409, description = "The invitation of the cloud account cannot be used, because no seat is free"),
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
    let body = body.for_sign_in(&app)?;
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
            previous: cookie.replaced_by_sign_in(csrf_check),
        })
        .await?;
    Ok(cookie.signed_in(login))
}

/// Refresh a session
///
/// A same-site client sends the refresh cookie, which is valid for one use; the response sets the next one. A client from
/// another site sends the header `Svc-Cloud-Token`.
#[endpoint(responses(
    (status_code = 401, description = "The session has ended, or the cloud rejected the token"),
    (status_code = 429, description = "Too many refreshes")
))]
pub async fn refresh_session(
    state: State,
    app: OptionalSvcApp,
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
            let error = ApiError::from(error);
            Err(match cookie.clear() {
                Some(cleared) if clear_cookie => error.with_header(SET_COOKIE, cleared),
                _ => error,
            })
        }
    }
}

/// Sign out
///
/// Ends the session of the refresh cookie and the session of the access token, if the request has them. A request from a
/// page of another site has no effect.
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
