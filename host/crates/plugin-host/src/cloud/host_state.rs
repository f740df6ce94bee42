//! The host interface `state`: what a plugin remembers between its calls.

use std::fmt;

use crate::cloud::host_http::HostFuture;

/// Why a value was not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// The key is empty, longer than 256 bytes, or contains U+0000.
    #[error("a key has 1 to 256 bytes without U+0000")]
    Key,
    /// All keys and values together would have more than 64 KiB.
    #[error("all keys and values together would have more than 64 KiB")]
    TooLarge,
    /// It cannot be written; the log says why.
    #[error("the server cannot store it")]
    Storage,
}

/// What one plugin remembers, encrypted at rest.
pub trait StateStore: fmt::Debug + Send + Sync {
    /// The value of a key.
    fn get<'a>(&'a self, key: &'a str) -> HostFuture<'a, Option<Vec<u8>>>;

    /// Stores a value, or removes it. The value is there after a restart.
    fn set<'a>(&'a self, key: &'a str, value: Option<Vec<u8>>) -> HostFuture<'a, Result<(), StateError>>;
}
