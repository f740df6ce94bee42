//! The waveform plugin: decodes music files and sums up their sound.
//!
//! [`decoder`] finds out what a file is and gives its frames in blocks; [`bins`] and [`loudness`] listen to them. A file
//! is decoded front to back with a few packets in memory, and a second time where it turned out not to have the length
//! that it claims, because the edges of the bins depend on it.

mod ape;
mod bins;
mod container;
mod decoder;
mod loudness;
mod opus;
mod stream;
mod wavpack;

use svc_plugin_api::{ExtractError, Source};

use crate::bins::Bins;
use crate::decoder::Block;
use crate::loudness::Loudness;

/// The most bins; a screen is some thousand pixels wide.
const MAX_BINS: u32 = 16_384;

/// The sound of a file, summed up.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// In hertz.
    pub sample_rate: u32,
    /// At least 1.
    pub channels: u16,
    /// Decoded frames.
    pub frames: u64,
    /// The largest sample of each bin, 255 for full scale.
    pub peak: Vec<u8>,
    /// The root mean square of each bin, 255 for full scale.
    pub rms: Vec<u8>,
    /// In LUFS.
    pub integrated_loudness: Option<f64>,
    /// In dBTP.
    pub true_peak: Option<f64>,
    /// Silence before the first sound.
    pub silence_lead_in_ms: u64,
    /// Silence after the last sound.
    pub silence_lead_out_ms: u64,
}

/// Decodes a file and sums it up.
///
/// # Errors
/// `Invalid` for a file of which nothing, or less than half of what it claims, can be decoded.
pub fn measure(source: &mut Source, bins: u32) -> Result<Summary, ExtractError> {
    let bins = bins.clamp(1, MAX_BINS) as usize;
    let mut block = Block::default();

    let mut decoder = decoder::open(source)?;
    let (sample_rate, claimed) = (decoder.sample_rate(), decoder.expected_frames());
    let mut counted = Bins::new(bins, claimed.unwrap_or_default());
    let mut listener: Option<Loudness> = None;
    let (mut frames, mut channels) = (0_u64, 0);
    while decoder.next(&mut block)? {
        let length = block.frames();
        if length == 0 {
            continue;
        }
        channels = channels.max(block.planes.len());
        listener
            .get_or_insert_with(|| Loudness::new(sample_rate, block.planes.len()))
            .add(&block.planes, length);
        counted.add(&block.planes, length);
        frames += length as u64;
    }
    let claimed = decoder.expected_frames().and(claimed);
    drop(decoder);
    let Some(listener) = listener else {
        return Err(ExtractError::invalid(None, "nothing of it can be decoded"));
    };
    if claimed.is_some_and(|claimed| frames < claimed / 2) {
        return Err(ExtractError::invalid(None, "less than half of it can be decoded"));
    }
    if claimed != Some(frames) {
        counted = count(source, bins, frames, &mut block)?;
    }

    let (peak, rms) = counted.finish();
    let (silence_lead_in_ms, silence_lead_out_ms) = listener.silence_ms();
    Ok(Summary {
        sample_rate,
        channels: u16::try_from(channels).unwrap_or(u16::MAX),
        frames,
        peak,
        rms,
        integrated_loudness: listener.integrated(),
        true_peak: listener.true_peak(),
        silence_lead_in_ms,
        silence_lead_out_ms,
    })
}

/// Decodes once more, now that the length is known.
fn count(source: &mut Source, bins: usize, frames: u64, block: &mut Block) -> Result<Bins, ExtractError> {
    let mut decoder = decoder::open(source)?;
    let mut counted = Bins::new(bins, frames);
    while decoder.next(block)? {
        counted.add(&block.planes, block.frames());
    }
    Ok(counted)
}
