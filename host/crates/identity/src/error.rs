//! What a use case can refuse, told apart by what the client can do about it.

use std::time::Duration;

use crate::authentication::AuthenticationError;
use crate::password::PasswordError;
use svc_store::StoreError;

/// The queue of passwords is through within a second or two.
const HASHES_AGAIN: Duration = Duration::from_secs(2);

/// One thing that is wrong with the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// Where: a field of the body or a parameter of the query. Empty for the input as a whole.
    pub path: String,
    /// What is wrong, for people.
    pub message: String,
}

impl FieldError {
    /// An error at `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
        }
    }
}

/// The server has more of this to do than it takes on: the one error of every full queue and spent budget, so that each
/// is told alike (503 `busy` with `Retry-After`) and work in the background waits for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Overloaded {
    /// For people.
    pub message: &'static str,
    /// When trying again makes sense.
    pub retry_after: Duration,
}

/// Why a use case was not carried out. All texts but `Internal`'s may be shown to the client.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The input makes no sense.
    #[error("the request is not valid")]
    Invalid(Vec<FieldError>),
    /// The caller may not, whatever the input.
    #[error("{0}")]
    Refused(&'static str),
    /// The caller has to prove again who they are.
    #[error("{message}")]
    Unauthorized {
        /// Machine-readable, where there is more to tell.
        code: Option<&'static str>,
        /// For people.
        message: &'static str,
    },
    /// What the caller signed in with has ended since the request was let in.
    #[error(transparent)]
    Unauthenticated(Box<AuthenticationError>),
    /// A personal access token does not do here.
    #[error("this requires a signed-in session; personal access tokens are not accepted")]
    TokenNotPermitted,
    /// Tried too often.
    #[error("too many attempts; try again later")]
    Throttled {
        /// When trying again makes sense.
        retry_after: Duration,
    },
    /// There is no such thing.
    #[error("not found")]
    NotFound,
    /// There is nothing of what the input names, well-formed as it is.
    #[error("not found")]
    Unknown(Vec<FieldError>),
    /// The item is known, but a part of it is not there.
    #[error("{message}")]
    Absent {
        /// Machine-readable.
        code: &'static str,
        /// For people.
        message: &'static str,
    },
    /// The item is there, but what was asked for cannot be made of it.
    #[error("{message}")]
    Unprocessable {
        /// Machine-readable.
        code: &'static str,
        /// For people.
        message: &'static str,
    },
    /// The state of things does not permit it.
    #[error("{message}")]
    Conflict {
        /// Machine-readable.
        code: &'static str,
        /// For people.
        message: String,
    },
    /// What was to be changed is not as the caller believes.
    #[error("{message}")]
    Stale {
        /// Machine-readable.
        code: &'static str,
        /// For people.
        message: &'static str,
    },
    /// A dependency of the server is unavailable; trying again later may help.
    #[error("{message}")]
    Unavailable {
        /// Machine-readable.
        code: &'static str,
        /// For people.
        message: &'static str,
    },
    /// The server has more of this to do than it takes on.
    #[error(transparent)]
    Overloaded(#[from] Overloaded),
    /// As `Unavailable`, where there is no more to tell than the status.
    #[error("{0}")]
    Away(&'static str),
    /// A fault of the server. The text is for the log alone.
    #[error("{0}")]
    Internal(String),
}

impl ServiceError {
    /// One thing wrong with the input.
    pub fn invalid(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(path, message)])
    }

    /// There is nothing of what this field names.
    pub fn unknown(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Unknown(vec![FieldError::new(path, message)])
    }

    /// The same error, where what was not found was named by a field of the input.
    #[must_use]
    pub fn named_by(self, path: &str) -> Self {
        match self {
            Self::NotFound => Self::unknown(path, "there is no such item"),
            other => other,
        }
    }

    /// The state of things does not permit it.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::Conflict {
            code,
            message: message.into(),
        }
    }

    /// A fault of the server; the text goes to the log.
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
                Self::Unavailable {
                    code: "database_unavailable",
                    message: "the database is not available",
                }
            }
            StoreError::Full(_) => {
                tracing::error!(%error, "the database is full");
                Self::Unavailable {
                    code: "storage_full",
                    message: "the server has no space left",
                }
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
            PasswordError::Busy => Overloaded {
                message: "too many sign-ins at once; try again",
                retry_after: HASHES_AGAIN,
            }
            .into(),
            PasswordError::Failed(_) => Self::internal(error),
        }
    }
}

/// The result of a use case.
pub type Result<T> = std::result::Result<T, ServiceError>;
