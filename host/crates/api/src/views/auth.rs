//! Sessions as clients see them.

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::users::UserView;
use svc_domain::id::SessionId;
use svc_domain::session::Session;
use svc_domain::time::Timestamp;
use svc_identity::login::Login;
use svc_identity::sessions::IssuedSession;

/// What signing in gives.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Login"))]
pub struct LoginView {
    /// Access token, valid for 15 minutes.
    #[serde(rename = "JWT")]
    jwt: String,
    user: UserView,
    /// `local`, `session` or `memory`: where the app keeps the token.
    scope: &'static str,
}

impl From<Login> for LoginView {
    fn from(login: Login) -> Self {
        Self {
            scope: login.issued.scope.as_str(),
            jwt: login.issued.access_token,
            user: UserView::with_roles(login.account),
        }
    }
}

/// A session that goes on.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Refresh"))]
pub struct RefreshView {
    /// Access token, valid for 15 minutes.
    #[serde(rename = "JWT")]
    jwt: String,
    /// `local`, `session` or `memory`: where the app keeps the token.
    scope: &'static str,
}

impl From<IssuedSession> for RefreshView {
    fn from(issued: IssuedSession) -> Self {
        Self {
            scope: issued.scope.as_str(),
            jwt: issued.access_token,
        }
    }
}

/// A session that can be refreshed.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Session"))]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    #[salvo(schema(value_type = String))]
    session_id: SessionId,
    /// The app that was signed in to.
    app: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ip: Option<String>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    #[salvo(schema(value_type = String))]
    last_active_at: Timestamp,
    /// When it ends unless it is refreshed.
    #[salvo(schema(value_type = String))]
    expires_at: Timestamp,
    /// The one that asks.
    current: bool,
    /// `local` or `cloud`: who vouches for it.
    kind: &'static str,
}

impl SessionView {
    /// A session; `current` is the caller's.
    pub fn new(session: Session, current: Option<SessionId>) -> Self {
        Self {
            current: current == Some(session.id),
            session_id: session.id,
            app: session.app,
            user_agent: session.user_agent,
            ip: session.address,
            created_at: session.created_at,
            last_active_at: session.last_active_at,
            expires_at: session.idle_expires_at.min(session.expires_at),
            kind: session.kind.as_str(),
        }
    }
}
