//! Passwords: argon2id in a worker pool, whose size is bounded by memory and cores.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Params, Version};
use tokio::sync::oneshot;

use crate::fair_semaphore::{FairSemaphore, FairSemaphoreLimits, PermitRequest, QueueFull};
use svc_platform::argon2id;
use svc_platform::random::Random;
use svc_platform::worker_pool::{RejectedJob, WorkerPool, WorkerPoolConfig};

/// Memory of one hash in KiB, passes over it, and lanes: the first argon2id configuration that OWASP recommends. Running
/// hashes hold that memory, so `MAX_PARALLEL` bounds the memory that a flood of logins can use.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Hashes at the same time. More would take cores from serving media.
const MAX_PARALLEL: usize = 4;
/// Callers that wait for a thread, counted apart for known clients and others. Beyond it, the semaphore rejects the new
/// caller or one of the address with the most waiting callers.
const MAX_WAITING: usize = 64;
/// Of those, callers from one address.
const MAX_WAITING_PER_NETWORK: usize = 32;
/// How long a caller waits before it is rejected.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// Salt of the hash that is computed for an unknown account, so that the response takes as long as for a known one.
const DUMMY_SALT: &[u8] = b"no such account!";

/// Why a password was not hashed or verified.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The queue is full, or the caller waited too long.
    #[error("too many passwords are being checked")]
    Busy,
    /// Random numbers or memory are not available, or the stored hash is damaged.
    #[error("password hashing failed: {0}")]
    Failed(String),
}

/// A new password: 8 to 256 bytes, not normalized.
#[derive(Clone)]
pub struct NewPassword(String);

impl NewPassword {
    /// Minimum length in bytes.
    pub const MIN_BYTES: usize = 8;
    /// Maximum length in bytes; more would cost time without adding security.
    pub const MAX_BYTES: usize = 256;

    /// `None` if the text is too short or too long.
    pub fn new(text: String) -> Option<Self> {
        (Self::MIN_BYTES..=Self::MAX_BYTES)
            .contains(&text.len())
            .then_some(Self(text))
    }
}

impl std::fmt::Debug for NewPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NewPassword(…)")
    }
}

/// The result of verifying a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The password matches the hash.
    Right {
        /// The hash was computed with weaker parameters than the current ones and should be replaced.
        outdated: bool,
    },
    /// The password does not match, or there is no hash.
    Wrong,
}

struct Shared {
    semaphore: FairSemaphore,
    workers: WorkerPool,
    random: Arc<dyn Random>,
    hashes: std::sync::atomic::AtomicU64,
}

/// The service that hashes and verifies passwords. Clones share one worker pool.
#[derive(Clone)]
pub struct Passwords(Arc<Shared>);

impl std::fmt::Debug for Passwords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Passwords")
            .field("semaphore", &self.0.semaphore)
            .finish()
    }
}

impl From<QueueFull> for PasswordError {
    fn from(_: QueueFull) -> Self {
        Self::Busy
    }
}

impl From<RejectedJob> for PasswordError {
    fn from(_: RejectedJob) -> Self {
        Self::Busy
    }
}

impl Passwords {
    /// Starts the threads.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn start(random: Arc<dyn Random>) -> io::Result<Self> {
        let threads = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(MAX_PARALLEL);
        let workers = WorkerPool::start(WorkerPoolConfig {
            name: "passwords",
            threads,
            // The semaphore admits one job per thread: one that it admits is never rejected.
            queue: threads,
            niceness: 0,
        })?;
        let semaphore = FairSemaphore::new(FairSemaphoreLimits {
            permits: threads,
            waiters: MAX_WAITING,
            waiters_per_network: MAX_WAITING_PER_NETWORK,
            timeout: MAX_WAIT,
        });
        Ok(Self(Arc::new(Shared {
            semaphore,
            workers,
            random,
            hashes: Default::default(),
        })))
    }

    /// The hash to store for a password, as a PHC string.
    ///
    /// # Errors
    /// Busy, or hashing failed.
    pub async fn hash(&self, by: PermitRequest, password: NewPassword) -> Result<String, PasswordError> {
        let mut salt = [0; 16];
        self.0
            .random
            .fill(&mut salt)
            .map_err(|error| PasswordError::Failed(error.to_string()))?;
        self.run(by, move || hash(password.0.as_bytes(), &salt, params()?))
            .await?
    }

    /// Verifies a password against a stored hash. Without a hash the result is `Wrong` after the same work, so that the
    /// duration does not reveal whether the account exists.
    ///
    /// # Errors
    /// Busy, or the stored hash is damaged.
    pub async fn verify(
        &self,
        by: PermitRequest,
        password: String,
        stored: Option<String>,
    ) -> Result<Verdict, PasswordError> {
        self.run(by, move || match stored {
            Some(stored) => verify(password.as_bytes(), &stored),
            None => hash(password.as_bytes(), DUMMY_SALT, params()?).map(|_| Verdict::Wrong),
        })
        .await?
    }

    /// Whether the next password would have to wait.
    pub fn all_busy(&self) -> bool {
        self.0.semaphore.is_exhausted()
    }

    /// Number of hashes that were computed since the start.
    pub fn hashes(&self) -> u64 {
        self.0.hashes.load(std::sync::atomic::Ordering::SeqCst)
    }

    async fn run<T: Send + 'static>(
        &self,
        by: PermitRequest,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let permit = self.0.semaphore.acquire(by).await?;
        self.0.hashes.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let (answer, answered) = oneshot::channel();
        self.0.workers.spawn(move || {
            // The permit is held while the hash is computed, even if the client has disconnected.
            let _permit = permit;
            let _ = answer.send(work());
        })?;
        answered
            .await
            .map_err(|_| PasswordError::Failed("the computation panicked".to_owned()))
    }
}

fn failed(error: impl std::fmt::Display) -> PasswordError {
    PasswordError::Failed(error.to_string())
}

fn params() -> Result<Params, PasswordError> {
    Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(failed)
}

fn derive(password: &[u8], salt: &[u8], params: Params) -> Result<Output, PasswordError> {
    let output = argon2id::derive(password, salt, params).map_err(failed)?;
    Output::new(&output).map_err(failed)
}

fn hash(password: &[u8], salt: &[u8], params: Params) -> Result<String, PasswordError> {
    let hash = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(&params).map_err(failed)?,
        salt: Some(Salt::new(salt).map_err(failed)?),
        hash: Some(derive(password, salt, params)?),
    };
    Ok(hash.to_string())
}

fn verify(password: &[u8], stored: &str) -> Result<Verdict, PasswordError> {
    let stored = PasswordHash::new(stored).map_err(failed)?;
    let is_ours =
        stored.algorithm == Algorithm::Argon2id.ident() && stored.version == Some(Version::V0x13.into());
    let (Some(salt), Some(expected), true) = (&stored.salt, &stored.hash, is_ours) else {
        return Err(failed("the stored hash is not an argon2id hash"));
    };
    let made_with = Params::try_from(&stored).map_err(failed)?;
    let current = params()?;
    let outdated = made_with.m_cost() < current.m_cost() || made_with.t_cost() < current.t_cost();
    // `Output` compares in constant time.
    if derive(password, salt, made_with)? == *expected {
        Ok(Verdict::Right { outdated })
    } else {
        Ok(Verdict::Wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_covers::covers;
    use svc_platform::random::SystemRandom;

    fn passwords() -> Passwords {
        Passwords::start(Arc::new(SystemRandom)).unwrap()
    }

    fn anyone() -> PermitRequest {
        PermitRequest {
            network: None.into(),
            known: false,
        }
    }

    fn new_password(text: &str) -> NewPassword {
        NewPassword::new(text.to_owned()).unwrap()
    }

    #[tokio::test]
    async fn password_matches_only_its_own_hash() {
        let passwords = passwords();
        let hash = passwords
            .hash(anyone(), new_password("correct horse"))
            .await
            .unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_ne!(
            hash,
            passwords
                .hash(anyone(), new_password("correct horse"))
                .await
                .unwrap()
        );
        let verify = |text: &str, stored: Option<&str>| {
            let (text, stored) = (text.to_owned(), stored.map(str::to_owned));
            let passwords = passwords.clone();
            async move { passwords.verify(anyone(), text, stored).await }
        };
        assert_eq!(
            verify("correct horse", Some(&hash)).await.unwrap(),
            Verdict::Right { outdated: false }
        );
        for wrong in ["Correct horse", "correct horse ", "", "correct hors"] {
            assert_eq!(
                verify(wrong, Some(&hash)).await.unwrap(),
                Verdict::Wrong,
                "{wrong:?}"
            );
        }
        for anything in ["", "correct horse"] {
            assert_eq!(verify(anything, None).await.unwrap(), Verdict::Wrong);
        }
    }

    #[tokio::test]
    async fn weaker_hash_is_accepted_and_marked_outdated() {
        let params = Params::new(8192, 1, 1, None).unwrap();
        let weak = hash(b"password", b"some salt of 16b", params).unwrap();
        let verdict = passwords()
            .verify(anyone(), "password".into(), Some(weak))
            .await
            .unwrap();
        assert_eq!(verdict, Verdict::Right { outdated: true });
    }

    #[tokio::test]
    async fn damaged_hash_never_matches() {
        for damaged in [
            "",
            "x",
            "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ",
            "$2b$12$abcdefghijklmnopqrstuv",
        ] {
            let outcome = passwords()
                .verify(anyone(), "password".into(), Some(damaged.into()))
                .await;
            assert!(!matches!(outcome, Ok(Verdict::Right { .. })), "{damaged:?}");
        }
    }

    #[covers("code busy", "T20")]
    #[tokio::test]
    async fn passwords_beyond_the_queue_are_rejected_as_busy() {
        let passwords = passwords();
        let flood = (0..200).map(|_| {
            let passwords = passwords.clone();
            async move { passwords.verify(anyone(), "x".into(), None).await }
        });
        let outcomes: Vec<_> = futures_join(flood).await;
        let busy = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Err(PasswordError::Busy)))
            .count();
        assert!(busy >= 200 - MAX_WAITING_PER_NETWORK - MAX_PARALLEL, "{busy}");
        assert!(outcomes.iter().any(Result::is_ok));
    }

    #[covers("T20")]
    #[tokio::test]
    async fn password_from_another_address_is_verified_during_a_flood() {
        let passwords = passwords();
        let mut flood = tokio::task::JoinSet::new();
        for _ in 0..200 {
            let passwords = passwords.clone();
            flood.spawn(async move { passwords.verify(anyone(), "x".into(), None).await });
        }
        for last in 0..8 {
            let by = PermitRequest {
                network: Some(std::net::IpAddr::from([192, 0, 2, last])).into(),
                known: false,
            };
            let verdict = passwords.verify(by, "x".into(), None).await;
            assert_eq!(verdict.unwrap(), Verdict::Wrong);
        }
        flood.join_all().await;
    }

    async fn futures_join<F: Future<Output: Send + 'static> + Send + 'static>(
        futures: impl Iterator<Item = F>,
    ) -> Vec<F::Output> {
        let mut tasks = tokio::task::JoinSet::new();
        futures.for_each(|future| {
            tasks.spawn(future);
        });
        tasks.join_all().await
    }

    #[test]
    fn password_length_is_counted_in_bytes() {
        for (text, good) in [("1234567", false), ("12345678", true), ("pässwö", true)] {
            assert_eq!(NewPassword::new(text.to_owned()).is_some(), good, "{text}");
        }
        assert!(NewPassword::new("x".repeat(256)).is_some());
        assert!(NewPassword::new("x".repeat(257)).is_none());
    }
}
