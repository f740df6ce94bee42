//! The audit log: security-relevant events with stable names.

use std::collections::BTreeMap;

use crate::id::{AuditId, UserId};
use crate::named_enum::named_enum;
use crate::time::Timestamp;

named_enum! {
    /// What happened. The names are part of the API.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AuditEvent {
        /// First setup created the owner.
        SetupCompleted => "setup_completed",
        /// A user signed in.
        LoginSucceeded => "login_succeeded",
        /// A sign-in was refused: a wrong password, or no cloud or provider vouched for an account that may.
        LoginFailed => "login_failed",
        /// A sign-in was rejected by the throttle; the password was not checked.
        LoginThrottled => "login_throttled",
        /// A user signed out.
        LoggedOut => "logged_out",
        /// A refresh token was used a second time; its session was revoked.
        RefreshTokenReused => "refresh_token_reused",
        /// A user revoked sessions.
        SessionsRevoked => "sessions_revoked",
        /// A user approved the sign-in of a device.
        DeviceSignInApproved => "device_sign_in_approved",
        /// A user denied the sign-in of a device.
        DeviceSignInDenied => "device_sign_in_denied",
        /// The code of an invitation or of a device was wrong, or was not looked up after too many wrong ones.
        CodeRejected => "code_rejected",
        /// An account was linked to a cloud account.
        CloudLinked => "cloud_linked",
        /// An account was unlinked from its cloud account.
        CloudUnlinked => "cloud_unlinked",
        /// The owner registered the server at the cloud, or did so again; its credential there is new.
        ServerRegistered => "server_registered",
        /// A personal access token was created.
        TokenCreated => "token_created",
        /// A personal access token was revoked.
        TokenRevoked => "token_revoked",
        /// An account was created.
        UserCreated => "user_created",
        /// An account was changed.
        UserUpdated => "user_updated",
        /// An account was deleted.
        UserDeleted => "user_deleted",
        /// A password was set.
        PasswordChanged => "password_changed",
        /// A role was assigned to an account.
        RoleAssigned => "role_assigned",
        /// A role was removed from an account.
        RoleUnassigned => "role_unassigned",
        /// A role was created.
        RoleCreated => "role_created",
        /// The capabilities of a role were changed.
        RoleUpdated => "role_updated",
        /// A role was deleted.
        RoleDeleted => "role_deleted",
        /// An invitation was created.
        InvitationCreated => "invitation_created",
        /// An account was created with an invitation.
        InvitationClaimed => "invitation_claimed",
        /// An invitation was revoked.
        InvitationRevoked => "invitation_revoked",
        /// A library was created.
        LibraryCreated => "library_created",
        /// Name, paths or grants of a library were changed.
        LibraryUpdated => "library_updated",
        /// A library was deleted, but not its media.
        LibraryDeleted => "library_deleted",
        /// Server settings were changed.
        SettingsChanged => "settings_changed",
        /// A CORS origin was added.
        OriginAdded => "origin_added",
        /// A CORS origin was removed.
        OriginRemoved => "origin_removed",
        /// All items were removed from the index.
        Deindexed => "deindexed",
        /// A plugin, or a version of one, was uploaded.
        PluginUploaded => "plugin_uploaded",
        /// Permissions of a plugin were granted or revoked, it was enabled or disabled, or its settings were changed.
        PluginUpdated => "plugin_updated",
        /// A sample of files was read with a version of a plugin that waits for its permissions.
        PluginPreviewed => "plugin_previewed",
        /// The version before the one in use was put back.
        PluginRolledBack => "plugin_rolled_back",
        /// A plugin that was uploaded was removed.
        PluginRemoved => "plugin_removed",
        /// A plugin was released from quarantine.
        PluginReleased => "plugin_released",
        /// The server was reset to its initial state; the first entry of the new log.
        FactoryReset => "factory_reset",
        /// The command line made another account the owner.
        OwnerChanged => "owner_changed",
        /// A backup was created.
        BackupMade => "backup_made",
        /// A backup failed.
        BackupFailed => "backup_failed",
        /// All items of a kind were deleted, while its plugin was gone.
        KindPurged => "kind_purged",
        /// Deleting all items of a kind failed or was cancelled; some may be deleted.
        KindPurgeFailed => "kind_purge_failed",
        /// A scan started.
        IndexRunStarted => "index_run_started",
        /// A scan completed, failed or was stopped.
        IndexRunEnded => "index_run_ended",
        /// A plugin had too many faults and was quarantined.
        PluginQuarantined => "plugin_quarantined",
    }
}

/// An account with its name at the time of the event; entries outlive accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditAccount {
    /// Id, if the account exists or existed.
    pub id: Option<UserId>,
    /// Username.
    pub name: Option<String>,
}

/// An entry of the log. Equal events within a minute share one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Id.
    pub id: AuditId,
    /// When the event first happened.
    pub at: Timestamp,
    /// Number of occurrences within the minute.
    pub times: i64,
    /// When it last happened.
    pub last_at: Timestamp,
    /// What happened.
    pub event: AuditEvent,
    /// The account that caused it.
    pub actor: Option<AuditAccount>,
    /// The affected account.
    pub target: Option<AuditAccount>,
    /// IP address of the client.
    pub address: Option<String>,
    /// Further values by name; never a secret.
    pub details: BTreeMap<String, String>,
}
