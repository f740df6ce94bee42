//! Limits wrong passwords per account and network.
//!
//! An attempt takes its tokens before the password is compared, so that concurrent attempts are limited as well, and
//! gets them back if the password was correct.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::rate_limiter::{MAX_BUCKETS, RateLimit, RateLimiter};
use svc_domain::id::UserId;

/// Consecutive wrong passwords after which the account's bucket refills more slowly (NIST SP 800-63B: at most 100).
const CONSECUTIVE_FAILURES: u32 = 100;
/// How long an attempt waits for running attempts of the same network.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Rate limits on wrong passwords.
#[derive(Debug, Clone, Copy)]
pub struct LoginLimits {
    /// Per account and network.
    pub user_and_address: RateLimit,
    /// Per account, over all networks.
    pub user: RateLimit,
    /// Per account after a hundred consecutive wrong passwords.
    pub user_refill_after_many: Duration,
    /// Per network, over all accounts.
    pub address: RateLimit,
}

impl Default for LoginLimits {
    fn default() -> Self {
        Self {
            user_and_address: RateLimit::new(20, 10),
            user: RateLimit::new(40, 60),
            user_refill_after_many: Duration::from_secs(600),
            address: RateLimit::new(100, 1),
        }
    }
}

/// Whose password is tried. Unknown names are limited like accounts, so that the limits do not reveal which accounts
/// exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// An account.
    Account(UserId),
    /// Hash of a name without an account.
    Name(u64),
}

/// The network to which limits apply: an IPv4 address or an IPv6 /64, since one machine has a whole /64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientNetwork(IpAddr);

impl From<Option<IpAddr>> for ClientNetwork {
    fn from(address: Option<IpAddr>) -> Self {
        Self(match address.map(|address| address.to_canonical()) {
            Some(IpAddr::V6(address)) => {
                let network = u128::from(address) & !u128::from(u64::MAX);
                Ipv6Addr::from(network).into()
            }
            Some(address) => address,
            None => Ipv4Addr::UNSPECIFIED.into(),
        })
    }
}

impl std::fmt::Display for ClientNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Debug)]
struct Shared {
    user_and_address: RateLimiter<(Subject, ClientNetwork)>,
    user: RateLimiter<Subject>,
    address: RateLimiter<ClientNetwork>,
    consecutive_failures: Mutex<HashMap<Subject, u32>>,
    user_refill_after_many: Duration,
    /// Running attempts by network; `ended` notifies when one ends.
    running: Mutex<HashMap<ClientNetwork, u32>>,
    ended: Notify,
    name_hasher: RandomState,
}

/// Limits password attempts.
#[derive(Debug, Clone)]
pub struct LoginThrottle(Arc<Shared>);

/// A running attempt. It counts as wrong unless `forgive` is called.
#[derive(Debug)]
#[must_use]
pub struct Attempt {
    shared: Arc<Shared>,
    user: Option<Subject>,
    network: ClientNetwork,
    took_user: bool,
}

impl LoginThrottle {
    /// Creates a throttle with these limits.
    pub fn new(limits: LoginLimits) -> Self {
        Self(Arc::new(Shared {
            user_and_address: RateLimiter::new(limits.user_and_address),
            user: RateLimiter::new(limits.user),
            address: RateLimiter::new(limits.address),
            consecutive_failures: Mutex::default(),
            user_refill_after_many: limits.user_refill_after_many,
            running: Mutex::default(),
            ended: Notify::new(),
            name_hasher: RandomState::new(),
        }))
    }

    /// A name without an account, by its comparison key.
    pub fn unknown_name(&self, key: &str) -> Subject {
        Subject::Name(self.0.name_hasher.hash_one(key))
    }

    /// As [`LoginThrottle::begin`], but if no token is left, waits for running attempts of the same network, whose
    /// tokens come back if their passwords are correct. Correct passwords are therefore not delayed for long.
    ///
    /// # Errors
    /// Time until a retry makes sense.
    pub async fn begin_in_turn(
        &self,
        user: Option<Subject>,
        network: ClientNetwork,
        known: bool,
    ) -> Result<Attempt, Duration> {
        let patience = Instant::now() + MAX_WAIT;
        loop {
            let mut ended = std::pin::pin!(self.0.ended.notified());
            // Enabled before the check, so that no notification is missed.
            ended.as_mut().enable();
            let wait = match self.begin(user, network, known) {
                Ok(attempt) => return Ok(attempt),
                Err(wait) => wait,
            };
            let others = self.0.running().contains_key(&network);
            if !others || tokio::time::timeout_at(patience, ended).await.is_err() {
                return Err(wait);
            }
        }
    }

    /// Begins an attempt. From an address known for the account, the account's own bucket is not checked: attacks from
    /// elsewhere must not lock out its owner.
    ///
    /// # Errors
    /// Time until a retry makes sense.
    pub fn begin(
        &self,
        user: Option<Subject>,
        network: ClientNetwork,
        known: bool,
    ) -> Result<Attempt, Duration> {
        let shared = &self.0;
        shared.address.try_acquire(network)?;
        if let Some(user) = user {
            if let Err(wait) = shared.user_and_address.try_acquire((user, network)) {
                shared.address.refund(&network);
                return Err(wait);
            }
            if !known && let Err(wait) = shared.user.try_acquire_at(user, shared.user_refill(user)) {
                shared.address.refund(&network);
                shared.user_and_address.refund(&(user, network));
                return Err(wait);
            }
            let mut failures = shared.failures();
            if failures.len() >= MAX_BUCKETS {
                // Attackers can invent names without bound, but not accounts.
                failures.retain(|subject, _| matches!(subject, Subject::Account(_)));
            }
            let count = failures.entry(user).or_insert(0);
            *count = count.saturating_add(1);
        }
        *shared.running().entry(network).or_insert(0) += 1;
        Ok(Attempt {
            shared: Arc::clone(shared),
            user,
            network,
            took_user: !known,
        })
    }

    /// Resets all limits, as after a factory reset.
    pub fn clear(&self) {
        self.0.user_and_address.clear();
        self.0.user.clear();
        self.0.address.clear();
        self.0.failures().clear();
    }
}

impl Shared {
    fn failures(&self) -> MutexGuard<'_, HashMap<Subject, u32>> {
        self.consecutive_failures
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, HashMap<ClientNetwork, u32>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn user_refill(&self, user: Subject) -> Duration {
        if self
            .failures()
            .get(&user)
            .is_some_and(|count| *count >= CONSECUTIVE_FAILURES)
        {
            self.user_refill_after_many
        } else {
            self.user.rate.refill
        }
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        let mut running = self.shared.running();
        if let Some(count) = running.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                running.remove(&self.network);
            }
        }
        drop(running);
        self.shared.ended.notify_waiters();
    }
}

impl Attempt {
    /// Returns the tokens: the password was correct or was not compared.
    pub fn refund_all(self) {
        self.shared.address.refund(&self.network);
        if let Some(user) = self.user {
            self.shared.user_and_address.refund(&(user, self.network));
            if self.took_user {
                self.shared.user.refund(&user);
            }
            self.shared.failures().remove(&user);
        }
    }
}

#[cfg(test)]
#[path = "throttle_tests.rs"]
mod tests;
