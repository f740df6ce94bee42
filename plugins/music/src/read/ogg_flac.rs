//! FLAC in Ogg: each metadata block is a packet; put in a row they are the head of a FLAC file.

use svc_plugin_api::{ExtractError, Source};

use super::{Statements, lofty_formats, options};
use crate::audio::Audio;
use crate::container::ogg;

/// Bytes before the FLAC signature in the first packet.
const MAPPING_HEADER: usize = 9;

/// The head of the FLAC file inside, from its signature to its last metadata block.
///
/// # Errors
/// If a read failed.
pub(super) fn flac_head(source: &mut Source, start: u64) -> std::io::Result<Vec<u8>> {
    let first = ogg::packets(source, start, 1)?;
    let Some(first) = first.first().and_then(|packet| packet.get(MAPPING_HEADER..)) else {
        return Ok(Vec::new());
    };
    let count = source.array_at::<64>(start)?.and_then(|page| {
        let segments = usize::from(*page.get(26)?);
        page.get(27 + segments + 7..)
            .and_then(|bytes| bytes.first_chunk())
            .copied()
            .map(u16::from_be_bytes)
    });
    let mut head = first.to_vec();
    for packet in ogg::packets(source, start, 1 + usize::from(count.unwrap_or(1)).max(1))?
        .iter()
        .skip(1)
    {
        head.extend_from_slice(packet);
    }
    Ok(head)
}

/// Reads a file.
///
/// # Errors
/// `Invalid` if the FLAC headers are broken, `Io` if a read failed.
pub(super) fn read(source: &mut Source, start: u64) -> Result<Statements, ExtractError> {
    let head = flac_head(source, start)?;
    let file_type = lofty::file::FileType::Flac;
    let (tags, audio) = lofty_formats::read(&mut Source::from_bytes("", head), file_type, options(false))
        .map_err(|failure| ExtractError::invalid(None, failure))?;
    Ok((
        tags,
        Audio {
            container: "ogg",
            ..audio
        },
        Vec::new(),
    ))
}
