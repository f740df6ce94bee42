//! A rate limiter with one token bucket per key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Maximum number of buckets in memory; beyond it, full buckets are dropped, which has no effect.
pub(super) const MAX_BUCKETS: usize = 100_000;

/// Burst and refill rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// Capacity of a bucket in tokens.
    pub burst: u32,
    /// Time to refill one token.
    pub refill: Duration,
}

impl RateLimit {
    /// A bucket of `burst` tokens that gains one token every `refill_seconds`.
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

/// Consumed tokens at a point in time. Measured in tokens instead of time, because the refill rate may change between
/// two attempts.
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
    /// All buckets start full.
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
    /// Time until a token is available.
    pub fn try_acquire(&self, key: K) -> Result<(), Duration> {
        self.try_acquire_at(key, self.rate.refill)
    }

    pub(super) fn try_acquire_at(&self, key: K, refill: Duration) -> Result<(), Duration> {
        // Divisions of durations are inexact.
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

    /// Returns a token to the bucket.
    pub fn refund(&self, key: &K) {
        if let Some(bucket) = self.lock().get_mut(key) {
            bucket.missing = (bucket.missing - 1.0).max(0.0);
        }
    }

    /// Refills all buckets.
    pub fn clear(&self) {
        self.lock().clear();
    }
}
