//! The waveforms plugin: waveform, loudness and silence of audio files.
//!
//! [`format`] chooses a decoder by the file's content; [`bins`] and [`loudness`] measure the decoded blocks. A file
//! is decoded from start to end with a few packets in memory. If its length turns out to be different from the one it
//! states, it is decoded again, because the edges of the bins depend on the length.

mod aac;
mod ape;
mod bins;
mod container;
mod decoder;
mod format;
mod layout;
mod loudness;
mod opus;
mod stream;
mod wavpack;

use svc_plugin_api::{ExtractError, Source, Summary, WaveformAnalyzer};

use crate::bins::Bins;
use crate::decoder::Block;
use crate::loudness::Loudness;

/// The most bins; screens are a few thousand pixels wide.
const MAX_BINS: u32 = 16_384;

pub struct Waveforms;

impl WaveformAnalyzer for Waveforms {
    fn analyze(source: &mut Source, bins: u32) -> Result<Summary, ExtractError> {
        analyze(source, bins)
    }
}

svc_plugin_api::export_plugin!(Waveforms, manifest = "plugin.toml", abilities = [waveform]);

/// Decodes and measures a file.
///
/// # Errors
/// `Invalid` if no block, or less than half of the blocks, can be decoded.
fn analyze(source: &mut Source, bins: u32) -> Result<Summary, ExtractError> {
    let bins = bins.clamp(1, MAX_BINS) as usize;
    let mut block = Block::default();

    let mut decoder = format::open(source)?;
    let (sample_rate, claimed) = (decoder.sample_rate(), decoder.expected_frames());
    let mut counted = Bins::new(bins, claimed.unwrap_or_default());
    let mut loudness: Option<Loudness> = None;
    let (mut frames, mut channels) = (0_u64, 0);
    let (mut decoded_blocks, mut broken_blocks) = (0_u64, 0_u64);
    while decoder.next(&mut block)? {
        let length = block.frames();
        *(if block.is_broken {
            &mut broken_blocks
        } else {
            &mut decoded_blocks
        }) += 1;
        if length == 0 {
            continue;
        }
        channels = channels.max(block.planes.len());
        loudness
            .get_or_insert_with(|| Loudness::new(sample_rate, block.planes.len()))
            .add(&block.planes, length);
        counted.add(&block.planes, length);
        frames += length as u64;
    }
    let claimed = decoder.expected_frames().and(claimed);
    drop(decoder);
    let Some(loudness) = loudness else {
        return Err(ExtractError::invalid(None, "no packet can be decoded"));
    };
    if broken_blocks > decoded_blocks {
        return Err(ExtractError::invalid(None, "most packets cannot be decoded"));
    }
    if claimed != Some(frames) {
        counted = count(source, bins, frames, &mut block)?;
    }

    let (peak, rms) = counted.finish();
    let (silence_lead_in_ms, silence_lead_out_ms) = loudness.silence_ms();
    Ok(Summary {
        sample_rate,
        channels: u16::try_from(channels).unwrap_or(u16::MAX),
        frames,
        peak,
        rms,
        integrated_loudness: loudness.integrated(),
        true_peak: loudness.true_peak(),
        silence_lead_in_ms,
        silence_lead_out_ms,
    })
}

/// Decodes the file again for its actual length.
fn count(source: &mut Source, bins: usize, frames: u64, block: &mut Block) -> Result<Bins, ExtractError> {
    let mut decoder = format::open(source)?;
    let mut counted = Bins::new(bins, frames);
    while decoder.next(block)? {
        counted.add(&block.planes, block.frames());
    }
    Ok(counted)
}
