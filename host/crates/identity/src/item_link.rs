//! Item links: signed URLs that open one item for one user until they expire, for players and cast devices that cannot
//! send headers. The token is a secret: anyone who has the URL may use it.

use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::actor::CredentialBinding;
use svc_domain::id::UserId;
use svc_domain::time::Timestamp;
use svc_platform::secret_key::SecretKey;

/// The prefix of the tokens of item links.
pub const ITEM_LINK_PREFIX: &str = "svc_link_";

/// Bytes of the truncated signature: 128 bits cannot be guessed, and the URL stays short.
const SIGNATURE: usize = 16;
const NUMBER: usize = 8;
/// User, expiry, and the kind and id of the binding.
const CLAIMS: usize = 3 * NUMBER + 1;

// Kinds of bindings in a token.
const ACCOUNT: u8 = 0;
const SESSION: u8 = 1;
const TOKEN: u8 = 2;

/// Signs and verifies item links.
#[derive(Clone)]
pub struct ItemLinks([u8; 32]);

impl std::fmt::Debug for ItemLinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ItemLinks(…)")
    }
}

/// The verified claims of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemLink {
    /// The account that created it.
    pub user: UserId,
    /// Expiry.
    pub expires_at: Timestamp,
    /// The credential that created it; revoking that credential revokes the link.
    pub binding: CredentialBinding,
}

impl ItemLinks {
    /// Derives the signing key from the installation's secret.
    pub fn new(secret: &SecretKey) -> Self {
        Self(secret.derive("svc item link"))
    }

    fn signature(&self, path: &str, claims: &[u8]) -> Option<Hmac<Sha256>> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        // The claims have a fixed length, so bytes cannot be moved between claims and path.
        Some(mac.chain_update(claims).chain_update(path.as_bytes()))
    }

    /// Returns the token of a link to exactly this path.
    pub fn sign(&self, path: &str, link: ItemLink) -> String {
        let mut token = Vec::with_capacity(CLAIMS + SIGNATURE);
        token.extend_from_slice(&link.user.get().to_be_bytes());
        token.extend_from_slice(&link.expires_at.millis().to_be_bytes());
        let (kind, id) = match link.binding {
            CredentialBinding::Account => (ACCOUNT, 0),
            CredentialBinding::Session(id) => (SESSION, id.get()),
            CredentialBinding::Token(id) => (TOKEN, id.get()),
        };
        token.push(kind);
        token.extend_from_slice(&id.to_be_bytes());
        if let Some(mac) = self.signature(path, &token) {
            let signature = mac.finalize().into_bytes();
            token.extend_from_slice(signature.get(..SIGNATURE).unwrap_or_default());
        }
        format!("{ITEM_LINK_PREFIX}{}", BASE64URL_NOPAD.encode(&token))
    }

    /// Verifies a token for this path and returns its claims.
    pub fn read(&self, path: &str, token: &str) -> Option<ItemLink> {
        let token = token.strip_prefix(ITEM_LINK_PREFIX)?;
        let bytes = BASE64URL_NOPAD.decode(token.as_bytes()).ok()?;
        let (claims, signature) = bytes.split_at_checked(CLAIMS)?;
        if signature.len() != SIGNATURE {
            return None;
        }
        self.signature(path, claims)?
            .verify_truncated_left(signature)
            .ok()?;
        let number = |at: usize| Some(i64::from_be_bytes(claims.get(at..at + NUMBER)?.try_into().ok()?));
        let id = number(2 * NUMBER + 1)?;
        Some(ItemLink {
            user: number(0)?.into(),
            expires_at: Timestamp::from_millis(number(NUMBER)?),
            binding: match *claims.get(2 * NUMBER)? {
                ACCOUNT => CredentialBinding::Account,
                SESSION => CredentialBinding::Session(id.into()),
                TOKEN => CredentialBinding::Token(id.into()),
                _ => return None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn item_link_is_valid_only_for_its_path() {
        let links = ItemLinks::new(&SecretKey::from_bytes([7; 32]));
        let link = ItemLink {
            user: UserId::from(42),
            expires_at: Timestamp::from_millis(1_700_000_000_000),
            binding: CredentialBinding::Token(77.into()),
        };
        let token = links.sign("/api/v1/music/stream/a", link);
        assert_eq!(links.read("/api/v1/music/stream/a", &token), Some(link));
        assert_eq!(links.read("/api/v1/music/stream/b", &token), None);
        let others = ItemLinks::new(&SecretKey::from_bytes([8; 32]));
        assert_eq!(others.read("/api/v1/music/stream/a", &token), None);
        // Changing any character invalidates the token.
        for at in ITEM_LINK_PREFIX.len()..token.len() - 1 {
            let mut changed = token.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(links.read("/api/v1/music/stream/a", &changed), None, "{at}");
        }
        for text in ["", ITEM_LINK_PREFIX, "svc_link_AAAA", &token[..token.len() - 4]] {
            assert_eq!(links.read("/api/v1/music/stream/a", text), None, "{text}");
        }
    }
}
