//! Codes that people read aloud and type: Crockford base32, which tells no letters apart that look alike.
//!
//! User codes of devices and shortcodes of invitations. They are short: without a key that is not in the database, their
//! stored hashes could be reversed by trying all codes.

use std::io;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::secret_token::TokenHash;
use svc_platform::random::Random;

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A code of `length` characters, of 5 random bits each.
///
/// # Errors
/// Fails if the system has no randomness.
pub fn generate(random: &dyn Random, length: usize) -> io::Result<String> {
    let mut bytes = vec![0; length];
    random.fill(&mut bytes)?;
    // 32 divides 256, so all characters are equally likely.
    let letters = bytes
        .iter()
        .filter_map(|byte| ALPHABET.get(usize::from(byte % 32)));
    Ok(letters.map(|letter| char::from(*letter)).collect())
}

/// The code that a person typed, in any case, with spaces and hyphens anywhere, and with letters that the alphabet lacks
/// because they look like a digit. `None` if it is not a code of `length` characters.
pub fn parse(text: &str, length: usize) -> Option<String> {
    let typed = text.chars().filter(|letter| !matches!(letter, ' ' | '-'));
    // One more than there may be: the rest of a long text is not read.
    let code: Option<String> = typed.take(length + 1).map(letter).collect();
    code.filter(|code| code.len() == length)
}

fn letter(typed: char) -> Option<char> {
    let upper = match typed.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    let is_known = u8::try_from(upper).is_ok_and(|byte| ALPHABET.contains(&byte));
    is_known.then_some(upper)
}

/// The hash to store. Equal codes of different purposes have different hashes.
pub fn hash(key: &[u8; 32], purpose: &str, code: &str) -> TokenHash {
    // HMAC pads a shorter key with zeros; a key of block length is always accepted.
    let mut block = [0; 64];
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    Hmac::<Sha256>::new(&block.into())
        .chain_update(purpose.as_bytes())
        .chain_update([0])
        .chain_update(code.as_bytes())
        .finalize()
        .into_bytes()
        .into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use svc_platform::random::SystemRandom;

    #[test]
    fn codes_use_the_whole_alphabet_and_do_not_repeat() {
        let codes: BTreeSet<_> = (0..10_000).map(|_| generate(&SystemRandom, 8).unwrap()).collect();
        assert_eq!(codes.len(), 10_000);
        let letters: BTreeSet<u8> = codes.iter().flat_map(|code| code.bytes()).collect();
        assert_eq!(letters, ALPHABET.iter().copied().collect());
        for code in &codes {
            assert_eq!(parse(code, 8).as_ref(), Some(code));
        }
    }

    #[test]
    fn typed_codes_are_read_as_they_look() {
        for typed in [
            "0123-ABCD",
            "o123 abcd",
            "  OI23-aBcD ",
            "0-l-2-3-A-B-C-D",
            "0L23ABCD",
        ] {
            assert_eq!(parse(typed, 8).as_deref(), Some("0123ABCD"), "{typed}");
        }
        for typed in [
            "",
            "0123ABC",
            "0123ABCDE",
            "0123ABCU",
            "0123ABC\u{c4}",
            "0123ABC\n",
            "0123_ABC",
            "\u{ff10}123ABCD",
        ] {
            assert_eq!(parse(typed, 8), None, "{typed:?}");
        }
        assert_eq!(parse(&"A".repeat(1_000_000), 8), None);
    }

    #[test]
    fn hashes_depend_on_key_purpose_and_code() {
        let hashes = [
            hash(&[1; 32], "a", "CODE"),
            hash(&[2; 32], "a", "CODE"),
            hash(&[1; 32], "b", "CODE"),
            hash(&[1; 32], "a", "CODF"),
            hash(&[1; 32], "aC", "ODE"),
        ];
        let unlike: BTreeSet<_> = hashes.iter().collect();
        assert_eq!(unlike.len(), hashes.len());
        assert_eq!(hash(&[1; 32], "a", "CODE"), hashes[0]);
    }
}
