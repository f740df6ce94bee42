//! The audit log: who did what to whom, in words that do not change.

use std::collections::BTreeMap;

use crate::id::{AuditId, UserId};
use crate::time::Timestamp;

macro_rules! audit_events {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// What happened. The names are part of the API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum AuditEvent {
            $($(#[$doc])* $variant),+
        }

        impl AuditEvent {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in store and API.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }
    };
}

audit_events! {
    /// The first run made the owner.
    SetupCompleted = "setup_completed",
    /// Somebody signed in.
    LoginSucceeded = "login_succeeded",
    /// A password was wrong.
    LoginFailed = "login_failed",
    /// Too many wrong passwords: not even looked at.
    LoginThrottled = "login_throttled",
    /// Somebody signed out.
    LoggedOut = "logged_out",
    /// A refresh token was used a second time: its session was ended.
    RefreshTokenReused = "refresh_token_reused",
    /// Sessions were ended by a user.
    SessionsRevoked = "sessions_revoked",
    /// A personal access token was made.
    TokenCreated = "token_created",
    /// A personal access token was revoked.
    TokenRevoked = "token_revoked",
    /// An account was made.
    UserCreated = "user_created",
    /// An account was changed.
    UserUpdated = "user_updated",
    /// An account was deleted.
    UserDeleted = "user_deleted",
    /// A password was set.
    PasswordChanged = "password_changed",
    /// A role was given to an account.
    RoleAssigned = "role_assigned",
    /// A role was taken from an account.
    RoleUnassigned = "role_unassigned",
    /// A role was made.
    RoleCreated = "role_created",
    /// What a role allows was changed.
    RoleUpdated = "role_updated",
    /// A role was deleted.
    RoleDeleted = "role_deleted",
    /// A library was made.
    LibraryCreated = "library_created",
    /// Name, paths or grants of a library were changed.
    LibraryUpdated = "library_updated",
    /// A library was deleted; its media stay.
    LibraryDeleted = "library_deleted",
    /// Settings of the server were changed.
    SettingsChanged = "settings_changed",
    /// A web origin was allowed.
    OriginAdded = "origin_added",
    /// A web origin is no longer allowed.
    OriginRemoved = "origin_removed",
    /// The index was emptied.
    Deindexed = "deindexed",
    /// The quarantine of a plugin was ended.
    PluginReleased = "plugin_released",
    /// The server was reset. The first line of its new log.
    FactoryReset = "factory_reset",
    /// Another account was made the owner, on the command line.
    OwnerChanged = "owner_changed",
    /// Database and keys were copied.
    BackupMade = "backup_made",
    /// A backup was not made.
    BackupFailed = "backup_failed",
    /// A run of the indexer began.
    IndexRunStarted = "index_run_started",
    /// A run of the indexer ended, one way or another.
    IndexRunEnded = "index_run_ended",
    /// A plugin failed too often and was shut off.
    PluginQuarantined = "plugin_quarantined",
}

impl AuditEvent {
    /// The event of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.as_str() == name)
    }
}

/// An account as it was called when something happened: the log outlives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditParty {
    /// Identifier, if there is or was such an account.
    pub id: Option<UserId>,
    /// Its name.
    pub name: Option<String>,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Identifier.
    pub id: AuditId,
    /// When; the first time of several.
    pub at: Timestamp,
    /// How often, within a minute.
    pub times: i64,
    /// When last.
    pub last_at: Timestamp,
    /// What.
    pub event: AuditEvent,
    /// Who did it.
    pub actor: Option<AuditParty>,
    /// To whom.
    pub target: Option<AuditParty>,
    /// From where.
    pub address: Option<String>,
    /// What else is to be known. Never a secret.
    pub details: BTreeMap<String, String>,
}
