//! The settings of the plugin: values that the administrator chose, of the settings that the manifest declares.
//!
//! A plugin that calls these functions imports the interface `settings`, which its manifest has to list under
//! `[permissions]`. Outside the sandbox, as in unit tests, the values are those of [`simulate`].

use crate::Value;

/// The value of a setting, else its default; `None` if it has neither or is not declared.
///
/// ```
/// use svc_plugin_api::{Value, settings};
/// settings::simulate([("language", Value::Text("de".into()))]);
/// assert_eq!(settings::text("language").as_deref(), Some("de"));
/// assert_eq!(settings::integer("language"), None);
/// assert_eq!(settings::get("unknown"), None);
/// ```
pub fn get(key: &str) -> Option<Value> {
    read(key)
}

/// The value of a text setting.
pub fn text(key: &str) -> Option<String> {
    match get(key)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

/// The value of a setting with several texts.
pub fn texts(key: &str) -> Option<Vec<String>> {
    match get(key)? {
        Value::Texts(texts) => Some(texts),
        _ => None,
    }
}

/// The value of an integer setting.
pub fn integer(key: &str) -> Option<i64> {
    match get(key)? {
        Value::Integer(integer) => Some(integer),
        _ => None,
    }
}

/// The value of a numeric setting.
pub fn real(key: &str) -> Option<f64> {
    match get(key)? {
        Value::Real(real) => Some(real),
        _ => None,
    }
}

/// The value of a boolean setting.
pub fn boolean(key: &str) -> Option<bool> {
    match get(key)? {
        Value::Boolean(boolean) => Some(boolean),
        _ => None,
    }
}

#[cfg(target_arch = "wasm32")]
fn read(key: &str) -> Option<Value> {
    crate::bindings::settings::get(key)
}

#[cfg(not(target_arch = "wasm32"))]
fn read(key: &str) -> Option<Value> {
    SIMULATED.with_borrow(|values| values.get(key).cloned())
}

#[cfg(not(target_arch = "wasm32"))]
thread_local! {
    static SIMULATED: std::cell::RefCell<std::collections::HashMap<String, Value>> = Default::default();
}

/// Replaces the values that this thread reads outside the sandbox, for tests. Without a call all settings are absent.
#[cfg(not(target_arch = "wasm32"))]
pub fn simulate<'a>(values: impl IntoIterator<Item = (&'a str, Value)>) {
    let values = values.into_iter().map(|(key, value)| (key.to_owned(), value));
    SIMULATED.set(values.collect());
}
