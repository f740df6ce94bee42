//! Accounts as the rest of the server sees them.

use crate::id::UserId;
use crate::time::Timestamp;

/// A local account. Holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Identifier.
    pub id: UserId,
    /// The name that is typed at login, as first written.
    pub username: String,
    /// The name that is shown, if another.
    pub display_name: Option<String>,
    /// May sign in.
    pub enabled: bool,
    /// The one account that set the server up.
    pub is_owner: bool,
    /// The account that needs no credentials.
    pub is_guest: bool,
    /// The cloud account that it is linked to.
    pub cloud_account: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_active_at: Option<Timestamp>,
}

/// A role that an account has. Built-in roles are known to the program; others say themselves what they allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedRole {
    /// Its name.
    pub name: String,
    /// What a role that administrators made allows, by name.
    pub capabilities: Option<Vec<String>>,
}

/// An account with its roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The account.
    pub user: User,
    /// Its roles, by name.
    pub roles: Vec<GrantedRole>,
}

impl Account {
    /// Names of the roles.
    pub fn role_names(&self) -> Vec<String> {
        self.roles.iter().map(|role| role.name.clone()).collect()
    }
}

/// A role that administrators made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomRole {
    /// Its name.
    pub name: String,
    /// What it allows, by name.
    pub capabilities: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
}

/// That an account has a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleAssignment {
    /// The account.
    pub user: UserId,
    /// The role's name.
    pub role: String,
    /// Since when.
    pub created_at: Timestamp,
}
