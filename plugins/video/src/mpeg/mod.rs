//! MPEG streams, made for broadcasting: no header at the start describes the whole. Tables repeat the list of
//! programs, frame headers describe the streams, and the first and last timestamps give the duration.

mod elementary;
pub(crate) mod packets;
mod pes;
pub(crate) mod program;
mod tables;
pub(crate) mod transport;
