//! Shortcodes: the secrets of the invitations of this server, short enough to be typed.

use std::io;

use crate::secret_token::TokenHash;
use crate::typed_code;
use svc_platform::random::Random;

/// 10 characters of 5 bits. 50 random bits suffice because each client network has few guesses.
const LENGTH: usize = 10;
/// The purpose of the hashes.
const PURPOSE: &str = "invitation";

/// A shortcode: a typed code of 10 characters.
#[derive(Clone, PartialEq, Eq)]
pub struct Shortcode(String);

impl std::fmt::Debug for Shortcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shortcode(…)")
    }
}

impl Shortcode {
    /// Generates a shortcode.
    ///
    /// # Errors
    /// Fails if the system has no randomness.
    pub fn generate(random: &dyn Random) -> io::Result<Self> {
        typed_code::generate(random, LENGTH).map(Self)
    }

    /// Reads what a person typed.
    pub fn parse(text: &str) -> Option<Self> {
        typed_code::parse(text, LENGTH).map(Self)
    }

    /// The hash to store.
    pub fn hash(&self, key: &[u8; 32]) -> TokenHash {
        typed_code::hash(key, PURPOSE, &self.0)
    }

    /// The text, shown to the inviter once.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use super::*;
    use svc_covers::covers;
    use svc_platform::random::SystemRandom;

    #[covers("T33")]
    #[test]
    fn shortcodes_use_all_characters_equally_and_never_repeat() {
        const CODES: usize = 100_000;
        let mut seen = HashSet::new();
        let mut counts = BTreeMap::<(usize, char), usize>::new();
        for _ in 0..CODES {
            let code = Shortcode::generate(&SystemRandom).unwrap();
            for (place, letter) in code.secret().chars().enumerate() {
                *counts.entry((place, letter)).or_default() += 1;
            }
            assert_eq!(Shortcode::parse(code.secret()), Some(code.clone()));
            assert!(seen.insert(code.secret().to_owned()));
        }
        assert_eq!(counts.len(), LENGTH * 32);
        // 3,125 on average, with a standard deviation of 55.
        for (place, count) in counts {
            assert!((2_700..3_550).contains(&count), "{place:?} {count}");
        }
    }

    #[test]
    fn typed_variants_are_one_shortcode() {
        let code = Shortcode::parse("7K2M0RB1D1").unwrap();
        assert_eq!(Shortcode::parse(" 7k2mo-rbid l "), Some(code));
        for wrong in ["", "7K2M0RB1D", "7K2M0RB1D11"] {
            assert_eq!(Shortcode::parse(wrong), None, "{wrong}");
        }
    }

    #[covers("T33")]
    #[test]
    fn hash_depends_on_code_and_key_and_is_of_no_other_purpose() {
        let (text, key) = ("7K2M0RB1D1", [1; 32]);
        let code = Shortcode::parse(text).unwrap();
        let other = Shortcode::parse("7K2M0RB1D2").unwrap();
        assert_eq!(code.hash(&key), code.hash(&key));
        assert_ne!(code.hash(&key), code.hash(&[2; 32]));
        assert_ne!(code.hash(&key), other.hash(&key));
        assert_ne!(code.hash(&key), typed_code::hash(&key, "device", text));
    }
}
