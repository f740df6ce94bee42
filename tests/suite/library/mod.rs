//! The index over the years: files that move, change, go and come back, disks that are away.

mod ambiguous_duplicates;
mod choices;
mod counts;
mod faults;
mod losses;
mod moves;
mod sidecars;
mod versions;
