//! The index over the years: files that move, change, go and come back, disks that are away.

mod choices;
mod counts;
mod ambiguous_duplicates;
mod faults;
mod losses;
mod moves;
mod sidecars;
mod versions;
