//! Ids, tokens, shortcodes: random texts, of which the database has only the hashes.

use std::io;

use data_encoding::{BASE64URL_NOPAD, Encoding, Specification};
use sha2::{Digest as _, Sha256};
use svc_platform::random::Random;

/// SHA-256 of a secret: what is stored of it, and what it is found by. The secrets are random, so nothing is gained by a
/// slower hash; the comparison of hashes reveals nothing about a secret.
pub(crate) type SecretHash = Vec<u8>;

/// Digits of Crockford's base32.
const CROCKFORD: &str = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Random bytes of ids and shortcodes: 80 bits, 16 digits.
const SHORT_BYTES: usize = 10;
/// Digits of a shortcode.
const SHORTCODE_DIGITS: usize = 16;
/// Random bytes of tokens.
const TOKEN_BYTES: usize = 32;

/// The hash of a secret.
pub(crate) fn hash(secret: &str) -> SecretHash {
    Sha256::digest(secret.as_bytes()).to_vec()
}

/// A token, credential or code of 256 bits after a prefix that names its kind.
pub(crate) fn token(random: &dyn Random, prefix: &str) -> io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    random.fill(&mut bytes)?;
    Ok(format!("{prefix}{}", BASE64URL_NOPAD.encode(&bytes)))
}

/// An id of 80 random bits after a prefix that names its kind.
pub(crate) fn id(random: &dyn Random, prefix: &str) -> io::Result<String> {
    Ok(format!("{prefix}{}", digits(random)?))
}

fn digits(random: &dyn Random) -> io::Result<String> {
    let mut bytes = [0; SHORT_BYTES];
    random.fill(&mut bytes)?;
    Ok(crockford()?.encode(&bytes))
}

fn crockford() -> io::Result<Encoding> {
    let mut specification = Specification::new();
    specification.symbols.push_str(CROCKFORD);
    specification.encoding().map_err(io::Error::other)
}

/// The code of a shareable invitation, without the `-` between its groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shortcode(String);

impl Shortcode {
    pub(crate) fn generate(random: &dyn Random) -> io::Result<Self> {
        digits(random).map(Self)
    }

    /// Reads what a person typed; `None` if it cannot be a shortcode.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut digits = String::with_capacity(SHORTCODE_DIGITS);
        for character in text.chars().filter(|character| !matches!(character, '-' | ' ')) {
            let digit = match character.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            };
            if !CROCKFORD.contains(digit) || digits.len() == SHORTCODE_DIGITS {
                return None;
            }
            digits.push(digit);
        }
        (digits.len() == SHORTCODE_DIGITS).then_some(Self(digits))
    }

    pub(crate) fn hash(&self) -> SecretHash {
        hash(&self.0)
    }
}

impl std::fmt::Display for Shortcode {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, digit) in self.0.chars().enumerate() {
            if at > 0 && at % 4 == 0 {
                formatter.write_str("-")?;
            }
            write!(formatter, "{digit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use svc_platform::random::SystemRandom;

    #[test]
    fn shortcodes_have_eighty_bits_and_are_read_as_people_type_them() {
        let code = Shortcode::generate(&SystemRandom).unwrap();
        let text = code.to_string();
        assert_eq!(text.len(), 19, "{text}");
        for typed in [
            text.clone(),
            text.to_lowercase(),
            text.replace('-', ""),
            text.replace('-', " "),
        ] {
            assert_eq!(Shortcode::read(&typed), Some(code.clone()), "{typed}");
        }
        assert_eq!(
            Shortcode::read("oil0-0000-0000-0000"),
            Shortcode::read("0110-0000-0000-0000")
        );
        for wrong in [
            "",
            "0000-0000-0000-000",
            "0000-0000-0000-00000",
            "0000-0000-0000-000U",
            "é000-0000-0000-0000",
        ] {
            assert_eq!(Shortcode::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn shortcodes_use_every_digit_at_every_place() {
        let mut seen = vec![HashSet::new(); SHORTCODE_DIGITS];
        for _ in 0..2_000 {
            let code = Shortcode::generate(&SystemRandom).unwrap();
            for (at, digit) in code.0.chars().enumerate() {
                seen[at].insert(digit);
            }
        }
        assert!(
            seen.iter().all(|digits| digits.len() == CROCKFORD.len()),
            "{seen:?}"
        );
    }

    #[test]
    fn tokens_differ_and_carry_their_prefix() {
        let tokens: HashSet<String> = (0..1_000)
            .map(|_| token(&SystemRandom, "svc_cloud_").unwrap())
            .collect();
        assert_eq!(tokens.len(), 1_000);
        assert!(
            tokens
                .iter()
                .all(|token| token.starts_with("svc_cloud_") && token.len() == 53)
        );
    }
}
