//! JSON of sign-ins and sessions.

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::users::UserView;
use svc_domain::id::SessionId;
use svc_domain::session::Session;
use svc_domain::time::Timestamp;
use svc_identity::actor::Actor;
use svc_identity::login::Login;
use svc_identity::sessions::IssuedSession;

/// The result of a sign-in.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Login"))]
pub struct LoginView {
    /// Access token, valid for 15 minutes.
    #[serde(rename = "JWT")]
    jwt: String,
    user: UserView,
    /// Where the app should store the token: `local`, `session` or `memory`.
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

/// The result of a session refresh.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Refresh"))]
pub struct RefreshView {
    /// Access token, valid for 15 minutes.
    #[serde(rename = "JWT")]
    jwt: String,
    /// Where the app should store the token: `local`, `session` or `memory`.
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

/// A session.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Session"))]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    #[salvo(schema(value_type = String))]
    session_id: SessionId,
    /// App of the session.
    app: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ip: Option<String>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    #[salvo(schema(value_type = String))]
    last_active_at: Timestamp,
    /// When the session ends unless it is refreshed.
    #[salvo(schema(value_type = String))]
    expires_at: Timestamp,
    /// Whether it is the session of this request.
    current: bool,
    /// How the account signed in: `local`, by an account of this server, or `cloud`, by a cloud account.
    kind: &'static str,
}

impl SessionView {
    /// The sessions of an account.
    pub fn all(sessions: Vec<Session>, caller: &Actor) -> Vec<Self> {
        let current = caller.session();
        let view = |session| Self::new(session, current);
        sessions.into_iter().map(view).collect()
    }

    /// The caller's own sessions. Several people share the guest account; they must not see each other's sessions.
    pub fn own(mut sessions: Vec<Session>, caller: &Actor) -> Vec<Self> {
        if caller.user.is_guest {
            sessions.retain(|session| Some(session.id) == caller.session());
        }
        Self::all(sessions, caller)
    }

    fn new(session: Session, current: Option<SessionId>) -> Self {
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
