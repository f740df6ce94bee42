//! `ServiceError`: the error of every use case. Its variants differ in how a client can react. `AuthenticationError`:
//! that of a credential.

mod code;
mod try_later;

use std::time::Duration;

use crate::password::PasswordError;
use svc_store::StoreError;

pub use code::ErrorCode;
pub use try_later::{RetryReason, TryLater};

/// The password hashing queue drains within about two seconds.
const PASSWORD_QUEUE_RETRY: Duration = Duration::from_secs(2);

/// No space is left for the database or the data directory.
pub const STORAGE_FULL: TryLater =
    TryLater::unavailable(RetryReason::StorageFull, "the server has no space left");

/// The only message for every refused login, so that it does not reveal whether an account exists.
pub(super) const LOGIN_REFUSED: ServiceError = ServiceError::Refused("login refused");

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
    /// The operation requires a recent sign-in.
    #[error("sign in again: this requires a sign-in within the last five minutes")]
    ReauthenticationRequired,
    /// A code of a sign-in by another device does not lead to a session, or not yet (RFC 8628).
    #[error("{message}")]
    Grant {
        /// Machine-readable; the RFC's error code.
        code: ErrorCode,
        /// Shown to the client.
        message: &'static str,
    },
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
    /// The cloud does not allow the operation.
    #[error("the cloud refused this")]
    CloudRefused {
        /// The cloud's code: `[a-z0-9_]{1,64}`.
        code: String,
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

/// Why a credential does not authenticate.
#[derive(Debug, thiserror::Error)]
pub enum AuthenticationError {
    /// The request has no credential, or several that differ.
    #[error("sign in first")]
    Missing,
    /// The access token is invalid or expired; a refresh may help.
    #[error("the access token is invalid or has expired")]
    InvalidAccessToken,
    /// The access token is of another server, or its account was deleted; the client has to sign in.
    #[error("the access token is not valid on this server")]
    ForeignAccessToken,
    /// The personal access token is unknown, revoked or expired.
    #[error("the personal access token is invalid, revoked or expired")]
    InvalidPersonalAccessToken,
    /// The server failed to check the credential.
    #[error(transparent)]
    Service(#[from] ServiceError),
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
    pub fn at_field(self, path: &str) -> Self {
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

    /// An exceeded rate limit, named for the log.
    pub fn throttled(limit: &'static str, retry_after: Duration) -> Self {
        Self::TryLater(TryLater {
            reason: RetryReason::TooManyAttempts,
            message: "too many attempts; try again later",
            retry_after: Some(retry_after),
            limit: Some(limit),
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
