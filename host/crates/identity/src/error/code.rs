//! Error codes of the API.

use svc_domain::named_enum::named_enum;

named_enum! {
    /// The codes of errors that clients can tell apart. The API description lists what each means.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ErrorCode {
        /// The sign-in of the device was denied.
        AccessDenied => "access_denied",
        /// The account is linked to another cloud account.
        AlreadyLinked => "already_linked",
        /// The item has no artwork.
        ArtworkMissing => "artwork_missing",
        /// Nobody has approved the device yet.
        AuthorizationPending => "authorization_pending",
        /// A queue is full or a budget is exhausted.
        Busy => "busy",
        /// Another account is linked to the cloud account.
        CloudAccountTaken => "cloud_account_taken",
        /// The cloud refused with a code that is none.
        CloudRefused => "cloud_refused",
        /// The cloud account needs a valid cloud token.
        CloudTokenRequired => "cloud_token_required",
        /// The cloud rejected the token of an account.
        CloudTokenRejected => "cloud_token_rejected",
        /// The cloud is unreachable or not configured.
        CloudUnavailable => "cloud_unavailable",
        /// The account created 20 invitations within 24 hours.
        DailyInvitationLimit => "daily_invitation_limit",
        /// The database is unreachable.
        DatabaseUnavailable => "database_unavailable",
        /// Somebody has decided about the device.
        DeviceSignInDecided => "device_sign_in_decided",
        /// The device code is unknown, has expired or was used.
        ExpiredToken => "expired_token",
        /// The file of the item is gone.
        FileMissing => "file_missing",
        /// The indexer's state does not allow the action.
        IndexActionConflict => "index_action_conflict",
        /// Another run of the indexer is active.
        IndexingInProgress => "indexing_in_progress",
        /// The invitation is unknown, or was used or revoked or has expired.
        InvitationUnavailable => "invitation_unavailable",
        /// The job's state does not allow the action.
        JobActionConflict => "job_action_conflict",
        /// Another library of the media kind has this name.
        LibraryNameTaken => "library_name_taken",
        /// Another account is the owner. Shown on the command line only.
        OwnerExists => "owner_exists",
        /// The pages of the file cannot be read.
        PagesUnavailable => "pages_unavailable",
        /// The account has no password.
        PasswordMissing => "password_missing",
        /// The personal access token is invalid.
        PatInvalid => "pat_invalid",
        /// The operation does not accept personal access tokens.
        PatNotPermitted => "pat_not_permitted",
        /// The revision in `If-Match` is not the current one.
        PlaybackQueueChanged => "playback_queue_changed",
        /// The playback queue would exceed its maximum length.
        PlaybackQueueFull => "playback_queue_full",
        /// The plugin's state does not allow the action.
        PluginActionConflict => "plugin_action_conflict",
        /// Another plugin has a kind that the plugin defines.
        PluginKindTaken => "plugin_kind_taken",
        /// The sign-in of the session is too long ago.
        ReauthenticationRequired => "reauthentication_required",
        /// The plugin has no version with the digest for which permissions are granted.
        PluginVersionChanged => "plugin_version_changed",
        /// Another role has this name.
        RoleExists => "role_exists",
        /// A run of the indexer was stopped before its end. Recorded in jobs only.
        RunStopped => "run_stopped",
        /// All seats of the subscription are used.
        SeatsExhausted => "seats_exhausted",
        /// An option of the server fixes the setting.
        SettingFixed => "setting_fixed",
        /// The device polls too often.
        SlowDown => "slow_down",
        /// Invitations of this server are used by signing in at its provider.
        SignInRequired => "sign_in_required",
        /// The disk of the data directory or of the database is full.
        StorageFull => "storage_full",
        /// The media directory is not mounted or does not respond.
        StorageUnavailable => "storage_unavailable",
        /// The subtitles are a stream inside the video file.
        SubtitleEmbedded => "subtitle_embedded",
        /// The cloud account that an invitation is addressed to cannot be invited.
        TargetUnavailable => "target_unavailable",
        /// No thumbnail can be rendered from the file.
        ThumbnailUnavailable => "thumbnail_unavailable",
        /// A rate limit was exceeded.
        TooManyAttempts => "too_many_attempts",
        /// The limit on waiting jobs of a type was reached.
        TooManyJobs => "too_many_jobs",
        /// The limit on photo albums of a user was reached.
        TooManyPhotoAlbums => "too_many_photo_albums",
        /// The limit on concurrent streams of a user was reached.
        TooManyStreams => "too_many_streams",
        /// The limit on personal access tokens of a user was reached.
        TooManyTokens => "too_many_tokens",
        /// Another account has this name.
        UsernameTaken => "username_taken",
        /// The audio of the file cannot be decoded.
        WaveformUnavailable => "waveform_unavailable",
    }
}
