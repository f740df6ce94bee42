//! Codecs: their names as ffprobe has them, by the codes of each container, and what their own headers say.

pub(crate) mod aac;
pub(crate) mod audio;
pub(crate) mod colour;
pub(crate) mod dts;
pub(crate) mod fourcc;
pub(crate) mod h264;
pub(crate) mod hevc;
pub(crate) mod matroska_id;
pub(crate) mod mpeg2;
mod usability;
pub(crate) mod wave;

use std::borrow::Cow;

use crate::video::{Hdr, Stream};

/// What the header of a sequence of pictures says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sequence {
    /// Pixels.
    pub(crate) width: u32,
    /// Pixels.
    pub(crate) height: u32,
    /// Pictures a second.
    pub(crate) fps: Option<f64>,
    /// The range of brightness.
    pub(crate) hdr: Option<Hdr>,
}

impl Sequence {
    /// Tells a stream what it does not know yet.
    pub(crate) fn describe(&self, stream: &mut Stream) {
        if stream.width.is_none() {
            stream.size(self.width, self.height);
        }
        stream.fps = stream.fps.or(self.fps);
        stream.hdr = stream.hdr.or(self.hdr);
    }
}

/// A code without a known name, as it is, if it is printable.
pub(crate) fn unknown(code: &[u8]) -> Cow<'static, str> {
    let text = String::from_utf8_lossy(code)
        .trim_matches(['\0', ' '])
        .to_ascii_lowercase();
    if !text.is_empty() && text.len() <= 32 && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Cow::Owned(text)
    } else {
        Cow::Borrowed("unknown")
    }
}
