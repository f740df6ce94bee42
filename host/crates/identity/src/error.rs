//! `ServiceError`: the error of every use case. Its variants differ in how a client can react.

use std::time::Duration;

use crate::authentication::AuthenticationError;
use crate::password::PasswordError;
use svc_store::StoreError;

/// The password hashing queue drains within about two seconds.
const PASSWORD_QUEUE_RETRY: Duration = Duration::from_secs(2);

/// No space is left for the database or the data directory.
pub const STORAGE_FULL: TryLater =
    TryLater::unavailable(RetryReason::StorageFull, "the server has no space left");

/// An error in one field of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// A field of the body or a query parameter; empty for the input as a whole.
    pub path: String,
    /// Shown to the client.
    pub message: String,
}

impl FieldError {
    /// An error in the field `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
        }
    }
}

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

/// Why a request has to be retried later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryReason {
    /// A queue is full or a budget is exhausted. Background work waits and retries.
    Busy,
    /// The caller exceeded a rate limit.
    TooManyAttempts,
    /// The database is unreachable.
    DatabaseUnavailable,
    /// The disk of the data directory or of the database is full.
    StorageFull,
    /// A media directory is not mounted or does not respond.
    StorageUnavailable,
    /// The cloud is unreachable or not configured.
    CloudUnavailable,
    /// The newest release is unknown.
    ReleaseUnknown,
    /// The server is stopping.
    ShuttingDown,
}

impl RetryReason {
    /// The code in the API; `None` where the status alone is returned.
    pub const fn code(self) -> Option<ErrorCode> {
        match self {
            Self::Busy => Some(ErrorCode::Busy),
            Self::TooManyAttempts => Some(ErrorCode::TooManyAttempts),
            Self::DatabaseUnavailable => Some(ErrorCode::DatabaseUnavailable),
            Self::StorageFull => Some(ErrorCode::StorageFull),
            Self::StorageUnavailable => Some(ErrorCode::StorageUnavailable),
            Self::CloudUnavailable => Some(ErrorCode::CloudUnavailable),
            Self::ReleaseUnknown | Self::ShuttingDown => None,
        }
    }
}

/// The request cannot be served now, but the same request may succeed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TryLater {
    /// The cause.
    pub reason: RetryReason,
    /// Shown to the client.
    pub message: &'static str,
    /// The earliest useful time of a retry, if known.
    pub retry_after: Option<Duration>,
}

impl TryLater {
    /// A queue is full or a budget is exhausted until `retry_after` has passed.
    pub const fn busy(message: &'static str, retry_after: Duration) -> Self {
        Self {
            reason: RetryReason::Busy,
            message,
            retry_after: Some(retry_after),
        }
    }

    /// A dependency is unavailable for an unknown time.
    pub const fn unavailable(reason: RetryReason, message: &'static str) -> Self {
        Self {
            reason,
            message,
            retry_after: None,
        }
    }
}

/// Why a use case failed. The messages of all variants but `Internal` are shown to clients.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The input is malformed or out of range.
    #[error("the request is not valid")]
    Invalid(Vec<FieldError>),
    /// The caller lacks the permission.
    #[error("{0}")]
    Refused(&'static str),
    /// The caller has to authenticate again.
    #[error("{message}")]
    Unauthorized {
        /// Set where the status alone is ambiguous.
        code: Option<ErrorCode>,
        /// Shown to the client.
        message: &'static str,
    },
    /// The caller's credential was revoked while the request was processed.
    #[error(transparent)]
    Unauthenticated(Box<AuthenticationError>),
    /// The operation does not accept personal access tokens.
    #[error("this requires a signed-in session; personal access tokens are not accepted")]
    TokenNotPermitted,
    /// The resource of the request does not exist or is invisible to the caller.
    #[error("not found")]
    NotFound,
    /// Well-formed input names something that does not exist.
    #[error("not found")]
    Unknown(Vec<FieldError>),
    /// The item exists, but the requested part of it does not.
    #[error("{message}")]
    Absent {
        /// Machine-readable.
        code: ErrorCode,
        /// Shown to the client.
        message: &'static str,
    },
    /// The item exists, but the requested representation cannot be produced from it.
    #[error("{message}")]
    Unprocessable {
        /// Machine-readable.
        code: ErrorCode,
        /// Shown to the client.
        message: &'static str,
    },
    /// The current state does not allow the operation.
    #[error("{message}")]
    Conflict {
        /// Machine-readable.
        code: ErrorCode,
        /// Shown to the client.
        message: String,
    },
    /// The resource changed since the caller read it.
    #[error("{message}")]
    Stale {
        /// Machine-readable.
        code: ErrorCode,
        /// Shown to the client.
        message: &'static str,
    },
    /// The same request may succeed later.
    #[error(transparent)]
    TryLater(#[from] TryLater),
    /// A fault of the server. The text is written to the log and not shown to the client.
    #[error("{0}")]
    Internal(String),
}

impl ServiceError {
    /// `Invalid` with one field error.
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(path, message)])
    }

    /// `Unknown` with one field error.
    pub fn unknown(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Unknown(vec![FieldError::new(path, message)])
    }

    /// Turns `NotFound` into `Unknown` for an id that a field of the input contains.
    #[must_use]
    pub fn named_by(self, path: &str) -> Self {
        match self {
            Self::NotFound => Self::unknown(path, "there is no such item"),
            other => other,
        }
    }

    /// `Conflict` with a message.
    pub fn conflict(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Conflict {
            code,
            message: message.into(),
        }
    }

    /// An exceeded rate limit.
    pub fn throttled(retry_after: Duration) -> Self {
        Self::TryLater(TryLater {
            reason: RetryReason::TooManyAttempts,
            message: "too many attempts; try again later",
            retry_after: Some(retry_after),
        })
    }

    /// `Internal` with the text of an error.
    pub fn internal(error: impl std::fmt::Display) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::ForeignCursor => Self::invalid("after", "is a cursor of another list or order"),
            StoreError::Unavailable(_) | StoreError::IdNodeLost(_) => {
                tracing::warn!(%error, "the database is not available");
                TryLater::unavailable(RetryReason::DatabaseUnavailable, "the database is not available")
                    .into()
            }
            StoreError::Full(_) => {
                tracing::error!(%error, "the database is full");
                STORAGE_FULL.into()
            }
            other => Self::internal(other),
        }
    }
}

impl From<AuthenticationError> for ServiceError {
    fn from(error: AuthenticationError) -> Self {
        match error {
            AuthenticationError::Service(error) => error,
            other => Self::Unauthenticated(Box::new(other)),
        }
    }
}

impl From<PasswordError> for ServiceError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Busy => {
                TryLater::busy("too many sign-ins at once; try again", PASSWORD_QUEUE_RETRY).into()
            }
            PasswordError::Failed(_) => Self::internal(error),
        }
    }
}

/// The result of a use case.
pub type Result<T> = std::result::Result<T, ServiceError>;
