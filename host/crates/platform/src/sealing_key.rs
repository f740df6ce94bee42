//! Encryption of secrets at rest: credentials and tokens in the database are readable only with a key that stays in the
//! data directory.
//!
//! Sealed bytes are the format (1 byte), the id of the key (8), the nonce (12), and the secret encrypted by AES-256-GCM
//! with its tag (16). Format, id and context are authenticated: sealed bytes that were copied to another row do not open.

use std::io;

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::{Digest, Sha256};

use crate::random::Random;
use crate::secret_key::SecretKey;

const FORMAT: u8 = 1;
const KEY_LENGTH: usize = 32;
const ID_LENGTH: usize = 8;
const HEAD_LENGTH: usize = 1 + ID_LENGTH;
const TAG_LENGTH: usize = 16;

/// By how many bytes a sealed secret is longer than the secret.
pub const OVERHEAD: usize = HEAD_LENGTH + NONCE_LEN + TAG_LENGTH;

/// Why sealed bytes do not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// They were sealed with another key, as after a restore of the database without its data directory.
    #[error("sealed with another key")]
    OtherKey,
    /// They were changed, or sealed for another context.
    #[error("damaged, or sealed for another purpose")]
    Invalid,
}

/// A key that seals secrets. `Debug` prints only its id.
#[derive(Clone)]
pub struct SealingKey {
    key: [u8; KEY_LENGTH],
    id: [u8; ID_LENGTH],
}

impl std::fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SealingKey({})", data_encoding::HEXLOWER.encode(&self.id))
    }
}

impl SealingKey {
    /// Derives the key for one purpose.
    pub fn derive(secret: &SecretKey, purpose: &str) -> Self {
        let key = secret.derive(purpose);
        let mut id = [0; ID_LENGTH];
        for (id, byte) in id.iter_mut().zip(Sha256::digest(key)) {
            *id = byte;
        }
        Self { key, id }
    }

    /// Encrypts a secret. `context` says where it is stored, such as table, column and key of the row.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn seal(&self, random: &dyn Random, context: &[&str], secret: &[u8]) -> io::Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        random.fill(&mut nonce)?;
        let mut ciphertext = secret.to_vec();
        let failed = |_| io::Error::other("encryption failed");
        let associated = Aad::from(self.associated_data(context));
        self.cipher()
            .and_then(|cipher| {
                cipher.seal_in_place_append_tag(
                    Nonce::assume_unique_for_key(nonce),
                    associated,
                    &mut ciphertext,
                )
            })
            .map_err(failed)?;
        let mut sealed = Vec::with_capacity(HEAD_LENGTH + NONCE_LEN + ciphertext.len());
        sealed.push(FORMAT);
        sealed.extend_from_slice(&self.id);
        sealed.extend_from_slice(&nonce);
        sealed.append(&mut ciphertext);
        Ok(sealed)
    }

    /// Decrypts what [`Self::seal`] returned for the same context.
    ///
    /// # Errors
    /// The bytes were sealed with another key or for another context, or were changed.
    pub fn open(&self, context: &[&str], sealed: &[u8]) -> Result<Vec<u8>, OpenError> {
        let (format, rest) = sealed.split_first().ok_or(OpenError::Invalid)?;
        let (id, rest) = rest.split_first_chunk().ok_or(OpenError::Invalid)?;
        let (nonce, ciphertext) = rest.split_first_chunk::<NONCE_LEN>().ok_or(OpenError::Invalid)?;
        if *format != FORMAT {
            return Err(OpenError::Invalid);
        }
        if self.id != *id {
            return Err(OpenError::OtherKey);
        }
        let mut text = ciphertext.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let associated = Aad::from(self.associated_data(context));
        let opened = self.cipher().and_then(|cipher| {
            cipher
                .open_in_place(nonce, associated, &mut text)
                .map(|text| text.len())
        });
        text.truncate(opened.map_err(|_| OpenError::Invalid)?);
        Ok(text)
    }

    /// As [`Self::open`], for a secret that is text.
    ///
    /// # Errors
    /// As [`Self::open`]; the secret is not UTF-8.
    pub fn open_text(&self, context: &[&str], sealed: &[u8]) -> Result<String, OpenError> {
        String::from_utf8(self.open(context, sealed)?).map_err(|_| OpenError::Invalid)
    }

    fn cipher(&self) -> Result<LessSafeKey, aws_lc_rs::error::Unspecified> {
        UnboundKey::new(&AES_256_GCM, &self.key).map(LessSafeKey::new)
    }

    /// Lengths precede the parts, so that no two contexts have the same bytes.
    fn associated_data(&self, context: &[&str]) -> Vec<u8> {
        let mut bytes = vec![FORMAT];
        bytes.extend_from_slice(&self.id);
        for part in context {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SystemRandom;

    const CONTEXT: [&str; 2] = ["linked_accounts.token", "17"];

    fn key(byte: u8) -> SealingKey {
        SealingKey::derive(&SecretKey::from_bytes([byte; 32]), "test")
    }

    #[test]
    fn secret_opens_for_its_key_and_context_only() {
        let sealed = key(1).seal(&SystemRandom, &CONTEXT, b"refresh").unwrap();
        assert_eq!(sealed.len(), b"refresh".len() + OVERHEAD);
        assert_eq!(key(1).open_text(&CONTEXT, &sealed).as_deref(), Ok("refresh"));
        assert_eq!(key(2).open(&CONTEXT, &sealed), Err(OpenError::OtherKey));
        let other_purpose = SealingKey::derive(&SecretKey::from_bytes([1; 32]), "other");
        assert_eq!(other_purpose.open(&CONTEXT, &sealed), Err(OpenError::OtherKey));
        for context in [
            &["linked_accounts.token", "18"][..],
            &["linked_accounts.token1", "7"],
            &["linked_accounts.token"],
            &["linked_accounts.token", "17", ""],
            &[],
        ] {
            assert_eq!(
                key(1).open(context, &sealed),
                Err(OpenError::Invalid),
                "{context:?}"
            );
        }
    }

    #[test]
    fn changed_or_truncated_bytes_do_not_open() {
        let sealed = key(1).seal(&SystemRandom, &CONTEXT, b"refresh").unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(key(1).open(&CONTEXT, &changed).is_err(), "byte {at}");
            assert!(key(1).open(&CONTEXT, &sealed[..at]).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn same_secret_is_sealed_differently_each_time_and_shows_nothing() {
        let seal = || key(1).seal(&SystemRandom, &CONTEXT, b"refresh token").unwrap();
        let (first, second) = (seal(), seal());
        assert_ne!(first, second);
        assert!(!first.windows(7).any(|part| part == b"refresh"));
        assert!(!format!("{:?}", key(1)).contains("0101"));
        let empty = key(1).seal(&SystemRandom, &CONTEXT, b"").unwrap();
        assert_eq!(key(1).open(&CONTEXT, &empty).as_deref(), Ok(&[][..]));
    }

    #[test]
    fn text_that_is_no_utf8_is_invalid() {
        let sealed = key(1).seal(&SystemRandom, &CONTEXT, &[0xff]).unwrap();
        assert_eq!(key(1).open_text(&CONTEXT, &sealed), Err(OpenError::Invalid));
    }
}
