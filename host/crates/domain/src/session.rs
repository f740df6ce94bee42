//! Sessions, which refresh access tokens, and personal access tokens.

use crate::id::{PersonalAccessTokenId, SessionId, UserId};
use crate::named_enum::named_enum;
use crate::time::Timestamp;

named_enum! {
    /// How the user of a session was authenticated.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SessionKind {
        /// By a local password, or as the guest.
        Local => "local",
        /// By a cloud account.
        Cloud => "cloud",
    }
}

/// A session: one sign-in and its refresh tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Id.
    pub id: SessionId,
    /// The account.
    pub user: UserId,
    /// Name of the client app.
    pub app: String,
    /// How the user was authenticated.
    pub kind: SessionKind,
    /// `User-Agent` of the client at sign-in.
    pub user_agent: Option<String>,
    /// IP address at sign-in.
    pub address: Option<String>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_active_at: Timestamp,
    /// When it expires unless it is refreshed.
    pub idle_expires_at: Timestamp,
    /// When it expires even if it is refreshed.
    pub expires_at: Timestamp,
    /// Number of refreshes: the generation of the valid refresh token.
    pub generation: i64,
    /// When it was signed out or revoked.
    pub ended_at: Option<Timestamp>,
    /// When its user last authenticated: at sign-in, never by a refresh. `None` if that is unknown.
    pub signed_in_at: Option<Timestamp>,
}

impl Session {
    /// Whether it can still be refreshed.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.ended_at.is_none() && now < self.idle_expires_at && now < self.expires_at
    }
}

/// A personal access token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalAccessToken {
    /// Id.
    pub id: PersonalAccessTokenId,
    /// The account.
    pub user: UserId,
    /// Name that the user chose.
    pub label: String,
    /// Its last characters, so that users can recognize it.
    pub hint: String,
    /// Names of the capabilities it is limited to; `None` for all of its account.
    pub capabilities: Option<Vec<String>>,
    /// The account that created it.
    pub created_by: Option<UserId>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
}
