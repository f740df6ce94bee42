//! Walkers over the structure of container formats, shared by the plugins that read their contents.
//!
//! Each format's walk stands here once: [`isobmff`] (MP4, QuickTime, HEIF), [`riff`] (WAV, AVI, WebP, AIFF), [`ebml`]
//! (Matroska), [`asf`], [`ogg`] and [`flac`]. A walker reads headers only and clamps every stated size to its parent,
//! so a hostile file can neither run past its end nor loop. What a box or chunk means is up to the plugin.
//! [`bytes`] parses numbers and texts within a body that was read.

pub mod asf;
pub mod bytes;
pub mod ebml;
pub mod flac;
pub mod isobmff;
pub mod ogg;
pub mod riff;
