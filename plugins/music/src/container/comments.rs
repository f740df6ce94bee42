//! Locates the Vorbis comments of a file.

use std::io::Result;

use containers::flac::Blocks;
use svc_plugin_api::Source;

use super::{Format, ogg};

/// The type of FLAC's comment block.
const COMMENT_BLOCK: u8 = 4;
/// The most metadata blocks that are read.
const MAX_BLOCKS: usize = 1024;

/// The comments of the Ogg stream at `start`, assembled from its pages; `None` for another format.
///
/// # Errors
/// If a read failed.
pub(super) fn of_ogg(source: &mut Source, format: Format, start: u64) -> Result<Option<Source>> {
    let prefix = match format {
        Format::Opus => 8,
        Format::Vorbis => 7,
        Format::OggFlac => 4,
        Format::Speex => 0,
        _ => return Ok(None),
    };
    let packets = ogg::packets(source, start, 2)?;
    let packet = packets.into_iter().nth(1).filter(|packet| packet.len() >= prefix);
    Ok(packet.map(|mut packet| Source::from_bytes("", packet.split_off(prefix))))
}

/// The start and end of the comment blocks of a FLAC stream, in bytes of the file. A correct file has at most one.
///
/// # Errors
/// If a read failed.
pub fn of_flac(source: &mut Source, start: u64) -> Result<Vec<(u64, u64)>> {
    let mut blocks = Blocks::of_stream(start, MAX_BLOCKS);
    let mut found = Vec::new();
    while let Some(block) = blocks.next(source)? {
        if block.kind == COMMENT_BLOCK {
            found.push((block.start, block.end));
        }
    }
    Ok(found)
}
