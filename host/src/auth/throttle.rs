//! Limits on how often something may be tried: buckets of tokens that fill up with time.
//!
//! Only wrong passwords cost anything. An attempt takes its tokens before the password is compared, so that a
//! thousand at once are bounded as well, and gets them back when it was right.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::domain::id::UserId;

/// Buckets that are remembered; beyond it, full ones are forgotten, which changes nothing.
const MAX_BUCKETS: usize = 100_000;
/// Wrong passwords in a row after which an account's own bucket fills more slowly (NIST SP 800-63B: at most 100).
const CONSECUTIVE_FAILURES: u32 = 100;

/// How many at once, and how long until one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Tokens of a full bucket.
    pub burst: u32,
    /// Time for one token.
    pub refill: Duration,
}

impl Rate {
    /// So many at once, one more in each `refill_seconds`.
    pub const fn new(burst: u32, refill_seconds: u64) -> Self {
        Self {
            burst,
            refill: Duration::from_secs(refill_seconds),
        }
    }
}

/// Buckets by key. A bucket is the moment at which it will be full again.
#[derive(Debug)]
pub struct Buckets<K> {
    rate: Rate,
    full_at: Mutex<HashMap<K, Instant>>,
}

impl<K: Eq + Hash> Buckets<K> {
    /// Full buckets.
    pub fn new(rate: Rate) -> Self {
        Self {
            rate,
            full_at: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Instant>> {
        self.full_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a token.
    ///
    /// # Errors
    /// How long until there is one.
    pub fn take(&self, key: K) -> Result<(), Duration> {
        self.take_at(key, self.rate.refill)
    }

    fn take_at(&self, key: K, refill: Duration) -> Result<(), Duration> {
        let now = Instant::now();
        let mut buckets = self.lock();
        if buckets.len() >= MAX_BUCKETS {
            buckets.retain(|_, full_at| *full_at > now);
        }
        let full_at = buckets.entry(key).or_insert(now);
        let after = (*full_at).max(now) + refill;
        let missing = after.duration_since(now);
        let room = refill * self.rate.burst;
        if missing > room {
            return Err(missing - room);
        }
        *full_at = after;
        Ok(())
    }

    /// Gives a token back.
    pub fn give_back(&self, key: &K) {
        if let Some(full_at) = self.lock().get_mut(key) {
            *full_at = full_at.checked_sub(self.rate.refill).unwrap_or(*full_at);
        }
    }

    /// Fills all buckets.
    pub fn clear(&self) {
        self.lock().clear();
    }
}

/// The limits on wrong passwords.
#[derive(Debug, Clone, Copy)]
pub struct LoginLimits {
    /// For one account from one address.
    pub user_and_address: Rate,
    /// For one account, from wherever.
    pub user: Rate,
    /// For one account after a hundred wrong passwords in a row.
    pub user_refill_after_many: Duration,
    /// From one address, for any account and for none.
    pub address: Rate,
}

impl Default for LoginLimits {
    fn default() -> Self {
        Self {
            user_and_address: Rate::new(20, 10),
            user: Rate::new(40, 60),
            user_refill_after_many: Duration::from_secs(600),
            address: Rate::new(100, 1),
        }
    }
}

/// Whose password is tried. A name that nobody has is limited like one that somebody has: the limits must not tell
/// them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// An account.
    Account(UserId),
    /// The digest of another name.
    Name(u64),
}

/// An address as limits see it: a network of IPv6 is one party, since a single machine has all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Party(IpAddr);

impl From<Option<IpAddr>> for Party {
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

impl std::fmt::Display for Party {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Debug)]
struct Shared {
    user_and_address: Buckets<(Subject, Party)>,
    user: Buckets<Subject>,
    address: Buckets<Party>,
    failures_in_a_row: Mutex<HashMap<Subject, u32>>,
    user_refill_after_many: Duration,
}

/// Who may try a password.
#[derive(Debug, Clone)]
pub struct LoginThrottle(Arc<Shared>);

/// A password that is being tried. It counts as wrong unless somebody says that it was right.
#[derive(Debug)]
#[must_use]
pub struct Attempt {
    shared: Arc<Shared>,
    user: Option<Subject>,
    party: Party,
    took_user: bool,
}

impl LoginThrottle {
    /// With these limits.
    pub fn new(limits: LoginLimits) -> Self {
        Self(Arc::new(Shared {
            user_and_address: Buckets::new(limits.user_and_address),
            user: Buckets::new(limits.user),
            address: Buckets::new(limits.address),
            failures_in_a_row: Mutex::default(),
            user_refill_after_many: limits.user_refill_after_many,
        }))
    }

    /// Lets an attempt begin. From an address that the account is known to use, the account's own bucket does not
    /// count: a flood from elsewhere must not lock its owner out.
    ///
    /// # Errors
    /// How long to wait.
    pub fn begin(&self, user: Option<Subject>, party: Party, known: bool) -> Result<Attempt, Duration> {
        let shared = &self.0;
        shared.address.take(party)?;
        if let Some(user) = user {
            if let Err(wait) = shared.user_and_address.take((user, party)) {
                shared.address.give_back(&party);
                return Err(wait);
            }
            if !known && let Err(wait) = shared.user.take_at(user, shared.user_refill(user)) {
                shared.address.give_back(&party);
                shared.user_and_address.give_back(&(user, party));
                return Err(wait);
            }
            if matches!(user, Subject::Account(_)) {
                *shared.failures().entry(user).or_insert(0) += 1;
            }
        }
        Ok(Attempt {
            shared: Arc::clone(shared),
            user,
            party,
            took_user: !known,
        })
    }

    /// Forgets everything, as after a reset of the server.
    pub fn clear(&self) {
        self.0.user_and_address.clear();
        self.0.user.clear();
        self.0.address.clear();
        self.0.failures().clear();
    }
}

impl Shared {
    fn failures(&self) -> MutexGuard<'_, HashMap<Subject, u32>> {
        self.failures_in_a_row
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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

impl Attempt {
    /// It was right, or never compared: it costs nothing.
    pub fn forgive(self) {
        self.shared.address.give_back(&self.party);
        if let Some(user) = self.user {
            self.shared.user_and_address.give_back(&(user, self.party));
            if self.took_user {
                self.shared.user.give_back(&user);
            }
            self.shared.failures().remove(&user);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn party(last: u8) -> Party {
        Party::from(Some(IpAddr::from([192, 0, 2, last])))
    }

    fn account(number: i64) -> Subject {
        Subject::Account(UserId::from(number))
    }

    fn throttle() -> LoginThrottle {
        LoginThrottle::new(LoginLimits::default())
    }

    /// How many of `tries` attempts begin.
    fn begun(throttle: &LoginThrottle, tries: usize, user: i64, address: impl Fn(usize) -> u8) -> usize {
        (0..tries)
            .filter(|number| {
                throttle
                    .begin(Some(account(user)), party(address(*number)), false)
                    .is_ok()
            })
            .count()
    }

    #[tokio::test(start_paused = true)]
    async fn wrong_passwords_are_bounded_from_one_address_and_from_many() {
        assert_eq!(begun(&throttle(), 1000, 1, |_| 1), 20);
        assert_eq!(begun(&throttle(), 1000, 1, |number| number as u8), 40);
    }

    #[tokio::test(start_paused = true)]
    async fn names_that_nobody_has_are_bounded_alike() {
        let throttle = throttle();
        let begin = |number| {
            throttle
                .begin(Some(Subject::Name(7)), party(number), false)
                .is_ok()
        };
        assert_eq!((0..1000).filter(|_| begin(1)).count(), 20);
        assert_eq!((0..1000).filter(|number| begin(*number as u8)).count(), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn logins_without_a_name_are_bounded_by_address() {
        let throttle = throttle();
        let begun = (0..500)
            .filter(|_| throttle.begin(None, party(1), false).is_ok())
            .count();
        assert_eq!(begun, 100);
    }

    #[tokio::test(start_paused = true)]
    async fn right_passwords_cost_nothing() {
        let throttle = throttle();
        for _ in 0..500 {
            throttle
                .begin(Some(account(1)), party(1), false)
                .unwrap()
                .forgive();
        }
        assert_eq!(begun(&throttle, 100, 1, |_| 1), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn buckets_fill_with_time_and_say_how_long_it_takes() {
        let throttle = throttle();
        begun(&throttle, 20, 1, |_| 1);
        let wait = throttle.begin(Some(account(1)), party(1), false).unwrap_err();
        assert_eq!(wait, Duration::from_secs(10));
        tokio::time::advance(wait).await;
        assert_eq!(begun(&throttle, 5, 1, |_| 1), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn owner_gets_in_from_a_known_address_while_others_are_locked_out() {
        let throttle = throttle();
        begun(&throttle, 1000, 1, |number| number as u8 % 100 + 100);
        let user = Some(account(1));
        assert!(throttle.begin(user, party(1), false).is_err());
        assert!(throttle.begin(user, party(1), true).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_hundred_failures_in_a_row_slow_the_account_down() {
        let throttle = throttle();
        let user = Some(account(1));
        for number in 0..100 {
            tokio::time::advance(Duration::from_secs(60)).await;
            let _counted = throttle.begin(user, party(number), false).unwrap();
        }
        while throttle.begin(user, party(200), false).is_ok() {}
        tokio::time::advance(Duration::from_secs(120)).await;
        assert!(
            throttle.begin(user, party(201), false).is_err(),
            "one in 10 minutes"
        );
        tokio::time::advance(Duration::from_secs(600)).await;
        assert!(throttle.begin(user, party(201), false).is_ok());
    }

    #[test]
    fn a_network_of_ipv6_is_one_party() {
        let of = |text: &str| Party::from(Some(text.parse().unwrap()));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8:0:1::1"), of("2001:db8:0:2::1"));
        assert_eq!(of("::ffff:192.0.2.1"), party(1));
    }
}
