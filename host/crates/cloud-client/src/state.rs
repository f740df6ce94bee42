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
