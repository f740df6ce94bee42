//! Decodes WavPack, lossless and hybrid, block by block. Each block has a checksum, so damage is detected.

use oxideav_wavpack::parse_block;
use svc_plugin_api::{ExtractError, Source};

use crate::decoder::{Block, Decoder};

const HEADER_BYTES: usize = 32;
/// The most bytes of a block; the format's own limit is 1 MiB.
const BLOCK_BYTES: usize = 1024 * 1024 + 8;
/// The most frames of a block. Encoders write half a second; the reference decoder stops at less.
const BLOCK_FRAMES: u32 = 1 << 20;
/// The most channels of a file. Blocks of one or two channels belong together up to one with the final flag.
const CHANNELS: usize = 64;
const RATES: [u32; 15] = [
    6_000, 8_000, 9_600, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200,
    96_000, 192_000,
];

const FLOAT: u32 = 1 << 7;
const FINAL: u32 = 1 << 12;
const DSD: u32 = 1 << 31;

pub(crate) struct WavPackFile<'s> {
    source: &'s mut Source,
    position: u64,
    sample_rate: u32,
    expected_frames: Option<u64>,
}

/// The fields of a block's header.
struct Header {
    /// With the header, in bytes.
    length: usize,
    /// Frames of the whole file; all ones if the encoder did not know.
    total: u32,
    frames: u32,
    flags: u32,
}

impl Header {
    fn parse(bytes: [u8; HEADER_BYTES]) -> Option<Self> {
        let word = |at: usize| {
            let word = bytes.get(at..at + 4).and_then(|word| word.first_chunk());
            word.map_or(0, |word| u32::from_le_bytes(*word))
        };
        let header = Self {
            length: usize::try_from(word(4)).ok()?.checked_add(8)?,
            total: word(12),
            frames: word(20),
            flags: word(24),
        };
        let is_sound = bytes.starts_with(b"wvpk")
            && (HEADER_BYTES..=BLOCK_BYTES).contains(&header.length)
            && header.frames <= BLOCK_FRAMES;
        is_sound.then_some(header)
    }
}

impl<'s> WavPackFile<'s> {
    pub(crate) fn open(source: &'s mut Source, start: u64) -> Result<Self, ExtractError> {
        let mut file = Self {
            source,
            position: start,
            sample_rate: 0,
            expected_frames: None,
        };
        // The first blocks may contain no audio.
        while let Some(header) = file.header()? {
            if header.frames == 0 {
                file.position += header.length as u64;
                continue;
            }
            if header.flags & DSD != 0 {
                return Err(ExtractError::Unsupported("WavPack of DSD".into()));
            }
            let bytes = file.source.bytes_at(file.position, header.length)?;
            let rate = parse_block(&bytes)
                .ok()
                .and_then(|(block, _)| block.sample_rate().ok()?);
            let rate = rate.or_else(|| RATES.get((header.flags >> 23 & 15) as usize).copied());
            file.sample_rate = rate.filter(|rate| *rate > 0).unwrap_or(44_100);
            file.expected_frames =
                Some(u64::from(header.total)).filter(|total| *total != u64::from(u32::MAX));
            return Ok(file);
        }
        Err(ExtractError::invalid(Some(start), "no WavPack block with audio"))
    }

    fn header(&mut self) -> Result<Option<Header>, ExtractError> {
        let bytes = self.source.array_at::<HEADER_BYTES>(self.position)?;
        Ok(bytes.and_then(Header::parse))
    }
}

impl Decoder for WavPackFile<'_> {
    fn sample_rate(&self) -> u32 {
        self.sample_rate
    }

    fn expected_frames(&self) -> Option<u64> {
        self.expected_frames
    }

    fn next(&mut self, block: &mut Block) -> Result<bool, ExtractError> {
        block.clear(0);
        let mut is_whole = true;
        // Tags follow the last block and end the file.
        while let Some(header) = self.header()? {
            let bytes = self.source.bytes_at(self.position, header.length)?;
            self.position += header.length as u64;
            if header.frames == 0 {
                continue;
            }
            is_whole &= decode(&bytes, &header, block).is_some() && block.planes.len() <= CHANNELS;
            if header.flags & FINAL != 0 || block.planes.len() > CHANNELS {
                if !is_whole {
                    block.set_broken();
                }
                return Ok(true);
            }
        }
        block.clear(0);
        Ok(false)
    }
}

/// Adds the one or two channels of a block; `None` if its checksum is wrong.
fn decode(bytes: &[u8], header: &Header, block: &mut Block) -> Option<()> {
    let (parsed, _) = parse_block(bytes).ok()?;
    let (samples, is_right) = parsed.decode_member_samples_muted().ok()?;
    let frames = usize::try_from(header.frames).ok()?;
    let channels = samples.len() / frames.max(1);
    if !is_right || !matches!(channels, 1 | 2) || samples.len() != channels * frames {
        return None;
    }
    let bits = 8 * ((header.flags & 3) + 1);
    let scale = 1.0 / (1_u64 << (bits - 1)) as f32;
    let value = |sample: &i32| match header.flags & FLOAT {
        0 => *sample as f32 * scale,
        _ => f32::from_bits(*sample as u32),
    };
    for channel in 0..channels {
        let plane = samples.iter().skip(channel).step_by(channels).map(value);
        block.planes.push(plane.collect());
    }
    Some(())
}
