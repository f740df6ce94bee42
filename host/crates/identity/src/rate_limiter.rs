//! Buckets of tokens that fill up with time: how often something may be done.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Buckets that are remembered; beyond it, full ones are forgotten, which changes nothing.
pub(super) const MAX_BUCKETS: usize = 100_000;

/// How many at once, and how long until one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Tokens of a full bucket.
    pub burst: u32,
    /// Time for one token.
    pub refill: Duration,
}

impl RateLimit {
    /// So many at once, one more in each `refill_seconds`.
    pub const fn new(burst: u32, refill_seconds: u64) -> Self {
        Self {
            burst,
            refill: Duration::from_secs(refill_seconds),
        }
    }
}

/// Buckets by key.
#[derive(Debug)]
pub struct RateLimiter<K> {
    pub(super) rate: RateLimit,
    buckets: Mutex<HashMap<K, Bucket>>,
}

/// Tokens that were taken and have not come back, as of a moment. Counted in tokens, not in time: the refill may
/// change between two attempts.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    missing: f64,
    at: Instant,
}

impl Bucket {
    fn missing_at(&self, now: Instant, refill: Duration) -> f64 {
        let back = now.duration_since(self.at).as_secs_f64() / refill.as_secs_f64();
        (self.missing - back).max(0.0)
    }
}

impl<K: Eq + Hash> RateLimiter<K> {
    /// Full buckets.
    pub fn new(rate: RateLimit) -> Self {
        Self {
            rate,
            buckets: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Bucket>> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a token.
    ///
    /// # Errors
    /// How long until there is one.
    pub fn try_acquire(&self, key: K) -> Result<(), Duration> {
        self.try_acquire_at(key, self.rate.refill)
    }

    pub(super) fn try_acquire_at(&self, key: K, refill: Duration) -> Result<(), Duration> {
        // Quotients of times are not exact.
        const TOLERANCE: f64 = 1e-6;
        let now = Instant::now();
        let mut buckets = self.lock();
        if buckets.len() >= MAX_BUCKETS {
            buckets.retain(|_, bucket| bucket.missing_at(now, self.rate.refill) > 0.0);
        }
        let bucket = buckets.entry(key).or_insert(Bucket {
            missing: 0.0,
            at: now,
        });
        let missing = bucket.missing_at(now, refill);
        *bucket = Bucket { missing, at: now };
        let beyond = missing + 1.0 - f64::from(self.rate.burst);
        if beyond > TOLERANCE {
            return Err(refill.mul_f64(beyond));
        }
        bucket.missing += 1.0;
        Ok(())
    }

    /// Gives a token back.
    pub fn refund(&self, key: &K) {
        if let Some(bucket) = self.lock().get_mut(key) {
            bucket.missing = (bucket.missing - 1.0).max(0.0);
        }
    }

    /// Fills all buckets.
    pub fn clear(&self) {
        self.lock().clear();
    }
}
