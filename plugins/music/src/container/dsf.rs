//! DSF (DSD): three little-endian chunks, and an ID3v2 tag at an offset in the header.

use std::io::Result;

use svc_plugin_api::Source;

use crate::audio::{Audio, samples_ms};

/// The offset of the ID3v2 tag, if there is one.
///
/// # Errors
/// If a read failed.
pub fn tag_offset(source: &mut Source) -> Result<Option<u64>> {
    let offset = source.array_at::<8>(20)?.map(u64::from_le_bytes);
    Ok(offset.filter(|offset| *offset > 0 && *offset < source.size()))
}

/// Reads the properties; the inner error is the reason why they are unreadable.
///
/// # Errors
/// If a read failed.
pub fn read(source: &mut Source) -> Result<std::result::Result<Audio, String>> {
    let Some(format) = source.array_at::<52>(28)? else {
        return Ok(Err("the format chunk is cut off".to_owned()));
    };
    let number = |at: usize| {
        format
            .get(at..)
            .and_then(|bytes| bytes.first_chunk())
            .copied()
            .map(u32::from_le_bytes)
    };
    if !format.starts_with(b"fmt ") {
        return Ok(Err("no format chunk".to_owned()));
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
    Ok(Ok(audio))
}
