//! Loads machine code into the process. Besides the allocator settings (`malloc.rs`), this is the only unsafe call of
//! the server.
#![expect(
    unsafe_code,
    reason = "wasmtime cannot verify the origin of code; `NativeCode` guarantees it"
)]

use wasmtime::Engine;
use wasmtime::component::Component;

/// Machine code from our own compiler: compiled by this process, or read from the cache with a valid authentication
/// code. Only `compile` and `cache` create it.
pub(super) struct NativeCode(Vec<u8>);

impl NativeCode {
    /// The bytes have to be the unmodified output of our compiler.
    pub(super) fn trusted(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Maps the code into the process. Fails if another version or configuration of wasmtime compiled it.
    pub(super) fn load(&self, engine: &Engine) -> wasmtime::Result<Component> {
        // SAFETY: `deserialize` runs any code in the bytes, so they have to be the unmodified output of wasmtime's
        // compiler. `NativeCode` contains nothing else: its bytes come from the compiler, or were read once from the
        // cache and authenticated with the key of the installation. They have been in the memory of this process
        // since and are not read again.
        unsafe { Component::deserialize(engine, &self.0) }
    }
}
