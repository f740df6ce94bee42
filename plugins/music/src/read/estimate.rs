//! Durations where lofty has none, or takes the first frame's bitrate for that of all.

use std::io::Result;

use svc_plugin_api::Source;

use crate::audio::{Audio, samples_ms};
use crate::container::{Container, Format};

/// Samples of an ADTS frame.
const ADTS_SAMPLES: u64 = 1024;
/// How many frames are walked to know the average: some ten seconds, one or two windows of the source.
const MAX_ADTS_FRAMES: u64 = 512;
/// How much of a WavPack file's end is searched for its last block, in bytes.
const WAVPACK_TAIL: u64 = 32 * 1024;

/// The properties with a better duration, where there is one to be had.
pub(super) fn better(source: &mut Source, container: &Container, audio: Audio) -> Result<Audio> {
    let duration_ms = match container.format {
        Format::Adts => adts(source, container.start, audio.sample_rate)?,
        Format::WavPack if audio.duration_ms == 0 => wavpack(source, audio.sample_rate)?,
        _ => None,
    };
    Ok(Audio { duration_ms: duration_ms.unwrap_or(audio.duration_ms), ..audio })
}

/// ADTS has no length anywhere: the frames at the beginning are counted, the rest is taken to be like them.
fn adts(source: &mut Source, start: u64, sample_rate: u32) -> Result<Option<u64>> {
    let (mut offset, mut frames) = (start, 0);
    while frames < MAX_ADTS_FRAMES {
        let Some([0xff, sync, _, a, b, c, _]) = source.array_at::<7>(offset)? else { break };
        let length = (u64::from(a & 3) << 11) | (u64::from(b) << 3) | u64::from(c >> 5);
        if sync & 0xf6 != 0xf0 || length < 7 {
            break;
        }
        offset += length;
        frames += 1;
    }
    if frames == 0 || sample_rate == 0 {
        return Ok(None);
    }
    let bytes = offset - start;
    // Fewer than the most: what follows is no frame, so all were counted.
    let all = if frames < MAX_ADTS_FRAMES { bytes } else { source.size().saturating_sub(start) };
    let samples = u128::from(frames * ADTS_SAMPLES) * u128::from(all) / u128::from(bytes.max(1));
    Ok(u64::try_from(samples).ok().map(|samples| samples_ms(samples, sample_rate)))
}

/// A WavPack stream of unknown length: the last block says where it begins and how long it is, in samples.
fn wavpack(source: &mut Source, sample_rate: u32) -> Result<Option<u64>> {
    let from = source.size().saturating_sub(WAVPACK_TAIL);
    let tail = source.bytes_at(from, usize::try_from(WAVPACK_TAIL).unwrap_or(0))?;
    let block = tail.windows(32).rev().find(|window| window.starts_with(b"wvpk"));
    let number = |at: usize| Some(u64::from(u32::from_le_bytes(*block?.get(at..)?.first_chunk()?)));
    let samples = number(16).zip(number(20)).map(|(index, length)| index + length);
    Ok(samples.filter(|_| sample_rate > 0).map(|samples| samples_ms(samples, sample_rate)))
}
