//! The headers of video containers: streams, durations, chapters, tags and pictures.
//!
//! [`read`] detects the container by its content and reads its headers. Frames are read only if a container does not
//! describe its streams (MPEG), and only the first ones. Codecs have the names of ffprobe. The plugins for movies and
//! TV write their own fields in addition to those of [`Video::write`].

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
