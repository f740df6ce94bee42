//! The keys of this installation, which a factory reset replaces while requests are answered.

use std::sync::{Arc, PoisonError, RwLock};

use crate::access_token::AccessTokens;
use crate::item_link::ItemLinks;
use svc_platform::secret_key::SecretKey;

/// The keys as long as there is no reset.
#[derive(Debug)]
pub struct Keys {
    /// Which installation this is.
    pub instance_id: String,
    /// Signs and reads access tokens.
    pub access_tokens: AccessTokens,
    /// Signs and reads links to items.
    pub item_links: ItemLinks,
    refresh_key: [u8; 32],
}

impl Keys {
    /// The keys that follow from one secret.
    pub fn new(instance_id: &str, secret: &SecretKey) -> Self {
        Self {
            instance_id: instance_id.to_owned(),
            access_tokens: AccessTokens::new(instance_id, secret),
            item_links: ItemLinks::new(secret),
            refresh_key: secret.derive("svc refresh token successor"),
        }
    }

    /// What refresh tokens are sealed with, and their successors made.
    pub fn refresh_key(&self) -> &[u8; 32] {
        &self.refresh_key
    }
}

/// The keys of this moment. Clones share them.
#[derive(Debug, Clone)]
pub struct KeyRing(Arc<RwLock<Arc<Keys>>>);

impl KeyRing {
    /// With these keys.
    pub fn new(keys: Keys) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(keys))))
    }

    /// The keys.
    pub fn current(&self) -> Arc<Keys> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces them: what the old ones signed counts no more.
    pub fn replace(&self, keys: Keys) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }
}
