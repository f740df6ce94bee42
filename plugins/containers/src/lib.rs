//! Walkers over the structure of container formats, shared by the plugins that read their contents.
//!
//! [`isobmff`] walks MP4, QuickTime and HEIF, [`riff`] WAV, AVI, WebP and AIFF, [`ebml`] Matroska; [`asf`], [`ogg`]
//! and [`flac`] walk the formats of their names. A walker reads only headers and limits their number. [`isobmff`] and
//! [`riff`] also clamp each stated size to the parent, so a wrong size in a hostile file has no effect beyond it.
//! [`bytes`] parses numbers and texts of a body in memory. The meaning of a box or chunk is up to the plugin.

pub mod asf;
pub mod bytes;
pub mod ebml;
pub mod flac;
pub mod isobmff;
pub mod ogg;
pub mod riff;
