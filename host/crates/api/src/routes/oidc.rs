//! Sign-in with a provider of OpenID Connect.

use salvo::Writer as _;
use salvo::http::StatusCode;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::client::Client;
use crate::extract::State;
use crate::logout_form::LogoutForm;
use crate::query::{FromQuery, Query, QueryParams};
use crate::redirect::SeeOther;
use crate::refresh_cookie::RefreshCookie;
use crate::requested_url::ServerUrl;
use crate::response::Json;
use crate::sign_in_cookie::SignInCookie;
use crate::views::oidc::{LoggedOutView, SignInMethodsView};
use svc_identity::app::App;
use svc_identity::oidc::{CallbackRequest, LogoutError, RedirectPath, StartRequest};

/// The path of the callback, which the provider has to know as redirect URI.
pub(crate) const CALLBACK: &str = "/api/v1/auth/oidc/callback";

/// The query of `GET /auth/oidc/start`.
#[derive(Debug)]
pub struct StartQuery {
    app: App,
    redirect: RedirectPath,
    invitation: Option<String>,
    link: Option<String>,
}

impl FromQuery for StartQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let apps = App::ALL.map(|app| (app.as_str(), app));
        let app = params.required("app", App::Admin, |params| {
            params.choice("app", "The app to sign in to.", &apps)
        });
        let redirect = "Path on this server to which the browser returns; default: `/`. After a failed sign-in it gets the \
                        parameter `error`: `sign_in_failed`, `cloud_unavailable`, `too_many_attempts` or `server_error`.";
        let redirect = params.text("redirect", redirect).map_or_else(
            || Some(RedirectPath::default()),
            |text| RedirectPath::parse(&text),
        );
        if redirect.is_none() {
            params.fail("redirect", "must be a path on this server, without // and \\");
        }
        Self {
            app,
            redirect: redirect.unwrap_or_default(),
            invitation: params.text(
                "invitation",
                "Shortcode of an invitation, which the sign-in uses.",
            ),
            link: params.text(
                "link",
                "Ticket of `POST /users/current/cloud-link`: the sign-in links the account.",
            ),
        }
    }
}

/// The query of `GET /auth/oidc/callback`.
#[derive(Debug)]
pub struct CallbackQuery {
    code: Option<String>,
    state: Option<String>,
    issuer: Option<String>,
    error: Option<String>,
}

impl FromQuery for CallbackQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            code: params.text_or_none("code", "The code, from the provider."),
            state: params.text_or_none("state", "That of the sign-in."),
            issuer: params.text_or_none("iss", "The issuer (RFC 9207)."),
            error: params.text_or_none("error", "Why the provider gives no code."),
        }
    }
}

/// List the methods of sign-in
///
/// For a login screen. A password always is one.
#[endpoint]
pub async fn list_sign_in_methods(state: State) -> Json<SignInMethodsView> {
    Json(state.oidc.sign_in_methods().into())
}

/// Start a sign-in with the provider
///
/// An app opens this address in the browser. The response sets a cookie that is valid for ten minutes, and sends the
/// browser to the provider.
#[endpoint]
pub async fn start_provider_sign_in(
    state: State,
    client: Client,
    server: ServerUrl,
    refresh_cookie: RefreshCookie,
    cookie: SignInCookie,
    query: Query<StartQuery>,
) -> SeeOther {
    let query = query.0;
    let redirect = query.redirect.clone();
    let request = StartRequest {
        app: query.app,
        redirect: query.redirect,
        invitation: query.invitation,
        link: query.link,
        refresh_cookie: refresh_cookie.value,
        redirect_uri: format!("{}{CALLBACK}", server.0),
        client: client.into(),
    };
    match state.oidc.start(request).await {
        Ok(started) => SeeOther {
            cookies: cookie
                .set(&started.secret.secret(), started.max_age)
                .into_iter()
                .collect(),
            location: started.url,
        },
        Err(error) => SeeOther {
            location: redirect.with_error(error.code()),
            cookies: Vec::new(),
        },
    }
}

/// Finish a sign-in with the provider
///
/// The provider sends the browser here. The response sets the refresh cookie and sends the browser to the path of the
/// start, where the app refreshes its session.
#[endpoint]
pub async fn finish_provider_sign_in(
    state: State,
    client: Client,
    refresh_cookie: RefreshCookie,
    cookie: SignInCookie,
    query: Query<CallbackQuery>,
) -> SeeOther {
    let query = query.0;
    let finished = state
        .oidc
        .finish(CallbackRequest {
            cookie: cookie.value.clone(),
            state: query.state,
            code: query.code,
            issuer: query.issuer,
            error: query.error,
            client: client.into(),
        })
        .await;
    let next = finished
        .refresh_cookie
        .as_ref()
        .and_then(|next| refresh_cookie.set(next));
    let cleared = finished.is_over.then(|| cookie.clear()).flatten();
    SeeOther {
        location: finished.location,
        cookies: next.into_iter().chain(cleared).collect(),
    }
}

/// Report a sign-out (OpenID Connect Back-Channel Logout)
///
/// The provider sends a logout token when a session with it has ended. The sessions that it names end, with their open
/// streams.
#[endpoint(responses(
    (status_code = 400, description = "The logout token is not accepted"),
    (status_code = 429, description = "Too many reports")
))]
pub async fn report_provider_sign_out(
    state: State,
    client: Client,
    form: LogoutForm,
) -> Result<Json<LoggedOutView>, ApiError> {
    match state.oidc.log_out(&form.0, client.into()).await {
        Ok(()) => Ok(Json(LoggedOutView { logged_out: true })),
        Err(LogoutError::Invalid) => Err(ApiError::new(
            StatusCode::BAD_REQUEST,
            "the logout token is not accepted",
        )),
        Err(LogoutError::Service(error)) => Err(error.into()),
    }
}
