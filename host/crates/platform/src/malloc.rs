//! Configuration of the C library's allocator for low memory use; SQLite and the server allocate from it.
//!
//! By default glibc creates up to eight arenas per core. It also raises its mmap threshold when the first large block
//! (a password's 19 MiB) is freed, and then keeps freed memory up to that size: after a scan of 100,000 files the
//! arenas had 78 MiB, of which 16 were in use. Other C libraries have no such settings.
#![allow(
    unsafe_code,
    reason = "calls of the C library that change only its own settings and free lists"
)]

/// Blocks of at least this size are mapped separately and returned when freed; also the size of free memory kept at
/// the end of an arena. Lower values returned no more memory and cost as much.
#[cfg(target_env = "gnu")]
const KEPT_BYTES: libc::c_int = 1 << 20;

/// Configures the allocator. Applies to arenas created later only: to be called before any thread is started.
pub fn tune_malloc() {
    #[cfg(target_env = "gnu")]
    {
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let areas = libc::c_int::try_from(processors).unwrap_or(libc::c_int::MAX);
        for (parameter, value) in [
            (libc::M_ARENA_MAX, areas),
            (libc::M_MMAP_THRESHOLD, KEPT_BYTES),
            (libc::M_TRIM_THRESHOLD, KEPT_BYTES),
        ] {
            // SAFETY: takes two numbers; an invalid one changes nothing.
            unsafe { libc::mallopt(parameter, value) };
        }
    }
}

/// Returns free memory to the system. Takes milliseconds, during which other threads may wait for allocations.
pub fn release_free_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: locks each arena and returns pages without allocated blocks.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(target_env = "gnu")]
#[cfg(test)]
mod tests {
    use super::*;

    fn resident() -> usize {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let kib = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:")?.strip_suffix("kB"));
        kib.unwrap().trim().parse::<usize>().unwrap() << 10
    }

    #[test]
    fn memory_freed_between_used_blocks_is_returned() {
        const BLOCKS: usize = 4096;
        const BYTES: usize = 64 << 10;
        tune_malloc();
        // A small block after each large one keeps the end of the arena in use.
        let (large, small): (Vec<Vec<u8>>, Vec<Vec<u8>>) =
            (0..BLOCKS).map(|_| (vec![1; BYTES], vec![1; 64])).unzip();
        drop(large);
        let before = resident();
        release_free_memory();
        let given = before.saturating_sub(resident());
        assert_eq!(small.len(), BLOCKS);
        // Other tests of this process allocate at the same time.
        assert!(given > BLOCKS * BYTES / 2, "{given} bytes were returned");
    }
}
