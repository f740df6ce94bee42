//! AAC in ADTS frames, with ID3 tags before and after.
//!
//! Lofty is not used: it takes the bitrate of the first frame for the whole file, and loops on a frame of length 0.

use std::io::Result;

use svc_plugin_api::Source;

use crate::audio::{Audio, samples_ms};
use crate::container::Container;

const FRAME_SAMPLES: u64 = 1024;
/// The most frames that are read to estimate the average: some ten seconds, a few windows of the source.
const MAX_FRAMES: u64 = 512;
/// The most bytes that are searched for the first frame.
const MAX_JUNK: usize = 64 * 1024;
/// The index for an explicit sample rate, which ADTS does not have.
const EXPLICIT_RATE: usize = 15;
const SAMPLE_RATES: [u32; 13] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];

/// Reads the frames between the tags of a file.
pub(super) fn read(source: &mut Source, container: &Container) -> Result<std::result::Result<Audio, String>> {
    let audio = read_audio(source, container.start, container.tail.start)?;
    Ok(audio.ok_or_else(|| "no ADTS frame".to_owned()))
}

/// A frame header; the length is in bytes.
struct Frame {
    /// 0 if the header does not state it.
    sample_rate: u32,
    channels: u32,
    length: u64,
}

fn frame_at(source: &mut Source, offset: u64) -> Result<Option<Frame>> {
    let Some([0xff, sync, rate, a, b, c, _]) = source.array_at::<7>(offset)? else {
        return Ok(None);
    };
    let length = (u64::from(a & 3) << 11) | (u64::from(b) << 3) | u64::from(c >> 5);
    let index = usize::from((rate >> 2) & 15);
    let sample_rate = SAMPLE_RATES
        .get(index)
        .copied()
        .or((index == EXPLICIT_RATE).then_some(0));
    let Some(sample_rate) = sample_rate.filter(|_| sync & 0xf6 == 0xf0 && length > 7) else {
        return Ok(None);
    };
    let channels = match (u32::from(rate & 1) << 2) | u32::from(a >> 6) {
        7 => 8,
        channels => channels,
    };
    Ok(Some(Frame {
        sample_rate,
        channels,
        length,
    }))
}

/// Reads the first frame, and estimates the duration from the first frames: ADTS does not state a length.
fn read_audio(source: &mut Source, start: u64, end: u64) -> Result<Option<Audio>> {
    let Some((start, first)) = first_frame(source, start, end)? else {
        return Ok(None);
    };
    let (mut offset, mut frames) = (start, 0);
    while frames < MAX_FRAMES
        && let Some(frame) = frame_at(source, offset)?
    {
        offset += frame.length;
        frames += 1;
    }
    let bytes = offset - start;
    // Fewer than the limit: all frames were counted.
    let all = if frames < MAX_FRAMES {
        bytes
    } else {
        end.saturating_sub(start)
    };
    let samples = u128::from(frames * FRAME_SAMPLES) * u128::from(all) / u128::from(bytes.max(1));
    Ok(Some(Audio {
        container: "adts",
        codec: Some("aac"),
        duration_ms: match first.sample_rate {
            0 => 0,
            rate => samples_ms(u64::try_from(samples).unwrap_or(u64::MAX), rate),
        },
        sample_rate: first.sample_rate,
        bit_depth: 0,
        channels: first.channels,
    }))
}

/// The first frame that another one or the end of the file follows.
fn first_frame(source: &mut Source, start: u64, end: u64) -> Result<Option<(u64, Frame)>> {
    if let Some(first) = frame_at(source, start)?
        && is_frame_or_end(source, start + first.length, end)?
    {
        return Ok(Some((start, first)));
    }
    let junk = source.bytes_at(start, MAX_JUNK)?;
    let places = junk
        .windows(2)
        .zip(start..)
        .filter(|(pair, _)| matches!(pair, [0xff, sync] if sync & 0xf6 == 0xf0));
    for (_, offset) in places {
        if let Some(first) = frame_at(source, offset)?
            && is_frame_or_end(source, offset + first.length, end)?
        {
            return Ok(Some((offset, first)));
        }
    }
    Ok(None)
}

fn is_frame_or_end(source: &mut Source, next: u64, end: u64) -> Result<bool> {
    Ok(next >= end || frame_at(source, next)?.is_some())
}
