//! Detects the container by the content of a file.

use svc_plugin_api::{ExtractError, Source};

use crate::video::Video;
use crate::{asf, avi, flv, matroska, mp4, mpeg, ogg};

/// Reads the headers of a video.
///
/// # Errors
/// `Refused` for another format, `Invalid` if no stream is described, `Io` if a read failed. A truncated file gives
/// the values before its end.
pub fn read(source: &mut Source) -> Result<Video, ExtractError> {
    let head = source.bytes_at(0, 16)?;
    let video = match head.as_slice() {
        [0x1a, 0x45, 0xdf, 0xa3, ..] => matroska::read(source)?,
        [_, _, _, _, b'f', b't', b'y', b'p', ..]
        | [_, _, _, _, b'm', b'o', b'o', b'v', ..]
        | [_, _, _, _, b'm', b'd', b'a', b't', ..]
        | [_, _, _, _, b'w', b'i', b'd', b'e', ..]
        | [_, _, _, _, b'f', b'r', b'e', b'e', ..]
        | [_, _, _, _, b's', b'k', b'i', b'p', ..]
        | [_, _, _, _, b's', b't', b'y', b'p', ..]
        | [_, _, _, _, b'p', b'n', b'o', b't', ..] => mp4::read(source)?,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'A', b'V', b'I', b' ', ..] => avi::read(source)?,
        [b'F', b'L', b'V', 1, ..] => flv::read(source)?,
        [b'O', b'g', b'g', b'S', ..] => ogg::read(source)?,
        [0, 0, 1, 0xba, ..] => mpeg::program::read(source)?,
        _ if head.starts_with(&containers::asf::HEADER) => asf::read(source)?,
        _ => match mpeg::packets::Layout::detect(source)? {
            Some(layout) => mpeg::transport::read(source, layout)?,
            None => return Err(ExtractError::Refused("not a supported video format".into())),
        },
    };
    finish(video, source)
}

/// Reads the headers of a Matroska file with or without video.
///
/// # Errors
/// As for [`read`].
pub fn read_matroska(source: &mut Source) -> Result<Video, ExtractError> {
    let video = matroska::read(source)?;
    finish(video, source)
}

fn finish(video: Video, source: &Source) -> Result<Video, ExtractError> {
    if video.streams.is_empty() {
        return Err(ExtractError::invalid(
            None,
            format!("no stream is described in {}", video.container),
        ));
    }
    Ok(video.finish(source.size()))
}
