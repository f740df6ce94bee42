//! The interface to the cloud: verification of cloud accounts, releases and the subscription.

use std::pin::Pin;

use crate::error::{ErrorCode, RetryReason, ServiceError, TryLater};

/// Why a request to the cloud failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudError {
    /// The cloud is unreachable or not configured.
    Unavailable,
    /// The cloud rejected the token.
    Rejected,
}

impl From<CloudError> for ServiceError {
    fn from(error: CloudError) -> Self {
        match error {
            CloudError::Unavailable => {
                TryLater::unavailable(RetryReason::CloudUnavailable, "the cloud cannot be reached").into()
            }
            CloudError::Rejected => Self::Unauthorized {
                code: Some(ErrorCode::CloudTokenRequired),
                message: "the cloud rejected this token",
            },
        }
    }
}

/// A cloud account that the cloud verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloudAccount {
    /// Its id in the cloud.
    pub id: String,
}

/// A released version of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Semantic version.
    pub version: String,
    /// When it was released, ISO 8601.
    pub released_at: String,
    /// Days between the release of this server's version and that release.
    pub days_behind: u32,
}

/// The future of a request to the cloud.
pub type CloudFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CloudError>> + Send + 'a>>;

/// Requests to the cloud.
pub trait Cloud: Send + Sync + std::fmt::Debug {
    /// Verifies a token and returns its account.
    fn account<'a>(&'a self, token: &'a str) -> CloudFuture<'a, CloudAccount>;

    /// The newest release of a channel.
    fn latest_release<'a>(&'a self, channel: &'a str) -> CloudFuture<'a, Release>;

    /// The subscription of this server.
    fn subscription(&self) -> CloudFuture<'_, Subscription>;
}

/// The subscription of this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// Name of the tier.
    pub tier: String,
    /// Maximum number of accounts; unlimited if `None`.
    pub seats: Option<u32>,
    /// Expiry, ISO 8601.
    pub expires_at: Option<String>,
}

/// The implementation without a configured cloud: every request fails with `Unavailable`, without network access.
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
