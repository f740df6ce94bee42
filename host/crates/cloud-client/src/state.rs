//! What a plugin remembers between calls: values in the database, sealed with a key that stays in the data directory.

use std::sync::Arc;

use crate::limits;
use svc_identity::keys::KeyRing;
use svc_platform::random::Random;
use svc_plugin_host::cloud::{HostFuture, StateError, StateStore};
use svc_store::{PluginStateRepository, StateValue};

/// The state of one plugin. The servers of a database share it if they share their secret key.
#[derive(Debug, Clone)]
pub struct SealedState {
    plugin_id: String,
    repository: PluginStateRepository,
    keys: KeyRing,
    random: Arc<dyn Random>,
}

impl SealedState {
    /// The state of the plugin with this id.
    pub fn new(
        plugin_id: impl Into<String>,
        repository: PluginStateRepository,
        keys: KeyRing,
        random: Arc<dyn Random>,
    ) -> Self {
        Self {
            plugin_id: plugin_id.into(),
            repository,
            keys,
            random,
        }
    }

    fn context<'a>(&'a self, key: &'a str) -> [&'a str; 3] {
        ["plugin_state.sealed_value", &self.plugin_id, key]
    }

    /// A value that does not open is absent: the plugin fetches again what it remembered.
    async fn value(&self, key: &str) -> Option<Vec<u8>> {
        if !is_key(key) {
            return None;
        }
        let plugin = &self.plugin_id;
        let sealed = match self.repository.value(plugin, key).await {
            Ok(sealed) => sealed?,
            Err(error) => {
                tracing::error!(plugin, %error, "state of the plugin cannot be read");
                return None;
            }
        };
        let opened = self.keys.current().secrets.open(&self.context(key), &sealed);
        opened
            .inspect_err(|error| tracing::warn!(plugin, %error, "state of the plugin cannot be decrypted"))
            .ok()
    }

    async fn store(&self, key: &str, value: Option<Vec<u8>>) -> Result<(), StateError> {
        if !is_key(key) {
            return Err(StateError::Key);
        }
        let plugin = &self.plugin_id;
        let failed = |error: &dyn std::fmt::Display| {
            tracing::error!(plugin, %error, "state of the plugin cannot be stored");
            StateError::Storage
        };
        let Some(value) = value else {
            return self
                .repository
                .remove(plugin, key)
                .await
                .map_err(|error| failed(&error));
        };
        // Before it is encrypted, which doubles it.
        let size = key.len().saturating_add(value.len());
        if size > limits::STATE {
            return Err(StateError::TooLarge);
        }
        if self.value(key).await.as_ref() == Some(&value) {
            return Ok(());
        }
        let keys = self.keys.current();
        let sealed = keys
            .secrets
            .seal(self.random.as_ref(), &self.context(key), &value)
            .map_err(|error| failed(&error))?;
        let value = StateValue {
            sealed: &sealed,
            size: i64::try_from(size).unwrap_or(i64::MAX),
        };
        let limit = i64::try_from(limits::STATE).unwrap_or(i64::MAX);
        match self.repository.store(plugin, key, value, limit).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(StateError::TooLarge),
            Err(error) => Err(failed(&error)),
        }
    }
}

/// Keys are stored as text, which cannot contain U+0000.
fn is_key(key: &str) -> bool {
    (1..=limits::STATE_KEY).contains(&key.len()) && !key.contains('\0')
}

impl StateStore for SealedState {
    fn get<'a>(&'a self, key: &'a str) -> HostFuture<'a, Option<Vec<u8>>> {
        Box::pin(self.value(key))
    }

    fn set<'a>(&'a self, key: &'a str, value: Option<Vec<u8>>) -> HostFuture<'a, Result<(), StateError>> {
        Box::pin(self.store(key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_identity::keys::Keys;
    use svc_platform::random::SystemRandom;
    use svc_platform::secret_key::SecretKey;
    use svc_store::{Instance, Store, StoreOptions};

    async fn store(directory: &tempfile::TempDir) -> Store {
        let url = format!("sqlite:{}", directory.path().join("svc.db").display());
        let store = Store::open(&url, StoreOptions::default()).await.unwrap();
        let instance = Instance {
            instance_id: "i".into(),
            created_at: svc_domain::time::Timestamp::from_millis(0),
        };
        store.instance.create_instance_if_absent(&instance).await.unwrap();
        store
    }

    fn state(store: &Store, plugin: &str, secret: u8) -> SealedState {
        let keys = KeyRing::new(Keys::new("i", &SecretKey::from_bytes([secret; 32])));
        SealedState::new(plugin, store.plugin_state.clone(), keys, Arc::new(SystemRandom))
    }

    #[tokio::test]
    async fn state_is_encrypted_and_opens_for_its_plugin_and_key_only() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(&directory).await;
        let cloud = state(&store, "cloud", 1);
        cloud.set("jwks", Some(b"provider keys".to_vec())).await.unwrap();
        assert_eq!(cloud.get("jwks").await.as_deref(), Some(&b"provider keys"[..]));
        assert_eq!(state(&store, "oidc", 1).get("jwks").await, None);
        assert_eq!(
            state(&store, "cloud", 2).get("jwks").await,
            None,
            "another secret key"
        );
        let sealed = store.plugin_state.value("cloud", "jwks").await.unwrap().unwrap();
        assert!(!sealed.windows(8).any(|part| part == b"provider"));
        // A row that somebody with access to the database moved.
        for (plugin, key) in [("oidc", "jwks"), ("cloud", "other")] {
            let value = StateValue {
                sealed: &sealed,
                size: 1,
            };
            assert!(store.plugin_state.store(plugin, key, value, 100).await.unwrap());
            assert_eq!(state(&store, plugin, 1).get(key).await, None, "{plugin} {key}");
        }
        cloud.set("jwks", None).await.unwrap();
        assert_eq!(cloud.get("jwks").await, None);
        store.database.close().await;
    }

    #[tokio::test]
    async fn keys_and_values_are_limited_together() {
        let directory = tempfile::tempdir().unwrap();
        let store = store(&directory).await;
        let cloud = state(&store, "cloud", 1);
        let half = limits::STATE / 2 - 1;
        cloud.set("a", Some(vec![1; half])).await.unwrap();
        cloud.set("b", Some(vec![2; half])).await.unwrap();
        assert_eq!(cloud.set("c", Some(Vec::new())).await, Err(StateError::TooLarge));
        assert_eq!(
            cloud.set("a", Some(vec![1; half + 1])).await,
            Err(StateError::TooLarge)
        );
        assert_eq!(
            cloud.set("a", Some(vec![1; limits::STATE + 1])).await,
            Err(StateError::TooLarge)
        );
        assert_eq!(cloud.get("a").await, Some(vec![1; half]), "unchanged");
        cloud.set("b", None).await.unwrap();
        cloud.set("c", Some(Vec::new())).await.unwrap();
        assert_eq!(cloud.get("c").await, Some(Vec::new()));
        for key in ["", "a\0", &"k".repeat(limits::STATE_KEY + 1)] {
            assert_eq!(cloud.set(key, Some(vec![1])).await, Err(StateError::Key));
            assert_eq!(cloud.get(key).await, None);
        }
        store.database.close().await;
    }
}
