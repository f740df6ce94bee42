//! The keys of this installation. A factory reset replaces them while the server runs.

use std::sync::{Arc, PoisonError, RwLock};

use crate::access_token::AccessTokens;
use crate::item_link::ItemLinks;
use svc_platform::sealing_key::SealingKey;
use svc_platform::secret_key::SecretKey;

/// The keys between two factory resets.
#[derive(Debug)]
pub struct Keys {
    /// The id of this installation.
    pub instance_id: String,
    /// Issues and verifies access tokens.
    pub access_tokens: AccessTokens,
    /// Signs and verifies item links.
    pub item_links: ItemLinks,
    /// Encrypts secrets that the database stores: credentials and tokens of the cloud.
    pub secrets: SealingKey,
    refresh_key: [u8; 32],
    typed_code_key: [u8; 32],
}

impl Keys {
    /// Derives all keys from one secret.
    pub fn new(instance_id: &str, secret: &SecretKey) -> Self {
        Self {
            instance_id: instance_id.to_owned(),
            access_tokens: AccessTokens::new(instance_id, secret),
            item_links: ItemLinks::new(secret),
            secrets: SealingKey::derive(secret, "svc secrets at rest"),
            refresh_key: secret.derive("svc refresh token successor"),
            typed_code_key: secret.derive("svc typed code"),
        }
    }

    /// The key that seals refresh tokens and derives their successors.
    pub fn refresh_key(&self) -> &[u8; 32] {
        &self.refresh_key
    }

    /// The key of the stored hashes of codes that people type, each of which is of one purpose.
    pub fn typed_code_key(&self) -> &[u8; 32] {
        &self.typed_code_key
    }
}

/// The current keys. Clones share them.
#[derive(Debug, Clone)]
pub struct KeyRing(Arc<RwLock<Arc<Keys>>>);

impl KeyRing {
    /// Starts with these keys.
    pub fn new(keys: Keys) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(keys))))
    }

    /// The current keys.
    pub fn current(&self) -> Arc<Keys> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the keys; everything signed with the old ones becomes invalid.
    pub fn replace(&self, keys: Keys) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }
}
