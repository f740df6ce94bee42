//! Counts the memory of an instance and refuses more than its limit.

use wasmtime::ResourceLimiter;

use crate::call::Stop;
use crate::limits;

/// The linear memory of one store.
pub(super) struct MemoryMeter {
    limit: u64,
    /// Bytes of all memories; they never shrink.
    used: u64,
}

impl MemoryMeter {
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, used: 0 }
    }

    /// Holds the next call to this limit.
    pub(super) fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Bytes of all memories of the store.
    pub(super) fn used(&self) -> u64 {
        self.used
    }
}

impl ResourceLimiter for MemoryMeter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let used = self.used.saturating_add(desired.saturating_sub(current) as u64);
        if used > self.limit {
            // An error, not a refusal: a guest could go on asking, and the cause would be lost in its own abort.
            return Err(Stop::Memory(self.limit).into());
        }
        self.used = used;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if desired > limits::TABLE_ELEMENTS {
            return Err(Stop::Memory(self.limit).into());
        }
        Ok(true)
    }

    fn instances(&self) -> usize {
        limits::CORE_INSTANCES
    }

    fn tables(&self) -> usize {
        limits::TABLES
    }

    fn memories(&self) -> usize {
        limits::MEMORIES
    }
}
