//! The secret that binds a sign-in to a browser: its cookie. `state`, `nonce` and code verifier are derived from it, so
//! that the database stores none of them.

use std::io;

use data_encoding::BASE64URL_NOPAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;

use svc_platform::random::Random;

const BYTES: usize = 32;

/// 256 random bits.
#[derive(Clone)]
pub struct BrowserSecret([u8; BYTES]);

impl std::fmt::Debug for BrowserSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BrowserSecret(…)")
    }
}

impl BrowserSecret {
    /// A new secret.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub(crate) fn generate(random: &dyn Random) -> io::Result<Self> {
        let mut secret = [0; BYTES];
        random.fill(&mut secret)?;
        Ok(Self(secret))
    }

    /// Parses a cookie.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        bytes.try_into().ok().map(Self)
    }

    /// The cookie value.
    pub fn secret(&self) -> String {
        BASE64URL_NOPAD.encode(&self.0)
    }

    /// The hash by which the database knows it, for one purpose.
    pub(super) fn hash(&self, purpose: &str) -> [u8; 32] {
        self.derive(purpose)
    }

    /// The parameter `state`, which the provider repeats in the redirect.
    pub(super) fn state(&self) -> String {
        BASE64URL_NOPAD.encode(&self.derive("state"))
    }

    /// Whether this is the `state` of the secret.
    pub(super) fn is_state(&self, state: &str) -> bool {
        self.state().as_bytes().ct_eq(state.as_bytes()).into()
    }

    /// The claim `nonce` of the ID token.
    pub(super) fn nonce(&self) -> String {
        BASE64URL_NOPAD.encode(&self.derive("nonce"))
    }

    /// The code verifier of PKCE.
    pub(super) fn code_verifier(&self) -> String {
        BASE64URL_NOPAD.encode(&self.derive("code verifier"))
    }

    /// The code challenge, by method S256.
    pub(super) fn code_challenge(&self) -> String {
        let challenge: [u8; 32] = Sha256::digest(self.code_verifier()).into();
        BASE64URL_NOPAD.encode(&challenge)
    }

    fn derive(&self, purpose: &str) -> [u8; 32] {
        let input = Sha256::new().chain_update("svc oidc ").chain_update(purpose);
        // The secret has a fixed length, so that purpose and secret cannot be confused.
        input.chain_update(self.0).finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_platform::random::SystemRandom;

    #[test]
    fn values_differ_by_purpose_and_secret() {
        let (one, other) = (
            BrowserSecret::generate(&SystemRandom).unwrap(),
            BrowserSecret::generate(&SystemRandom).unwrap(),
        );
        let values = |secret: &BrowserSecret| {
            [
                secret.secret(),
                secret.state(),
                secret.nonce(),
                secret.code_verifier(),
                secret.code_challenge(),
                BASE64URL_NOPAD.encode(&secret.hash("sign-in")),
                BASE64URL_NOPAD.encode(&secret.hash("link")),
            ]
        };
        let all: std::collections::HashSet<String> = values(&one).into_iter().chain(values(&other)).collect();
        assert_eq!(all.len(), 14);
        let read = BrowserSecret::parse(&one.secret()).unwrap();
        assert!(read.is_state(&one.state()) && !read.is_state(&other.state()) && !read.is_state(""));
        assert!(BrowserSecret::parse("").is_none() && BrowserSecret::parse(&"A".repeat(44)).is_none());
        // RFC 7636: 43 to 128 characters.
        assert_eq!(one.code_verifier().len(), 43);
    }
}
