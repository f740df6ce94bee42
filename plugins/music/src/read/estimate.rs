//! Durations where lofty has none.

use std::io::Result;

use svc_plugin_api::Source;

use crate::audio::{Audio, samples_ms};
use crate::container::{Container, Format};

/// How much of a WavPack file's end is searched for its last block, in bytes.
const WAVPACK_TAIL: u64 = 32 * 1024;

/// The properties with a better duration, where there is one to be had.
pub(super) fn better(source: &mut Source, container: &Container, audio: Audio) -> Result<Audio> {
    let duration_ms = match container.format {
        Format::WavPack if audio.duration_ms == 0 => wavpack(source, audio.sample_rate)?,
        _ => None,
    };
    Ok(Audio {
        duration_ms: duration_ms.unwrap_or(audio.duration_ms),
        ..audio
    })
}

/// A WavPack stream of unknown length: the last block says where it begins and how long it is, in samples.
fn wavpack(source: &mut Source, sample_rate: u32) -> Result<Option<u64>> {
    let from = source.size().saturating_sub(WAVPACK_TAIL);
    let tail = source.bytes_at(from, usize::try_from(WAVPACK_TAIL).unwrap_or(0))?;
    let block = tail.windows(32).rev().find(|window| window.starts_with(b"wvpk"));
    let number = |at: usize| Some(u64::from(u32::from_le_bytes(*block?.get(at..)?.first_chunk()?)));
    let samples = number(16).zip(number(20)).map(|(index, length)| index + length);
    Ok(samples
        .filter(|_| sample_rate > 0)
        .map(|samples| samples_ms(samples, sample_rate)))
}
