//! Frame headers of AC-3, E-AC-3, TrueHD, MPEG audio and Blu-ray PCM: channels and sample rate.

use super::{Frame, dts};
use crate::bits::Bits;

/// Channels by AC-3's mode, without the low-frequency channel.
const AC3_CHANNELS: [u32; 8] = [2, 1, 2, 3, 3, 4, 4, 5];
const AC3_RATES: [u32; 3] = [48_000, 44_100, 32_000];
const MPEG_RATES: [u32; 3] = [44_100, 48_000, 32_000];

/// Finds the first frame of AC-3 or E-AC-3.
pub(crate) fn ac3(bytes: &[u8]) -> Option<Frame> {
    bytes
        .windows(8)
        .filter(|window| window.starts_with(&[0x0b, 0x77]))
        .find_map(ac3_frame)
}

/// A frame of an unknown codec. AC-3 counts only at the very start, because its sync word has only two bytes.
pub(crate) fn unnamed(bytes: &[u8]) -> Option<Frame> {
    let begins = bytes.starts_with(&[0x0b, 0x77]);
    let named = dts::frame(bytes).or_else(|| truehd(bytes));
    named.or_else(|| bytes.get(..8).filter(|_| begins).and_then(ac3))
}

fn ac3_frame(frame: &[u8]) -> Option<Frame> {
    let version = frame.get(5)? >> 3;
    if version > 10 {
        // After stream type, number and size.
        let mut bits = Bits::new(frame.get(2..)?);
        bits.skip(16)?;
        let rate = match bits.take(2)? {
            3 => *AC3_RATES.get(usize::try_from(bits.take(2)?).ok()?)? / 2,
            code => {
                bits.skip(2)?;
                *AC3_RATES.get(usize::try_from(code).ok()?)?
            }
        };
        return Some(("eac3", mode(&mut bits)?, rate));
    }
    let mut bits = Bits::new(frame.get(4..)?);
    let rate = AC3_RATES.get(usize::try_from(bits.take(2)?).ok()?)?;
    bits.skip(6 + 5 + 3)?;
    let mode = bits.take(3)?;
    // Mixing levels, which depend on the mode.
    if mode & 1 == 1 && mode != 1 {
        bits.skip(2)?;
    }
    if mode & 4 == 4 {
        bits.skip(2)?;
    }
    if mode == 2 {
        bits.skip(2)?;
    }
    let channels = AC3_CHANNELS.get(usize::try_from(mode).ok()?)? + bits.take(1)?;
    Some(("ac3", channels, *rate))
}

fn mode(bits: &mut Bits) -> Option<u32> {
    let mode = usize::try_from(bits.take(3)?).ok()?;
    Some(AC3_CHANNELS.get(mode)? + bits.take(1)?)
}

/// The `dac3` box: channels and sample rate.
pub(crate) fn ac3_box(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut bits = Bits::new(bytes);
    let rate = AC3_RATES.get(usize::try_from(bits.take(2)?).ok()?)?;
    bits.skip(5 + 3)?;
    Some((mode(&mut bits)?, *rate))
}

/// The `dec3` box: channels and sample rate.
pub(crate) fn eac3_box(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut bits = Bits::new(bytes);
    bits.skip(13 + 3)?;
    let rate = AC3_RATES.get(usize::try_from(bits.take(2)?).ok()?)?;
    bits.skip(5 + 1 + 1 + 3)?;
    let channels = mode(&mut bits)?;
    bits.skip(3)?;
    let further = if bits.take(4)? > 0 { bits.take(9)? } else { 0 };
    // Pairs among the additional channels: center left and right, rear surround left and right.
    let pairs = (further & 1) + (further >> 1 & 1) + (further >> 5 & 1) + (further >> 6 & 1);
    Some((channels + 2 * pairs.min(1), *rate))
}

/// Finds the first major sync of Dolby TrueHD.
pub(crate) fn truehd(bytes: &[u8]) -> Option<Frame> {
    bytes
        .windows(8)
        .filter(|window| window.starts_with(&[0xf8, 0x72, 0x6f, 0xba]))
        .find_map(|frame| {
            let mut bits = Bits::new(frame.get(4..)?);
            let rate = match bits.take(4)? {
                code @ 0..=2 => 48_000 << code,
                code @ 8..=10 => 44_100 << (code - 8),
                _ => return None,
            };
            bits.skip(4 + 2 + 2)?;
            // The channel assignment of six channels, then of eight.
            let six = bits.take(5)?;
            bits.skip(2)?;
            let eight = bits.take(13)?;
            let places = if eight != 0 { eight } else { six };
            // Bits that stand for a pair: left and right, surround, height, wide, rear and so on.
            let pairs = places & (1 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11);
            Some(("truehd", places.count_ones() + pairs.count_ones(), rate))
        })
}

/// The header of PCM on Blu-ray discs.
pub(crate) fn disc_pcm(bytes: &[u8]) -> Option<Frame> {
    const CHANNELS: [u32; 16] = [0, 1, 0, 2, 3, 3, 4, 4, 5, 6, 7, 8, 0, 0, 0, 0];
    let [_, _, third, ..] = bytes else {
        return None;
    };
    let channels = CHANNELS.get(usize::from(third >> 4))?;
    let rate = match third & 15 {
        1 => 48_000,
        4 => 96_000,
        5 => 192_000,
        _ => return None,
    };
    Some(("pcm_bluray", *channels, rate))
}

/// Finds the first frame of MPEG audio of any layer.
pub(crate) fn mpeg(bytes: &[u8]) -> Option<Frame> {
    bytes.windows(4).find_map(|window| {
        let [0xff, second, third, fourth] = window else {
            return None;
        };
        let (version, layer) = (second >> 3 & 3, second >> 1 & 3);
        let rate = *MPEG_RATES.get(usize::from(third >> 2 & 3))?;
        if second & 0xe0 != 0xe0 || version == 1 || layer == 0 || third >> 4 == 15 || third >> 4 == 0 {
            return None;
        }
        let rate = match version {
            3 => rate,
            2 => rate / 2,
            _ => rate / 4,
        };
        let codec = match layer {
            3 => "mp1",
            2 => "mp2",
            _ => "mp3",
        };
        Some((codec, if fourth >> 6 == 3 { 1 } else { 2 }, rate))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_give_channels_and_rates() {
        // 48 kHz, five channels and a low-frequency one.
        let frame = [0x0b, 0x77, 0, 0, 0x1e, 0x40, 0xe1, 0, 0];
        assert_eq!(ac3(&frame), Some(("ac3", 6, 48_000)));
        assert_eq!(ac3_box(&[0x10, 0x3d, 0xc0]), Some((6, 48_000)));
        assert_eq!(mpeg(&[0, 0xff, 0xfb, 0x90, 0xc0]), Some(("mp3", 1, 44_100)));
        assert_eq!(mpeg(&[0xff, 0xfd, 0x94, 0x00]), Some(("mp2", 2, 48_000)));
        assert_eq!(mpeg(&[0xff; 9]), None);
    }
}
