//! MPEG's streams: made for broadcasting, so nothing at the beginning describes the whole. Programs are described
//! again and again, pictures and sound by their own first headers, and the time by its first and last stamp.

mod elementary;
pub(crate) mod packets;
mod pes;
pub(crate) mod program;
mod tables;
pub(crate) mod transport;
