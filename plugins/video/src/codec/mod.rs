//! Codecs: their names as in ffprobe by the codes of each container, and their headers.

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

/// The header of an audio frame: codec, channels, sample rate in hertz.
pub(crate) type Frame = (&'static str, u32, u32);

/// A sequence header.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sequence {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Frames per second.
    pub(crate) fps: Option<f64>,
    pub(crate) hdr: Option<Hdr>,
}

impl Sequence {
    /// Sets the values of the stream that are still unknown.
    pub(crate) fn describe(&self, stream: &mut Stream) {
        if stream.width.is_none() {
            stream.size(self.width, self.height);
        }
        stream.fps = stream.fps.or(self.fps);
        stream.hdr = stream.hdr.or(self.hdr);
    }
}

/// An unknown code in lower case, if it is printable.
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
