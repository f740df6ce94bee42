//! Sessions, which refresh access tokens, and personal access tokens, as the rest of the server sees them.

use crate::id::{PersonalAccessTokenId, SessionId, UserId};
use crate::time::Timestamp;

/// Who vouches for a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// A local password, or the guest.
    Local,
    /// A cloud account.
    Cloud,
}

impl SessionKind {
    /// The name in store and API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Cloud => "cloud",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Local, Self::Cloud]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

/// One sign-in and what followed from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Identifier.
    pub id: SessionId,
    /// Whose it is.
    pub user: UserId,
    /// Name of the app.
    pub app: String,
    /// Who vouches for it.
    pub kind: SessionKind,
    /// What the client calls itself.
    pub user_agent: Option<String>,
    /// Where it signed in from.
    pub address: Option<String>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_active_at: Timestamp,
    /// When it ends unless it is refreshed.
    pub idle_expires_at: Timestamp,
    /// When it ends in any case.
    pub expires_at: Timestamp,
    /// How often it was refreshed: the generation of the token that is good now.
    pub generation: i64,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

impl Session {
    /// Whether it can be refreshed.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.ended_at.is_none() && now < self.idle_expires_at && now < self.expires_at
    }
}

/// A token that acts for a user, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalAccessToken {
    /// Identifier.
    pub id: PersonalAccessTokenId,
    /// Whose it is.
    pub user: UserId,
    /// The name that people gave it.
    pub label: String,
    /// Its last characters, by which people recognise it.
    pub hint: String,
    /// What it is narrowed to, by name; all that its user may if absent.
    pub capabilities: Option<Vec<String>>,
    /// Who made it.
    pub created_by: Option<UserId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
}
