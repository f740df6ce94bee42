//! Limits of guesses and lookups: so many of a kind within a time, by account or by network.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use crate::error::Refusal;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
/// Keys that a limiter remembers; beyond it, it forgets the one that began first.
const KEYS: usize = 10_000;

/// The limits of the cloud. A successful attempt does not count.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Wrong passwords of an account, from one network.
    pub(crate) sign_in: Limiter,
    /// Wrong passwords from one network.
    pub(crate) sign_in_network: Limiter,
    /// Unknown shortcodes of an account.
    pub(crate) bind: Limiter,
    /// Unknown shortcodes from one network.
    pub(crate) bind_network: Limiter,
    /// Accounts that a server looks up; every lookup counts.
    pub(crate) lookup: Limiter,
}

impl Limits {
    pub(crate) fn new() -> Self {
        Self {
            sign_in: Limiter::new(10, 15 * MINUTE),
            sign_in_network: Limiter::new(50, 15 * MINUTE),
            bind: Limiter::new(10, HOUR),
            bind_network: Limiter::new(30, HOUR),
            lookup: Limiter::new(100, HOUR),
        }
    }
}

/// Counts attempts by key in windows of a fixed length.
#[derive(Debug)]
pub(crate) struct Limiter {
    limit: u32,
    window: i64,
    windows: Mutex<HashMap<String, Window>>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    began: i64,
    attempts: u32,
}

impl Limiter {
    fn new(limit: u32, window: i64) -> Self {
        Self {
            limit,
            window,
            windows: Mutex::default(),
        }
    }

    /// Counts an attempt before it is made, so that parallel ones cannot pass together.
    pub(crate) fn attempt(&self, key: &str, now: i64) -> Result<(), Refusal> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back also ends a window.
        let current = windows
            .get(key)
            .copied()
            .filter(|window| (0..self.window).contains(&(now - window.began)));
        let mut window = current.unwrap_or(Window {
            began: now,
            attempts: 0,
        });
        if window.attempts >= self.limit {
            let left = u64::try_from(window.began + self.window - now).unwrap_or_default();
            return Err(Refusal::TooManyRequests(left.div_ceil(1_000)));
        }
        window.attempts += 1;
        if windows.len() >= KEYS && !windows.contains_key(key) {
            let oldest = windows
                .iter()
                .min_by_key(|(_, window)| window.began)
                .map(|(key, _)| key.clone());
            oldest.and_then(|oldest| windows.remove(&oldest));
        }
        windows.insert(key.to_owned(), window);
        Ok(())
    }

    /// Takes back an attempt that was successful.
    pub(crate) fn succeeded(&self, key: &str) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(window) = windows.get_mut(key) {
            window.attempts = window.attempts.saturating_sub(1);
        }
    }
}

/// The network of a client: an IPv4 address, or the 64-bit network of an IPv6 address.
pub(crate) fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_beyond_the_limit_wait_for_the_end_of_the_window() {
        let limiter = Limiter::new(2, 10_000);
        assert_eq!(limiter.attempt("a", 0), Ok(()));
        assert_eq!(limiter.attempt("a", 4_000), Ok(()));
        assert_eq!(limiter.attempt("a", 8_500), Err(Refusal::TooManyRequests(2)));
        assert_eq!(limiter.attempt("b", 8_500), Ok(()));
        assert_eq!(limiter.attempt("a", 10_000), Ok(()));
    }

    #[test]
    fn successful_attempts_do_not_count() {
        let limiter = Limiter::new(1, 10_000);
        for _ in 0..5 {
            assert_eq!(limiter.attempt("a", 0), Ok(()));
            limiter.succeeded("a");
        }
        assert_eq!(limiter.attempt("a", 0), Ok(()));
        assert!(limiter.attempt("a", 0).is_err());
    }

    #[test]
    fn memory_of_the_limiter_is_bounded() {
        let limiter = Limiter::new(1, 10_000);
        for key in 0..2 * KEYS {
            assert_eq!(limiter.attempt(&key.to_string(), 0), Ok(()));
        }
        assert_eq!(limiter.windows.lock().unwrap().len(), KEYS);
    }

    #[test]
    fn addresses_of_one_ipv6_network_count_together() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2:3::4"), of("2001:db8:1:2:ffff::1"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.7"), "192.0.2.7");
    }
}
