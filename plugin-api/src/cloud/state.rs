//! What the plugin remembers between calls: keys of a provider, a discovery document. The host encrypts it at rest. Never
//! put tokens of users here.

/// The stored value; `None` if nothing is stored under the key.
pub fn get(key: &str) -> Option<Vec<u8>> {
    read(key)
}

/// Stores a value, or removes it.
///
/// # Errors
/// All keys and values together would have more than 64 KiB, or the server cannot store it.
pub fn set(key: &str, value: Option<&[u8]>) -> Result<(), String> {
    write(key, value)
}

#[cfg(target_arch = "wasm32")]
fn read(key: &str) -> Option<Vec<u8>> {
    crate::bindings::cloud::svc::plugin::state::get(key)
}

#[cfg(not(target_arch = "wasm32"))]
fn read(key: &str) -> Option<Vec<u8>> {
    crate::cloud::simulate::stored(key)
}

#[cfg(target_arch = "wasm32")]
fn write(key: &str, value: Option<&[u8]>) -> Result<(), String> {
    crate::bindings::cloud::svc::plugin::state::set(key, value)
}

#[cfg(not(target_arch = "wasm32"))]
fn write(key: &str, value: Option<&[u8]>) -> Result<(), String> {
    crate::cloud::simulate::store(key, value)
}
