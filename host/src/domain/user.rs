//! Accounts as the rest of the server sees them.

use super::id::UserId;
use super::time::Timestamp;

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
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_active_at: Option<Timestamp>,
}
