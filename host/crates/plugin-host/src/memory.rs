//! Counts the memory of an instance and enforces its limit.

use wasmtime::ResourceLimiter;

use crate::limits;
use crate::stop_reason::StopReason;

/// Linear memory of one store.
pub(super) struct MemoryMeter {
    limit: u64,
    /// Bytes of all memories, which never shrink.
    used: u64,
}

impl MemoryMeter {
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, used: 0 }
    }

    /// Sets the limit for the next call.
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
            // An error instead of a failed `memory.grow`: otherwise the guest could retry, and would abort with an
            // error of its own.
            return Err(StopReason::Memory(self.limit).into());
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
            return Err(StopReason::Memory(self.limit).into());
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
