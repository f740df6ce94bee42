//! Refusals, which clients see, and failures, which only the log shows.

/// Why the cloud refuses a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    InvalidRequest(&'static str),
    TokenInvalid,
    CredentialInvalid,
    SignInRefused,
    Forbidden,
    TargetUnavailable,
    AccountUnknown,
    ChannelUnknown,
    NoRelease,
    InvitationUnknown,
    DailyInvitationLimit,
    /// Seconds until the next request is accepted.
    TooManyRequests(u64),
}

impl Refusal {
    /// Status, code and text for people.
    pub(crate) fn parts(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::InvalidRequest(message) => (400, "invalid_request", message),
            Self::TokenInvalid => (401, "token_invalid", "the token is not valid"),
            Self::CredentialInvalid => (
                401,
                "credential_invalid",
                "the credential of the server is not valid",
            ),
            Self::SignInRefused => (401, "sign_in_refused", "name or password is wrong"),
            Self::Forbidden => (403, "forbidden", "the account may not invite"),
            Self::TargetUnavailable => (404, "target_unavailable", "the account cannot be invited"),
            Self::AccountUnknown => (404, "account_unknown", "there is no such account"),
            Self::ChannelUnknown => (404, "channel_unknown", "there is no such channel"),
            Self::NoRelease => (404, "no_release", "nothing was released on this channel"),
            Self::InvitationUnknown => (404, "invitation_unknown", "there is no such invitation to accept"),
            Self::DailyInvitationLimit => (
                409,
                "daily_invitation_limit",
                "the account has created 20 invitations in the last 24 hours",
            ),
            Self::TooManyRequests(_) => (429, "too_many_requests", "too many requests, try again later"),
        }
    }
}

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("refused: {0:?}")]
    Refused(Refusal),
    #[error("database: {0}")]
    Database(#[from] sqlx::Error),
    #[error("system: {0}")]
    Io(#[from] std::io::Error),
    #[error("password hashing: {0}")]
    Passwords(String),
    /// Stored data that this program did not write.
    #[error("stored data: {0}")]
    Stored(String),
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

pub(crate) type Result<T> = std::result::Result<T, Error>;
