//! Error codes of the API.

/// The codes of errors that clients can tell apart. The API description lists what each means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// The item has no artwork.
    ArtworkMissing,
    /// A queue is full or a budget is exhausted.
    Busy,
    /// The cloud account needs a valid cloud token.
    CloudTokenRequired,
    /// The cloud is unreachable or not configured.
    CloudUnavailable,
    /// The database is unreachable.
    DatabaseUnavailable,
    /// The file of the item is gone.
    FileMissing,
    /// The indexer's state does not allow the action.
    IndexActionConflict,
    /// Another run of the indexer is active.
    IndexingInProgress,
    /// The job's state does not allow the action.
    JobActionConflict,
    /// Another library of the media kind has this name.
    LibraryNameTaken,
    /// Another account is the owner. Shown on the command line only.
    OwnerExists,
    /// The revision in `If-Match` is not the current one.
    PlaybackQueueChanged,
    /// The playback queue would exceed its maximum length.
    PlaybackQueueFull,
    /// The plugin's state does not allow the action.
    PluginActionConflict,
    /// Another role has this name.
    RoleExists,
    /// A run of the indexer was stopped before its end. Recorded in jobs only.
    RunStopped,
    /// An option of the server fixes the setting.
    SettingFixed,
    /// The disk of the data directory or of the database is full.
    StorageFull,
    /// The media directory is not mounted or does not respond.
    StorageUnavailable,
    /// The subtitles are a stream inside the video file.
    SubtitleEmbedded,
    /// No thumbnail can be rendered from the file.
    ThumbnailUnavailable,
    /// A rate limit was exceeded.
    TooManyAttempts,
    /// The limit on waiting jobs of a type was reached.
    TooManyJobs,
    /// The limit on photo albums of a user was reached.
    TooManyPhotoAlbums,
    /// The limit on concurrent streams of a user was reached.
    TooManyStreams,
    /// The limit on personal access tokens of a user was reached.
    TooManyTokens,
    /// Another account has this name.
    UsernameTaken,
    /// The audio of the file cannot be decoded.
    WaveformUnavailable,
}

impl ErrorCode {
    /// The code in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ArtworkMissing => "artwork_missing",
            Self::Busy => "busy",
            Self::CloudTokenRequired => "cloud_token_required",
            Self::CloudUnavailable => "cloud_unavailable",
            Self::DatabaseUnavailable => "database_unavailable",
            Self::FileMissing => "file_missing",
            Self::IndexActionConflict => "index_action_conflict",
            Self::IndexingInProgress => "indexing_in_progress",
            Self::JobActionConflict => "job_action_conflict",
            Self::LibraryNameTaken => "library_name_taken",
            Self::OwnerExists => "owner_exists",
            Self::PlaybackQueueChanged => "playback_queue_changed",
            Self::PlaybackQueueFull => "playback_queue_full",
            Self::PluginActionConflict => "plugin_action_conflict",
            Self::RoleExists => "role_exists",
            Self::RunStopped => "run_stopped",
            Self::SettingFixed => "setting_fixed",
            Self::StorageFull => "storage_full",
            Self::StorageUnavailable => "storage_unavailable",
            Self::SubtitleEmbedded => "subtitle_embedded",
            Self::ThumbnailUnavailable => "thumbnail_unavailable",
            Self::TooManyAttempts => "too_many_attempts",
            Self::TooManyJobs => "too_many_jobs",
            Self::TooManyPhotoAlbums => "too_many_photo_albums",
            Self::TooManyStreams => "too_many_streams",
            Self::TooManyTokens => "too_many_tokens",
            Self::UsernameTaken => "username_taken",
            Self::WaveformUnavailable => "waveform_unavailable",
        }
    }
}
