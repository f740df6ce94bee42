//! The clock of the server.

/// Milliseconds since 1970-01-01T00:00:00Z.
pub fn now() -> u64 {
    read()
}

#[cfg(target_arch = "wasm32")]
fn read() -> u64 {
    crate::bindings::cloud::svc::plugin::clock::now()
}

#[cfg(not(target_arch = "wasm32"))]
fn read() -> u64 {
    crate::cloud::simulate::time()
}
