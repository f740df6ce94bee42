//! Passwords: argon2id, at most two at a time.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use svc_platform::random::Random;
use tokio::sync::Semaphore;

use crate::error::{Error, Refusal, Result};

/// Hashes at the same time; each takes 19 MiB.
const PARALLEL: usize = 2;
/// Sign-ins that wait for their turn. Beyond it they are refused, so that a flood does not delay everybody.
const WAITING: usize = 32;
/// Seconds after which a refused sign-in may be repeated.
const TRY_AGAIN: u64 = 2;
/// Length of a password in bytes.
const LENGTH: std::ops::RangeInclusive<usize> = 8..=256;
/// Salt of the hash that is computed for an unknown account, so that the response takes as long as for a known one.
const DUMMY_SALT: &[u8] = b"no such account!";

/// Hashes and verifies passwords.
#[derive(Debug, Clone)]
pub(crate) struct Passwords {
    turns: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

impl Passwords {
    pub(crate) fn new() -> Self {
        Self {
            turns: Arc::new(Semaphore::new(PARALLEL)),
            places: Arc::new(Semaphore::new(PARALLEL + WAITING)),
        }
    }

    /// Whether the password is that of the stored hash. Without a hash the answer is `false` after the same work.
    pub(crate) async fn verify(&self, password: String, stored: Option<String>) -> Result<bool> {
        let busy = |_| Refusal::TooManyRequests(TRY_AGAIN);
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(busy)?;
        let closed = |error: tokio::sync::AcquireError| Error::Passwords(error.to_string());
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(closed)?;
        let work = move || {
            // Held until the hash is computed, even if the client has disconnected.
            let _held = (place, turn);
            match stored {
                Some(stored) => verify(&password, &stored),
                None => derive(&password, DUMMY_SALT).map(|_| false),
            }
        };
        let worked = tokio::task::spawn_blocking(work).await;
        worked.map_err(|error| Error::Passwords(error.to_string()))?
    }
}

/// The hash of a new password, to store; for the command line.
pub(crate) fn hash(random: &dyn Random, password: &str) -> Result<String> {
    if !LENGTH.contains(&password.len()) {
        return Err(Error::Passwords("a password has 8 to 256 bytes".to_owned()));
    }
    let mut salt = [0; 16];
    random.fill(&mut salt)?;
    derive(password, &salt)
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Passwords(error.to_string())
}

fn derive(password: &str, salt: &[u8]) -> Result<String> {
    let hash: PasswordHash = Argon2::default()
        .hash_password_with_salt(password.as_bytes(), salt)
        .map_err(failed)?;
    Ok(hash.to_string())
}

fn verify(password: &str, stored: &str) -> Result<bool> {
    let stored = PasswordHash::new(stored).map_err(failed)?;
    // Compares in constant time.
    match Argon2::default().verify_password(password.as_bytes(), &stored) {
        Ok(()) => Ok(true),
        Err(argon2::password_hash::Error::PasswordInvalid) => Ok(false),
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_platform::random::SystemRandom;

    #[tokio::test]
    async fn password_matches_only_its_own_hash() {
        let stored = hash(&SystemRandom, "correct horse").unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        let passwords = Passwords::new();
        for (typed, right) in [("correct horse", true), ("correct hors", false), ("", false)] {
            let verdict = passwords
                .verify(typed.to_owned(), Some(stored.clone()))
                .await
                .unwrap();
            assert_eq!(verdict, right, "{typed:?}");
        }
        assert!(!passwords.verify("correct horse".to_owned(), None).await.unwrap());
    }

    #[test]
    fn short_passwords_are_refused() {
        assert!(hash(&SystemRandom, "7 bytes").is_err());
    }
}
