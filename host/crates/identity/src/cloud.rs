//! The cloud as the server sees it: who vouches for cloud accounts, and who knows of new versions.

use std::pin::Pin;

use crate::error::ServiceError;

/// Why the cloud gave no answer that helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudError {
    /// It could not be reached, or none is configured.
    Unavailable,
    /// It does not accept the token.
    Rejected,
}

impl From<CloudError> for ServiceError {
    fn from(error: CloudError) -> Self {
        match error {
            CloudError::Unavailable => Self::Unavailable {
                code: "cloud_unavailable",
                message: "the cloud cannot be reached",
            },
            CloudError::Rejected => Self::Unauthorized {
                code: Some("cloud_token_required"),
                message: "the cloud does not accept this token",
            },
        }
    }
}

/// A cloud account that the cloud vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudAccount {
    /// Its id at the cloud.
    pub id: String,
}

/// A released version of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Its number.
    pub version: String,
    /// When it was released, ISO 8601.
    pub released_at: String,
    /// Days by which this server is behind it.
    pub days_behind: u32,
}

/// An answer that takes its time.
pub type CloudFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CloudError>> + Send + 'a>>;

/// What the server asks the cloud.
pub trait Cloud: Send + Sync + std::fmt::Debug {
    /// Whose token it is.
    fn account<'a>(&'a self, token: &'a str) -> CloudFuture<'a, CloudAccount>;

    /// The newest release of a channel.
    fn latest_release<'a>(&'a self, channel: &'a str) -> CloudFuture<'a, Release>;

    /// The subscription of this server.
    fn subscription(&self) -> CloudFuture<'_, Subscription>;
}

/// What the server may use of the cloud.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Its name.
    pub tier: String,
    /// Accounts that it allows; as many as one likes if absent.
    pub seats: Option<u32>,
    /// When it ends, ISO 8601.
    pub expires_at: Option<String>,
}

/// No cloud is configured: nothing calls out, and what needs one says so.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCloud;

impl Cloud for NoCloud {
    fn account<'a>(&'a self, _token: &'a str) -> CloudFuture<'a, CloudAccount> {
        Box::pin(async { Err(CloudError::Unavailable) })
    }

    fn latest_release<'a>(&'a self, _channel: &'a str) -> CloudFuture<'a, Release> {
        Box::pin(async { Err(CloudError::Unavailable) })
    }

    fn subscription(&self) -> CloudFuture<'_, Subscription> {
        Box::pin(async { Err(CloudError::Unavailable) })
    }
}
