//! Signing in and out.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::http::answer::{Created, CreatedEmpty};
use crate::http::extract::{Input, LateBody, State, SvcApp};
use crate::http::limits::LOGIN_BODY_BYTES;
use crate::http::problem::Problem;
use crate::http::views::auth::LoginView;
use crate::service::login::LoginRequest;

/// What one signs in with.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginInput {
    /// Name of the account.
    username: Option<String>,
    /// Its id, in place of the name.
    user_id: Option<String>,
    /// Password.
    password: Option<String>,
}

impl Input for LoginInput {
    const MAX_BYTES: usize = LOGIN_BODY_BYTES;
}

/// Signs in to an app
#[endpoint(responses((status_code = 403, description = "Login refused")))]
pub async fn sign_in(
    state: State,
    app: SvcApp,
    body: LateBody<LoginInput>,
) -> Result<Created<LoginView>, Problem> {
    let body = match app.0 {
        Some(_) => body.0?,
        // Refused in any case, and with the same effort; the body does not matter.
        None => body.0.unwrap_or_default(),
    };
    let LoginInput {
        username,
        user_id,
        password,
    } = body;
    let outcome = state
        .logins
        .sign_in(LoginRequest {
            app: app.0,
            username,
            user_id,
            password,
        })
        .await?;
    Ok(Created(outcome.into()))
}

/// Signs out
#[endpoint]
pub async fn sign_out() -> CreatedEmpty {
    // Access tokens end by themselves; sessions, which refresh them, are not part of this version.
    CreatedEmpty
}
