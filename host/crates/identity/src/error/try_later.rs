//! The error of requests that may succeed later.

use std::time::Duration;

use super::ErrorCode;

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
    /// The rate limit that was exceeded. For the log only.
    pub limit: Option<&'static str>,
}

impl TryLater {
    /// A queue is full or a budget is exhausted until `retry_after` has passed.
    pub const fn busy(message: &'static str, retry_after: Duration) -> Self {
        Self {
            reason: RetryReason::Busy,
            message,
            retry_after: Some(retry_after),
            limit: None,
        }
    }

    /// A dependency is unavailable for an unknown time.
    pub const fn unavailable(reason: RetryReason, message: &'static str) -> Self {
        Self {
            reason,
            message,
            retry_after: None,
            limit: None,
        }
    }
}
