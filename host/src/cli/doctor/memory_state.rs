//! The state of a plugin for one command: nothing of it is kept.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use svc_plugin_host::cloud::{HostFuture, StateError, StateStore};

/// Bytes of all keys and values, as in a server.
const LIMIT: usize = 64 * 1024;

/// Keeps the state in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryState(Mutex<HashMap<String, Vec<u8>>>);

impl StateStore for MemoryState {
    fn get<'a>(&'a self, key: &'a str) -> HostFuture<'a, Option<Vec<u8>>> {
        let values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values.get(key).cloned();
        Box::pin(std::future::ready(value))
    }

    fn set<'a>(&'a self, key: &'a str, value: Option<Vec<u8>>) -> HostFuture<'a, Result<(), StateError>> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        values.remove(key);
        let used: usize = values.iter().map(|(key, value)| key.len() + value.len()).sum();
        let stored = match value {
            Some(value) if used + key.len() + value.len() > LIMIT => Err(StateError::TooLarge),
            value => {
                values.extend(value.map(|value| (key.to_owned(), value)));
                Ok(())
            }
        };
        Box::pin(std::future::ready(stored))
    }
}
