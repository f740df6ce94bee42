//! Accounts and roles as the rest of the server uses them.

use crate::id::UserId;
use crate::time::Timestamp;

/// A local account. Holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Id.
    pub id: UserId,
    /// The name for signing in, in the spelling of its creation.
    pub username: String,
    /// The displayed name, if it differs.
    pub display_name: Option<String>,
    /// Whether the account may sign in.
    pub enabled: bool,
    /// Whether this is the account that set the server up.
    pub is_owner: bool,
    /// Whether this is the account that needs no credentials.
    pub is_guest: bool,
    /// The linked cloud account.
    pub cloud_account: Option<String>,
    /// When the account was created.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_active_at: Option<Timestamp>,
}

/// A role of an account. The program defines the built-in roles; the other ones carry their capabilities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedRole {
    /// Unique on the server.
    pub name: String,
    /// Names of the capabilities of a custom role; `None` for a built-in role.
    pub capabilities: Option<Vec<String>>,
}

/// An account with its roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The account.
    pub user: User,
    /// Sorted by name.
    pub roles: Vec<GrantedRole>,
}

impl Account {
    /// The names of the roles.
    pub fn role_names(&self) -> Vec<String> {
        self.roles.iter().map(|role| role.name.clone()).collect()
    }
}

/// A role that an administrator created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomRole {
    /// Unique on the server.
    pub name: String,
    /// Names of its capabilities.
    pub capabilities: Vec<String>,
    /// When the role was created.
    pub created_at: Timestamp,
}

/// The assignment of a role to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleAssignment {
    /// The account.
    pub user: UserId,
    /// The role's name.
    pub role: String,
    /// When the role was assigned.
    pub created_at: Timestamp,
}
