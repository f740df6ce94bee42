//! Sessions and accounts.

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::domain::id::UserId;
use crate::domain::time::Timestamp;
use crate::domain::user::User;
use crate::service::login::Login;

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
            jwt: login.token,
            user: UserView::new(login.user, Some(login.roles)),
            scope: login.scope.as_str(),
        }
    }
}

/// An account.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "User"))]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    #[salvo(schema(value_type = String))]
    user_id: UserId,
    username: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<String>,
    enabled: bool,
    is_owner: bool,
    is_guest: bool,
    cloud_linked: bool,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    last_active_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    roles: Option<Vec<String>>,
}

impl UserView {
    /// An account, with its roles where they are wanted.
    pub fn new(user: User, roles: Option<Vec<String>>) -> Self {
        Self {
            user_id: user.id,
            username: user.username,
            display_name: user.display_name,
            enabled: user.enabled,
            is_owner: user.is_owner,
            is_guest: user.is_guest,
            // No account can be linked to a cloud account yet.
            cloud_linked: false,
            created_at: user.created_at,
            last_active_at: user.last_active_at,
            roles,
        }
    }
}
