//! The C library's allocator, told to keep little. SQLite and everything here takes its memory from it.
//!
//! glibc by itself gives each thread an area of its own, up to eight for each processor, and raises, with the first
//! large block that is freed (a password's 19 MiB), the size up to which it keeps what nobody uses: after a scan of
//! 100,000 files the areas were 78 MiB, of which 16 were in use. Other C libraries have no such settings and are left as
//! they are.
#![allow(
    unsafe_code,
    reason = "calls of the C library that only set numbers and lists of its own"
)]

/// Bytes from which a block is mapped by itself, and goes back when it is freed; and bytes at the end of an area that
/// are kept. Lower ones gave back no more and cost as much.
#[cfg(target_env = "gnu")]
const KEPT_BYTES: libc::c_int = 1 << 20;

/// Sets the allocator. Only areas that are made later are bound by it, so before any thread is started.
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
            // SAFETY: takes two numbers; one that it does not like changes nothing.
            unsafe { libc::mallopt(parameter, value) };
        }
    }
}

/// Gives what nobody uses back to the system. Takes milliseconds, in which others may wait for memory.
pub fn release_free_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: locks each area and gives back pages that hold no block in use.
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
    fn what_is_freed_between_blocks_in_use_goes_back() {
        const BLOCKS: usize = 4096;
        const BYTES: usize = 64 << 10;
        tune_malloc();
        // Small ones stay after each of the others, so that no end of an area comes free.
        let (large, small): (Vec<Vec<u8>>, Vec<Vec<u8>>) =
            (0..BLOCKS).map(|_| (vec![1; BYTES], vec![1; 64])).unzip();
        drop(large);
        let before = resident();
        release_free_memory();
        let given = before.saturating_sub(resident());
        assert_eq!(small.len(), BLOCKS);
        // Other tests of this process take memory meanwhile.
        assert!(given > BLOCKS * BYTES / 2, "{given} bytes went back");
    }
}
