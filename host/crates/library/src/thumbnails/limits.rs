//! The numbers of drawn pictures, each with its reason.

use std::time::Duration;

/// Longest side of a small picture: a cell of a grid, on a screen of two pixels a point.
pub(super) const SMALL_EDGE: u32 = 250;
/// Of a medium one: the width of a phone, a cover on a page of its own.
pub(super) const MEDIUM_EDGE: u32 = 720;
/// Of a large one: a laptop's screen, or a phone that is zoomed in.
pub(super) const LARGE_EDGE: u32 = 1440;

/// Threads that draw, at most: each may hold 256 MiB for a moment.
pub const THREADS: usize = 4;
/// How much the drawing threads step back behind the others, as a scan's do: a nice value.
pub(super) const NICE: i32 = 10;
/// Pictures that wait to be drawn. A grid on a large screen asks for a hundred; beyond this, clients ask again.
pub(super) const WAITING: usize = 1024;

/// For how long a picture that could not be drawn is not tried again. It may have been half copied.
pub(super) const FAILURE_TIME: Duration = Duration::from_secs(10 * 60);
/// Failures that are remembered; then all are forgotten. A directory of raws without previews has so many.
pub(super) const FAILURES: usize = 4096;

/// Bytes of a picture that is read into memory at once: more than a small one has.
pub(super) const IN_MEMORY_BYTES: u64 = 64 * 1024;
