//! Machine code on its way into the process. Beside the settings of the allocator (`malloc.rs`), the only unsafe call of the
//! server stands here.
#![expect(
    unsafe_code,
    reason = "wasmtime cannot prove that code is its own; `NativeCode` is the proof"
)]

use wasmtime::Engine;
use wasmtime::component::Component;

/// Compiled code that came from our own compiler: directly, or out of the cache with a valid authentication
/// code. Only `compile` and `cache` make one, from those two sources.
pub(super) struct NativeCode(Vec<u8>);

impl NativeCode {
    /// The bytes must be what our compiler gave, and nobody else can have changed them since.
    pub(super) fn trusted(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Maps the code into the process. Fails if another wasmtime or configuration compiled it.
    pub(super) fn load(&self, engine: &Engine) -> wasmtime::Result<Component> {
        // SAFETY: `deserialize` runs whatever code the bytes hold, so they must be the unaltered output of
        // wasmtime's compiler. `NativeCode` holds nothing else: its bytes were taken from the compiler, or read
        // once from the cache and then found to carry an authentication code under the installation's key. They
        // are in this process's memory since, and not read a second time.
        unsafe { Component::deserialize(engine, &self.0) }
    }
}
