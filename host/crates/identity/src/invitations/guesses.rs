//! Limits wrong shortcodes by client network.

use std::sync::Arc;

use crate::error::{Result, ServiceError};
use crate::rate_limiter::{RateLimit, RateLimiter};
use crate::throttle::ClientNetwork;

/// At one guess a minute, 100,000 networks find one of 100 open invitations of 50 bits within a week with a
/// probability of 1 in 10,000.
const RATE: RateLimit = RateLimit::new(10, 60);

/// The guesses of each client network. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Guesses(Arc<RateLimiter<ClientNetwork>>);

impl Default for Guesses {
    fn default() -> Self {
        Self(Arc::new(RateLimiter::new(RATE)))
    }
}

impl Guesses {
    /// Fails while the network has no guess left. A right shortcode is refused then as well: otherwise the limit would
    /// not limit guesses. Called again after the lookup, so that parallel guesses share the limit.
    ///
    /// # Errors
    /// Too many attempts.
    pub(super) fn check(&self, network: ClientNetwork) -> Result<()> {
        self.count(network)?;
        self.0.refund(&network);
        Ok(())
    }

    /// Counts a wrong shortcode.
    ///
    /// # Errors
    /// Too many attempts: the response must not tell that the shortcode was wrong.
    pub(super) fn count(&self, network: ClientNetwork) -> Result<()> {
        let counted = self.0.try_acquire(network);
        counted.map_err(|wait| ServiceError::throttled("wrong shortcodes of invitations", wait))
    }
}
