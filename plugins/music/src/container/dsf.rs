//! DSF (DSD streams): three little-endian chunks, and an ID3v2 tag where the header says.

use svc_plugin_api::{ExtractError, Source};

use crate::audio::{Audio, samples_ms};
use crate::dialect::id3v2;
use crate::read::{Statements, id3v2_of};

/// The most bytes of a tag that is read.
const MAX_TAG_BYTES: usize = 16 * 1024 * 1024;

/// Where the ID3v2 tag is, in bytes, if there is one.
///
/// # Errors
/// If a read failed.
pub fn tag_offset(source: &mut Source) -> std::io::Result<Option<u64>> {
    let offset = source.array_at::<8>(20)?.map(u64::from_le_bytes);
    Ok(offset.filter(|offset| *offset > 0 && *offset < source.size()))
}

/// Reads a file.
///
/// # Errors
/// `Invalid` if the format chunk is missing, `Io` if a read failed.
pub fn read(source: &mut Source) -> Result<Statements, ExtractError> {
    let Some(format) = source.array_at::<52>(28)? else {
        return Err(ExtractError::invalid(Some(28), "the format chunk is cut off"));
    };
    let number = |at: usize| {
        format
            .get(at..)
            .and_then(|bytes| bytes.first_chunk())
            .copied()
            .map(u32::from_le_bytes)
    };
    if !format.starts_with(b"fmt ") {
        return Err(ExtractError::invalid(Some(28), "no format chunk"));
    }
    let samples = format
        .get(36..)
        .and_then(|bytes| bytes.first_chunk())
        .copied()
        .map_or(0, u64::from_le_bytes);
    let sample_rate = number(28).unwrap_or(0);
    let audio = Audio {
        container: "dsf",
        codec: Some("dsd"),
        duration_ms: if sample_rate > 0 {
            samples_ms(samples, sample_rate)
        } else {
            0
        },
        sample_rate,
        bit_depth: 1,
        channels: number(24).unwrap_or(0),
    };
    let Some(offset) = tag_offset(source)? else {
        return Ok((Vec::new(), audio, Vec::new()));
    };
    let bytes = source.bytes_at(offset, MAX_TAG_BYTES)?;
    match id3v2_of(&mut Source::from_bytes("", bytes)) {
        Ok(tag) => Ok((tag.iter().map(id3v2::read).collect(), audio, Vec::new())),
        Err(failure) => Ok((Vec::new(), audio, vec![format!("tag not read: {failure}")])),
    }
}
