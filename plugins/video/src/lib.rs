//! What video containers say about themselves: streams, durations, chapters, tags and pictures.
//!
//! [`read`] finds out by a file's content which container it is, and walks its headers; frames are looked at
//! only where a container says nothing of its streams (MPEG), and only the first ones. Codecs are named as
//! ffprobe names them. A library for the plugins that read films and series; each writes its own keys beside
//! those of [`Video::write`].

mod asf;
mod avi;
mod bits;
mod codec;
mod container;
mod flv;
mod matroska;
mod mp4;
mod mpeg;
mod ogg;
mod rate;
mod tags;
mod video;

pub use container::{read, read_matroska};
pub use tags::Tags;
pub use video::{Chapter, Hdr, Kind, SimpleTag, Stream, Video};
