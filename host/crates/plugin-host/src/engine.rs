//! The wasmtime engine that runs plugins.

use std::hash::{Hash, Hasher};
use std::num::NonZeroUsize;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use wasmtime::{Config, Engine, Memory, MemoryType, OptLevel, Store};

use crate::limits;

/// How much address space is reserved for a guest's memory. Determines how code is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressSpace {
    /// 4 GiB each, mostly never touched; the code needs no bounds checks.
    Ample,
    /// Only what is used, with bounds checks: code is 1.2 to 1.8 times slower.
    Scarce,
}

/// Creates the engine that suits this machine.
pub(super) fn choose_engine() -> wasmtime::Result<(Engine, AddressSpace)> {
    let engine = new_engine(AddressSpace::Ample)?;
    match try_memories(&engine) {
        Ok(()) => Ok((engine, AddressSpace::Ample)),
        Err(error) => {
            tracing::warn!(
                "address space is short (a limit on virtual memory?), plugins run slower: {error:#}"
            );
            Ok((new_engine(AddressSpace::Scarce)?, AddressSpace::Scarce))
        }
    }
}

/// Whether the memories of several guests can be reserved at once.
fn try_memories(engine: &Engine) -> wasmtime::Result<()> {
    let mut store = Store::new(engine, ());
    for _ in 0..4 {
        Memory::new(&mut store, MemoryType::new(1, None))?;
    }
    Ok(())
}

/// Creates an engine. The compiling child process creates the same one; otherwise its code would be rejected.
///
/// Memory is mapped on demand, not pooled: instances are reused, so creating one (10 µs) happens at most once in 64
/// files, and a pool would keep the memory of the largest file.
pub(super) fn new_engine(space: AddressSpace) -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config
        // Calls run to completion on their thread; no state for concurrent guests is needed.
        .concurrency_support(false)
        .epoch_interruption(true)
        .cranelift_opt_level(OptLevel::Speed)
        .max_wasm_stack(limits::STACK_BYTES)
        // Function names in the text of a trap.
        .wasm_backtrace_max_frames(NonZeroUsize::new(20))
        // Memory grows in place: the address space is reserved, so no bounds checks are needed.
        .memory_may_move(false)
        .memory_init_cow(true)
        // The same file has to give the same record on every machine.
        .wasm_relaxed_simd(false)
        .relaxed_simd_deterministic(true)
        // Features that no plugin needs, disabled to reduce the attack surface. Threads and garbage collection are
        // not compiled in.
        .wasm_memory64(false)
        .wasm_tail_call(false)
        .wasm_custom_page_sizes(false)
        .wasm_wide_arithmetic(false);
    if space == AddressSpace::Scarce {
        config
            .memory_may_move(true)
            .memory_reservation(0)
            .memory_guard_size(0)
            .memory_reservation_for_growth(1 << 20);
    }
    Engine::new(&config)
}

/// Changes with everything that compiled code depends on: version of wasmtime, configuration, processor features.
pub(super) fn fingerprint(engine: &Engine) -> String {
    let mut hasher = Sha256Hasher(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    HEXLOWER.encode(hasher.0.finalize().as_slice())
}

/// SHA-256 as a `Hasher`, for a hash that is stable across runs.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn finish(&self) -> u64 {
        let digest = self.0.clone().finalize();
        digest
            .iter()
            .take(8)
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}
