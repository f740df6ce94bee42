//! Audio properties of WAV and AIFF.

use std::io::Result;

use svc_plugin_api::Source;

use crate::audio::{Audio, MAX_RATE, samples_ms};
use crate::items::{Item, ItemList};

type Chunk = Item<[u8; 4]>;

/// The most bytes of a format chunk that are read.
const MAX_FORMAT: usize = 64;
/// Format tags: PCM, floating point, and the one whose actual tag is in an extension.
const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;
/// Frames per packet of AIFF's ADPCM.
const IMA4_FRAMES: u64 = 64;

/// Reads the properties of a WAV file; the inner error is the reason why they are unreadable.
pub(super) fn wav(
    source: &mut Source,
    list: &ItemList<[u8; 4]>,
) -> Result<std::result::Result<Audio, String>> {
    let Some(format) = find(list, b"fmt ") else {
        return Ok(Err("no format chunk".to_owned()));
    };
    let format = Format::of(&format.bytes(source, MAX_FORMAT)?);
    if format.channels == 0 || !(1..=MAX_RATE).contains(&format.sample_rate) {
        return Ok(Err("the format chunk is invalid".to_owned()));
    }
    let fact = match find(list, b"fact") {
        Some(fact) => source.array_at::<4>(fact.body)?.map_or(0, u32::from_le_bytes),
        None => 0,
    };
    let data = find(list, b"data").map_or(0, |data| data.end.saturating_sub(data.body));
    Ok(Ok(Audio {
        container: "wav",
        codec: format.codec(),
        duration_ms: format.duration_ms(data, fact),
        sample_rate: format.sample_rate,
        bit_depth: format.bit_depth,
        channels: format.channels.into(),
    }))
}

fn find<'a>(list: &'a ItemList<[u8; 4]>, name: &[u8; 4]) -> Option<&'a Chunk> {
    list.items.iter().find(|chunk| &chunk.name == name)
}

/// The fields of a format chunk.
#[derive(Default)]
struct Format {
    number: u16,
    channels: u16,
    sample_rate: u32,
    byte_rate: u32,
    block_bytes: u16,
    bit_depth: u8,
    /// Samples per channel in a block of ADPCM.
    block_samples: u16,
}

impl Format {
    fn of(bytes: &[u8]) -> Self {
        let short = |at: usize| {
            let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
            bytes.map_or(0, |bytes| u16::from_le_bytes(*bytes))
        };
        let long = |at: usize| u32::from(short(at)) | u32::from(short(at + 2)) << 16;
        let mut format = Self {
            number: short(0),
            channels: short(2),
            sample_rate: long(4),
            byte_rate: long(8),
            block_bytes: short(12),
            bit_depth: u8::try_from(short(14)).unwrap_or(0),
            block_samples: 0,
        };
        if format.number == EXTENSIBLE {
            // The valid bits of a sample may be fewer than its size.
            format.bit_depth = u8::try_from(short(18))
                .ok()
                .filter(|bits| *bits > 0)
                .unwrap_or(format.bit_depth);
            format.number = short(24);
        } else if format.codec() == Some("adpcm") {
            format.block_samples = short(18);
        }
        format
    }

    /// The codec by its format tag.
    fn codec(&self) -> Option<&'static str> {
        Some(match self.number {
            // 6 and 7 are A-law and µ-law, companded PCM.
            PCM | FLOAT | 6 | 7 => "pcm",
            0x02 | 0x11 | 0x14 | 0x16 | 0x40 | 0x45 | 0x200 => "adpcm",
            0x50 => "mp2",
            0x55 => "mp3",
            0xff | 0x1600 | 0x1610 => "aac",
            _ => return None,
        })
    }

    fn duration_ms(&self, data: u64, fact: u32) -> u64 {
        let is_pcm = matches!(self.number, PCM | FLOAT | 6 | 7);
        let block = u64::from(self.block_bytes);
        // The `fact` chunk counts only if the size of the data does not give the duration.
        if is_pcm && let Some(samples) = data.checked_div(block) {
            return samples_ms(samples, self.sample_rate);
        }
        if fact > 0 && fact < u32::MAX {
            return samples_ms(fact.into(), self.sample_rate);
        }
        if self.block_samples > 0
            && let Some(blocks) = data.checked_div(block)
        {
            return samples_ms(blocks * u64::from(self.block_samples), self.sample_rate);
        }
        (data * 1000).checked_div(self.byte_rate.into()).unwrap_or(0)
    }
}

/// Reads the properties of an AIFF file; the inner error is the reason why they are unreadable.
pub(super) fn aiff(
    source: &mut Source,
    list: &ItemList<[u8; 4]>,
) -> Result<std::result::Result<Audio, String>> {
    let format = match find(list, b"COMM") {
        Some(chunk) => chunk.bytes(source, MAX_FORMAT)?,
        None => Vec::new(),
    };
    let Some(([c0, c1, f0, f1, f2, f3, b0, b1, rate @ ..], rest)) = format.split_first_chunk::<18>() else {
        return Ok(Err("no common chunk".to_owned()));
    };
    let frames = u64::from(u32::from_be_bytes([*f0, *f1, *f2, *f3]));
    let sample_rate = extended(*rate);
    if !(1..=MAX_RATE).contains(&sample_rate) {
        return Ok(Err("the common chunk is invalid".to_owned()));
    }
    let is_ima4 = rest.starts_with(b"ima4");
    Ok(Ok(Audio {
        container: "aiff",
        codec: Some(if is_ima4 { "adpcm" } else { "pcm" }),
        duration_ms: samples_ms(if is_ima4 { frames * IMA4_FRAMES } else { frames }, sample_rate),
        sample_rate,
        bit_depth: u8::try_from(u16::from_be_bytes([*b0, *b1])).unwrap_or(0),
        channels: u16::from_be_bytes([*c0, *c1]).into(),
    }))
}

/// A sample rate as an 80-bit float: 15 bits of exponent, 64 of mantissa with an explicit leading 1.
fn extended(bytes: [u8; 10]) -> u32 {
    let [e0, e1, mantissa @ ..] = bytes;
    let exponent = i32::from(u16::from_be_bytes([e0, e1]) & 0x7fff) - 16_383;
    let shift = u32::try_from(63 - exponent).ok().filter(|shift| *shift < 64);
    let rate = shift.map(|shift| u64::from_be_bytes(mantissa) >> shift);
    rate.and_then(|rate| u32::try_from(rate).ok()).unwrap_or(0)
}
