//! Moved, changed, deleted and restored files, and unavailable disks.

mod ambiguous_duplicates;
mod choices;
mod counts;
mod faults;
mod missing_files;
mod moves;
mod sidecars;
mod versions;
