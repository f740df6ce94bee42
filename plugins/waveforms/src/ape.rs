//! Decodes Monkey's Audio.

use ape_decoder::{ApeDecoder, ApeError};
use svc_plugin_api::{ExtractError, Source};

use crate::decoder::{Block, Decoder};
use crate::stream::Stream;

/// The most blocks of a frame. Encoders write at most 16 times 73,728, a little more than a million.
const FRAME_BLOCKS: u32 = 1 << 21;

pub(crate) struct ApeFile<'s> {
    decoder: ApeDecoder<Stream<'s>>,
    next: u32,
}

impl<'s> ApeFile<'s> {
    pub(crate) fn open(source: &'s mut Source) -> Result<Self, ExtractError> {
        let size = source.size();
        let decoder = ApeDecoder::new(Stream::new(source)).map_err(refusal)?;
        let info = decoder.info();
        let invalid = |what: &str| Err(ExtractError::invalid(None, what));
        if info.is_floating_point {
            return Err(ExtractError::Unsupported(
                "Monkey's Audio of floating point".into(),
            ));
        }
        if info.channels == 0 || info.sample_rate == 0 || !matches!(info.bits_per_sample, 8 | 16 | 24 | 32) {
            return invalid("an invalid sample format");
        }
        // Each frame has at least one word in the file.
        if info.total_frames == 0 || u64::from(info.total_frames) * 4 > size {
            return invalid("an invalid number of frames");
        }
        if info.blocks_per_frame > FRAME_BLOCKS || info.final_frame_blocks > info.blocks_per_frame {
            return invalid("an invalid frame length");
        }
        Ok(Self { decoder, next: 0 })
    }
}

impl Decoder for ApeFile<'_> {
    fn sample_rate(&self) -> u32 {
        self.decoder.info().sample_rate
    }

    fn expected_frames(&self) -> Option<u64> {
        Some(self.decoder.info().total_samples)
    }

    fn next(&mut self, block: &mut Block) -> Result<bool, ExtractError> {
        let info = self.decoder.info();
        let (channels, bits) = (usize::from(info.channels), info.bits_per_sample);
        let big_endian = info.is_big_endian;
        if self.next >= info.total_frames {
            return Ok(false);
        }
        block.clear(channels);
        let bytes = match self.decoder.decode_frame(self.next) {
            Ok(bytes) => bytes,
            // Frames are independent of each other, and each has a checksum.
            Err(_) => {
                block.set_broken();
                Vec::new()
            }
        };
        self.next += 1;
        let sample = |bytes: &[u8]| {
            // Left-aligned, so that full scale is the same for every bit depth.
            let mut word = [0; 4];
            for (at, byte) in bytes.iter().rev().enumerate() {
                if let Some(place) = word.get_mut(at) {
                    *place = *byte;
                }
            }
            if big_endian && bits > 8 {
                word.get_mut(..bytes.len()).unwrap_or_default().reverse();
            }
            i32::from_be_bytes(word) as f32 / 2_147_483_648.0
        };
        let width = usize::from(bits / 8).max(1);
        let samples = bytes.chunks_exact(width).map(sample);
        if bits == 8 && !self.decoder.info().is_signed_8bit {
            block.push_interleaved(bytes.iter().map(|byte| (f32::from(*byte) - 128.0) / 128.0));
        } else {
            block.push_interleaved(samples);
        }
        Ok(true)
    }
}

fn refusal(error: ApeError) -> ExtractError {
    match error {
        ApeError::UnsupportedVersion(version) => ExtractError::Unsupported(format!(
            "Monkey's Audio {}.{:02}",
            version / 1000,
            version % 1000 / 10
        )),
        error => ExtractError::invalid(None, error.to_string()),
    }
}
