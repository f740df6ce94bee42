//! Shortcodes: the secrets of the invitations of this server, short enough to be typed.

use std::io;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use svc_platform::random::Random;

/// Crockford's base32: no I, L, O and U.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// 10 characters of 5 bits. 50 random bits suffice because each client network has few guesses.
const LENGTH: usize = 10;

/// A shortcode: 10 characters of Crockford's base32, in upper case.
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
        let mut bytes = [0; LENGTH];
        random.fill(&mut bytes)?;
        // 256 is a multiple of 32, so every character is equally likely.
        let letters = bytes
            .iter()
            .filter_map(|byte| ALPHABET.get(usize::from(byte % 32)));
        Ok(Self(letters.map(|letter| char::from(*letter)).collect()))
    }

    /// Reads what a person typed: in any case, with spaces and hyphens, `O` for 0, `I` and `L` for 1.
    pub fn parse(text: &str) -> Option<Self> {
        let letters = text.chars().filter(|letter| !matches!(letter, ' ' | '-'));
        let letters = letters.map(|letter| match letter.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        });
        // A text without end is not read to its end.
        let code: String = letters.take(LENGTH + 1).collect();
        let is_valid = code.len() == LENGTH && code.bytes().all(|letter| ALPHABET.contains(&letter));
        is_valid.then_some(Self(code))
    }

    /// The hash to store. It depends on a key outside of the database: without the key, 50 bits could be found by
    /// trying all of them.
    pub fn hash(&self, key: &[u8; 32]) -> [u8; 32] {
        // HMAC pads a shorter key with zeros; a key of block length is always accepted.
        let mut block = [0; 64];
        for (to, from) in block.iter_mut().zip(key) {
            *to = *from;
        }
        Hmac::<Sha256>::new(&block.into())
            .chain_update(self.0.as_bytes())
            .finalize()
            .into_bytes()
            .into()
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
        assert_eq!(counts.len(), LENGTH * ALPHABET.len());
        // 3,125 on average, with a standard deviation of 55.
        for (place, count) in counts {
            assert!((2_700..3_550).contains(&count), "{place:?} {count}");
        }
    }

    #[test]
    fn typed_variants_are_one_shortcode() {
        let code = Shortcode::parse("7K2M0RB1D1").unwrap();
        for typed in ["7k2m0rb1d1", "7K2MO-RBID1", " 7k2 mo rbl di ", "7K2M0-RB1DL"] {
            assert_eq!(Shortcode::parse(typed), Some(code.clone()), "{typed}");
        }
        for wrong in [
            "",
            "7K2M0RB1D",
            "7K2M0RB1D11",
            "7K2M0RB1DU",
            "7K2M0RB1D%",
            "7K2M0RB1Dé",
            "7K2M0RB1D\n",
        ] {
            assert_eq!(Shortcode::parse(wrong), None, "{wrong}");
        }
    }

    #[covers("T33")]
    #[test]
    fn hash_depends_on_code_and_key() {
        let code = Shortcode::parse("7K2M0RB1D1").unwrap();
        let other = Shortcode::parse("7K2M0RB1D2").unwrap();
        assert_eq!(code.hash(&[1; 32]), code.hash(&[1; 32]));
        assert_ne!(code.hash(&[1; 32]), code.hash(&[2; 32]));
        assert_ne!(code.hash(&[1; 32]), other.hash(&[1; 32]));
    }
}
