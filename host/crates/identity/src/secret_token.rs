//! Refresh tokens, personal access tokens and device codes, of which the database stores only hashes.
//!
//! All contain 256 random bits, so a plain SHA-256 suffices; they cannot be guessed.

use std::io;

use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use svc_domain::id::SessionId;
use svc_platform::random::Random;

/// The prefix of personal access tokens.
pub const PERSONAL_ACCESS_TOKEN_PREFIX: &str = "svc_pat_";
/// The prefix of device codes.
pub const DEVICE_CODE_PREFIX: &str = "svc_device_";

/// The stored hash of a secret.
pub type TokenHash = [u8; 32];
/// Randomness of one rotation, which makes each successor unique.
pub type Salt = [u8; 16];

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// 62^43 is just above 2^256.
const SECRET_LENGTH: usize = 43;
/// 62^6 is above 2^32.
const CHECKSUM_LENGTH: usize = 6;
/// Length of the suffix that is shown to recognise a token.
const HINT_LENGTH: usize = 4;

fn hash(text: &str) -> TokenHash {
    Sha256::digest(text.as_bytes()).into()
}

/// The single-use secret of a refresh cookie. It contains its session and generation, authenticated by a seal. The seal
/// detects the reuse of a token after the database has deleted its hash, and rejects forged tokens without a database
/// query.
#[derive(Clone, PartialEq, Eq)]
pub struct RefreshToken {
    text: String,
    session: SessionId,
    generation: i64,
}

impl std::fmt::Debug for RefreshToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RefreshToken(…)")
    }
}

/// Bytes of randomness in a refresh token.
const RANDOM_BYTES: usize = 32;
/// Bytes of the session id, and of the generation.
const NUMBER_BYTES: usize = 8;
/// Bytes of the seal: 128 bits cannot be guessed.
const SEAL_BYTES: usize = 16;

fn mac(key: &[u8; 32]) -> Hmac<Sha256> {
    // HMAC pads a shorter key with zeros; a key of block length is always accepted.
    let mut block = [0; 64];
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    Hmac::<Sha256>::new(&block.into())
}

fn seal(key: &[u8; 32], sealed: &[u8]) -> Hmac<Sha256> {
    // Domain separation: no input of the successor derivation has this form.
    mac(key).chain_update(b"seal").chain_update(sealed)
}

impl RefreshToken {
    /// Generates the first token of a session.
    ///
    /// # Errors
    /// Fails if the system has no randomness.
    pub fn generate(random: &dyn Random, key: &[u8; 32], session: SessionId) -> io::Result<Self> {
        let mut secret = [0; RANDOM_BYTES];
        random.fill(&mut secret)?;
        Ok(Self::sealed(&secret, key, session, 0))
    }

    fn sealed(secret: &[u8], key: &[u8; 32], session: SessionId, generation: i64) -> Self {
        let mut bytes = Vec::with_capacity(RANDOM_BYTES + 2 * NUMBER_BYTES + SEAL_BYTES);
        bytes.extend_from_slice(secret);
        bytes.extend_from_slice(&session.get().to_be_bytes());
        bytes.extend_from_slice(&generation.to_be_bytes());
        let seal = seal(key, &bytes).finalize().into_bytes();
        bytes.extend(seal.iter().take(SEAL_BYTES));
        Self {
            text: BASE64URL_NOPAD.encode(&bytes),
            session,
            generation,
        }
    }

    /// Parses a cookie and verifies its seal.
    pub fn read(text: &str, key: &[u8; 32]) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let (sealed, signature) = bytes.split_at_checked(RANDOM_BYTES + 2 * NUMBER_BYTES)?;
        if signature.len() != SEAL_BYTES {
            return None;
        }
        seal(key, sealed).verify_truncated_left(signature).ok()?;
        let (session, generation) = sealed.get(RANDOM_BYTES..)?.split_at_checked(NUMBER_BYTES)?;
        Some(Self {
            text: text.to_owned(),
            session: i64::from_be_bytes(session.try_into().ok()?).into(),
            generation: i64::from_be_bytes(generation.try_into().ok()?),
        })
    }

    /// Derives the next token. Equal key and salt give an equal token, so that a client that lost the response, or
    /// several tabs that refresh at once, receive the same one. The derivation needs the key, the stored salt and the
    /// current token; no two of them suffice.
    pub fn successor(&self, key: &[u8; 32], salt: &Salt) -> Self {
        let secret = mac(key)
            .chain_update(self.text.as_bytes())
            .chain_update(salt)
            .finalize()
            .into_bytes();
        Self::sealed(&secret, key, self.session, self.generation.saturating_add(1))
    }

    /// The hash to store.
    pub fn hash(&self) -> TokenHash {
        hash(&self.text)
    }

    /// The session of the token.
    pub fn session(&self) -> SessionId {
        self.session
    }

    /// Position in the session's sequence of tokens.
    pub fn generation(&self) -> i64 {
        self.generation
    }

    /// The cookie value.
    pub fn secret(&self) -> &str {
        &self.text
    }
}

/// The secret of a personal access token: `svc_pat_`, 43 random characters and a checksum of 6, which rejects mistyped
/// tokens without a database query and serves secret scanners.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonalAccessSecret(String);

impl std::fmt::Debug for PersonalAccessSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PersonalAccessSecret(…)")
    }
}

impl PersonalAccessSecret {
    /// Generates a token.
    ///
    /// # Errors
    /// Fails if the system has no randomness.
    pub fn generate(random: &dyn Random) -> io::Result<Self> {
        let secret = random_letters(random)?;
        let checksum = checksum(&secret);
        Ok(Self(format!("{PERSONAL_ACCESS_TOKEN_PREFIX}{secret}{checksum}")))
    }

    /// Parses the text and verifies its checksum.
    pub fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(PERSONAL_ACCESS_TOKEN_PREFIX)?;
        let (secret, found) = rest.split_at_checked(SECRET_LENGTH)?;
        let is_ours = secret.bytes().all(|byte| byte.is_ascii_alphanumeric()) && found == checksum(secret);
        is_ours.then(|| Self(text.to_owned()))
    }

    /// The hash to store.
    pub fn hash(&self) -> TokenHash {
        hash(&self.0)
    }

    /// The last four characters.
    pub fn hint(&self) -> &str {
        self.0
            .len()
            .checked_sub(HINT_LENGTH)
            .and_then(|start| self.0.get(start..))
            .unwrap_or_default()
    }

    /// The text, shown to the user once.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

/// The secret of a device that waits to be signed in: `svc_device_` and 43 random characters.
#[derive(Clone, PartialEq, Eq)]
pub struct DeviceCode(String);

impl std::fmt::Debug for DeviceCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DeviceCode(…)")
    }
}

impl DeviceCode {
    /// Generates a code.
    ///
    /// # Errors
    /// Fails if the system has no randomness.
    pub fn generate(random: &dyn Random) -> io::Result<Self> {
        Ok(Self(format!("{DEVICE_CODE_PREFIX}{}", random_letters(random)?)))
    }

    /// Parses the text.
    pub fn parse(text: &str) -> Option<Self> {
        let secret = text.strip_prefix(DEVICE_CODE_PREFIX)?;
        let is_ours =
            secret.len() == SECRET_LENGTH && secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_ours.then(|| Self(text.to_owned()))
    }

    /// The hash to store.
    pub fn hash(&self) -> TokenHash {
        hash(&self.0)
    }

    /// The text, given to the device once.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

/// 43 characters of base 62, equally likely.
fn random_letters(random: &dyn Random) -> io::Result<String> {
    let mut secret = String::with_capacity(SECRET_LENGTH + CHECKSUM_LENGTH);
    let mut bytes = [0; 64];
    while secret.len() < SECRET_LENGTH {
        random.fill(&mut bytes)?;
        // 248 is the largest multiple of 62 in a byte; greater values would bias the distribution.
        let letters = bytes.iter().filter(|byte| **byte < 248);
        let letters = letters.filter_map(|byte| ALPHABET.get(usize::from(byte % 62)));
        secret.extend(
            letters
                .take(SECRET_LENGTH - secret.len())
                .map(|letter| char::from(*letter)),
        );
    }
    Ok(secret)
}

/// The hash of a cloud token, by which it is recognised.
pub fn cloud_token_hash(token: &str) -> TokenHash {
    hash(token)
}

/// CRC-32 in base 62, most significant digit first.
fn checksum(text: &str) -> String {
    let mut rest = crc32fast::hash(text.as_bytes()) as usize;
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET.get(rest % 62).copied().unwrap_or(b'0');
        rest /= 62;
    }
    String::from_utf8_lossy(&digits).into_owned()
}

#[cfg(test)]
#[path = "secret_token_tests.rs"]
mod tests;
