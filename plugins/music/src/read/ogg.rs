//! Ogg: properties from the first packet, the duration from the last page.

use std::io::Result;

use svc_plugin_api::Source;

use super::lofty_formats;
use crate::audio::{Audio, samples_ms};
use crate::container::{Container, Format, ogg, ogg_pages};

/// Opus is always decoded at this rate; the header states that of the recording.
const OPUS_HZ: u32 = 48_000;
/// Bytes before the FLAC signature in the first packet.
const FLAC_MAPPING: usize = 9;

/// Reads the properties of the first stream; the inner error is the reason why they are unreadable.
pub(super) fn read(source: &mut Source, container: &Container) -> Result<std::result::Result<Audio, String>> {
    let packets = ogg::packets(source, container.start, 1)?;
    let Some(head) = packets.first() else {
        return Ok(Err("the first Ogg packet is cut off".to_owned()));
    };
    let (mut audio, skip) = match properties(container.format, head) {
        Ok(properties) => properties,
        Err(failure) => return Ok(Err(failure)),
    };
    if audio.duration_ms == 0 && audio.sample_rate > 0 {
        let samples = ogg_pages::samples(source, container.start)?;
        audio.duration_ms = samples_ms(samples.saturating_sub(skip), audio.sample_rate);
    }
    Ok(Ok(audio))
}

/// The properties in the first packet, and the number of samples to skip at the start.
fn properties(format: Format, head: &[u8]) -> std::result::Result<(Audio, u64), String> {
    let byte = |at: usize| head.get(at).copied().map_or(0, u32::from);
    let number = |at: usize| {
        let bytes = head.get(at..).and_then(|bytes| bytes.first_chunk());
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    };
    let (codec, channels, sample_rate, skip) = match format {
        Format::Opus => ("opus", byte(9), OPUS_HZ, byte(10) | byte(11) << 8),
        // Headers before version 1.0 have the same layout.
        Format::Speex => ("speex", number(48), number(36), 0),
        Format::OggFlac => {
            let mut blocks = head.get(FLAC_MAPPING..).unwrap_or_default().to_vec();
            // Mark the stream information as the last block: the other blocks are not in this packet.
            if let Some(kind) = blocks.get_mut(4) {
                *kind |= 0x80;
            }
            let audio = lofty_formats::flac(blocks)?;
            return Ok((
                Audio {
                    container: "ogg",
                    ..audio
                },
                0,
            ));
        }
        _ => ("vorbis", byte(11), number(12), 0),
    };
    let audio = Audio {
        container: "ogg",
        codec: Some(codec),
        channels: if channels <= 255 { channels } else { 0 },
        sample_rate,
        ..Audio::default()
    };
    Ok((audio, skip.into()))
}
