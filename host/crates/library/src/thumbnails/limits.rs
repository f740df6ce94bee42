//! Sizes of thumbnails and limits of their rendering, each with its reason.

use std::time::Duration;

/// Longest side of a small thumbnail: a cell of a grid, on a screen of two pixels per point.
pub(super) const SMALL_EDGE: u32 = 250;
/// Longest side of a medium thumbnail: the width of a phone, or artwork on a page of its own.
pub(super) const MEDIUM_EDGE: u32 = 720;
/// Longest side of a large thumbnail: a laptop screen, or a zoomed phone.
pub(super) const LARGE_EDGE: u32 = 1440;

/// Renderings at the same time, at most: each may use 256 MiB of memory.
pub const THREADS: usize = 4;
/// Nice value of the rendering threads, the same as that of a scan: requests go first.
pub(super) const NICENESS: i32 = 10;
/// Renderings that wait for a thread. A grid on a large screen requests a hundred; beyond this, clients have to retry.
pub(super) const MAX_QUEUED: usize = 1024;

/// How long a file that could not be rendered is not tried again. It may have been copied only in part.
pub(super) const FAILURE_TTL: Duration = Duration::from_secs(10 * 60);
/// Capacity of the negative cache; it is cleared when full. A directory of raw files without previews has that many.
pub(super) const MAX_FAILURES: usize = 4096;

/// Bytes up to which a thumbnail is read into memory; small ones are below that.
pub(super) const IN_MEMORY_BYTES: u64 = 64 * 1024;
