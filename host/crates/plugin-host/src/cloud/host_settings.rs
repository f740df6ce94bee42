//! Settings whose values change while the server runs.

use std::fmt;

/// What a plugin reads in place of the values that it was loaded with.
pub trait CurrentSettings: fmt::Debug + Send + Sync {
    /// The value of a setting as it is now; `None` if the setting does not change.
    fn current(&self, key: &str) -> Option<String>;
}

/// No setting changes.
impl CurrentSettings for () {
    fn current(&self, _: &str) -> Option<String> {
        None
    }
}
