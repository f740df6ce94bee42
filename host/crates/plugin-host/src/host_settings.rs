//! The host interface `settings`: the values that the administrator chose for a plugin.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bindings::svc::plugin::{settings, types};
use crate::call::CallState;
use crate::convert;
use svc_domain::extraction::Value;

/// Values of a plugin's settings by key. They stay the same as long as an instance lives.
pub(super) type SettingValues = Arc<BTreeMap<String, Value>>;

impl settings::Host for CallState {
    fn get(&mut self, key: String) -> wasmtime::Result<Option<types::Value>> {
        Ok(self.settings.get(&key).cloned().map(convert::value_for_guest))
    }
}
