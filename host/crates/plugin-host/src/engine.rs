//! The wasmtime engine that runs extractors.

use std::hash::{Hash, Hasher};
use std::num::NonZeroUsize;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use wasmtime::{Config, Engine, Memory, MemoryType, OptLevel, Store};

use crate::limits;

/// How much address space a guest's memory is given. It decides how code is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressSpace {
    /// 4 GiB each, nearly all of it never touched: no bounds checks in the code.
    Ample,
    /// As much as is used, with bounds checks: code is 1.2 to 1.8 times as slow.
    Scarce,
}

/// Makes the engine that suits this machine.
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

/// Whether a few guests' memories can be had at once.
fn try_memories(engine: &Engine) -> wasmtime::Result<()> {
    let mut store = Store::new(engine, ());
    for _ in 0..4 {
        Memory::new(&mut store, MemoryType::new(1, None))?;
    }
    Ok(())
}

/// Makes an engine. The compiling child process makes the same one, else its code would not be taken.
///
/// Memory is mapped on demand, not pooled: instances are kept warm, so creating one (10 µs) happens once in 64
/// files or less, and a pool would hold the memory of the largest file for good.
pub(super) fn new_engine(space: AddressSpace) -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config
        // Calls run to their end on their thread; none of the state for concurrent guests is needed.
        .concurrency_support(false)
        .epoch_interruption(true)
        .cranelift_opt_level(OptLevel::Speed)
        .max_wasm_stack(limits::STACK_BYTES)
        // Functions in a trap's text.
        .wasm_backtrace_max_frames(NonZeroUsize::new(20))
        // Growing memory stays where it is: address space is reserved, bounds checks fall away.
        .memory_may_move(false)
        .memory_init_cow(true)
        // The same bytes must give the same record on every machine.
        .wasm_relaxed_simd(false)
        .relaxed_simd_deterministic(true)
        // Nothing that an extractor needs, all of it more that can go wrong. Threads and garbage collection are
        // not even compiled in.
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

/// A text that changes with everything that compiled code depends on: wasmtime's version, the configuration
/// above, the processor's features.
pub(super) fn fingerprint(engine: &Engine) -> String {
    let mut hasher = Sha256Hasher(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    HEXLOWER.encode(hasher.0.finalize().as_slice())
}

/// SHA-256 behind the standard library's hashing interface, for a hash that holds across runs.
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
