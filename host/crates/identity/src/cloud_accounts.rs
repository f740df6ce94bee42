//! Asks the cloud whose token a client sent, and translates what it answers.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::ClientInfo;
use crate::cloud::{Cloud, CloudAccount, CloudError};
use crate::error::{ErrorCode, RetryReason, ServiceError, TryLater};
use crate::rate_limiter::{RateLimit, RateLimiter};
use crate::throttle::ClientNetwork;
use svc_domain::time::Clock;
use svc_platform::tasks::Tasks;

/// Limit on rejected tokens per network: each costs a request to the cloud, which anonymous clients could cause.
const REJECTED_RATE: RateLimit = RateLimit::new(60, 1);

/// Why the cloud does not vouch for a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VouchError {
    /// The cloud rejected the token, or refuses its account.
    Rejected,
    /// The network sent too many tokens that were rejected; the time until the next one.
    TooMany(Duration),
    /// The cloud is away, or none is configured that has accounts.
    Unavailable,
}

impl From<VouchError> for ServiceError {
    fn from(error: VouchError) -> Self {
        match error {
            VouchError::Rejected => Self::Unauthorized {
                code: Some(ErrorCode::CloudTokenRequired),
                message: "the cloud rejected this token",
            },
            VouchError::TooMany(retry_after) => Self::throttled("rejected tokens of the cloud", retry_after),
            VouchError::Unavailable => TryLater::unavailable(
                RetryReason::CloudUnavailable,
                "the cloud cannot be reached, or none is configured",
            )
            .into(),
        }
    }
}

/// Verifies cloud tokens. Clones share the limit.
#[derive(Debug, Clone)]
pub struct CloudAccounts {
    cloud: Arc<dyn Cloud>,
    clock: Arc<dyn Clock>,
    tasks: Tasks,
    rejected: Arc<RateLimiter<ClientNetwork>>,
}

impl CloudAccounts {
    /// Creates the service.
    pub fn new(cloud: Arc<dyn Cloud>, clock: Arc<dyn Clock>, tasks: Tasks) -> Self {
        Self {
            cloud,
            clock,
            tasks,
            rejected: Arc::new(RateLimiter::new(REJECTED_RATE)),
        }
    }

    /// The cloud.
    pub fn cloud(&self) -> &Arc<dyn Cloud> {
        &self.cloud
    }

    /// The account of a token, whose session with the cloud has not ended.
    ///
    /// # Errors
    /// The cloud does not vouch for it.
    pub async fn vouch(&self, token: &str, client: &ClientInfo) -> Result<CloudAccount, VouchError> {
        let network = ClientNetwork::from(client.address);
        self.rejected.try_acquire(network).map_err(VouchError::TooMany)?;
        let (this, token) = (self.clone(), token.to_owned());
        let (sender, answer) = oneshot::channel();
        // Not given up with the request: clients that do not wait for a slow cloud would be counted as if it had rejected
        // their tokens, and its breaker would never see that it does not answer.
        self.tasks.spawn_until_end("cloud-account", async move {
            let answer = this.ask(&token).await;
            if answer != Err(VouchError::Rejected) {
                this.rejected.refund(&network);
            }
            // The client may have hung up.
            let _ = sender.send(answer);
        });
        answer.await.unwrap_or(Err(VouchError::Unavailable))
    }

    async fn ask(&self, token: &str) -> Result<CloudAccount, VouchError> {
        let account = self.cloud.account(token).await.map_err(|error| match error {
            // The code of a refusal is about the account with the cloud; it is not for clients of this server.
            CloudError::Rejected | CloudError::Refused(_) => VouchError::Rejected,
            CloudError::Unavailable | CloudError::Unsupported | CloudError::TargetUnavailable => {
                VouchError::Unavailable
            }
        })?;
        if !account.has_valid_id() {
            tracing::warn!(
                bytes = account.id.len(),
                "the cloud answered with an invalid account id"
            );
            return Err(VouchError::Unavailable);
        }
        match account.expires_at {
            Some(end) if end <= self.clock.now() => Err(VouchError::Rejected),
            _ => Ok(account),
        }
    }
}
