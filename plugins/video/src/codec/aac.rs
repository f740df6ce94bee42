//! AAC: the `AudioSpecificConfig`, and the header of an ADTS frame.

use crate::bits::Bits;

const SAMPLE_RATES: [u32; 13] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
/// Spectral band replication (SBR), and parametric stereo.
const SBR: u32 = 5;
const PARAMETRIC_STEREO: u32 = 29;
const LOSSLESS: u32 = 36;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Description {
    /// As ffprobe names it.
    pub(crate) codec: &'static str,
    /// 0 if they are described elsewhere.
    pub(crate) channels: u32,
    /// Of the output, in hertz.
    pub(crate) sample_rate: u32,
}

/// Parses an `AudioSpecificConfig`.
pub(crate) fn description(bytes: &[u8]) -> Option<Description> {
    let mut bits = Bits::new(bytes);
    let kind = object_type(&mut bits)?;
    let mut rate = sample_rate(&mut bits)?;
    let mut channels = channels(bits.take(4)?);
    if kind == SBR || kind == PARAMETRIC_STEREO {
        rate = sample_rate(&mut bits)?;
        if kind == PARAMETRIC_STEREO && channels == 1 {
            channels = 2;
        }
    }
    if kind == LOSSLESS {
        // A header of its own has the numbers; the container states them too.
        (channels, rate) = (0, 0);
    }
    Some(Description {
        codec: if kind == LOSSLESS { "mp4als" } else { "aac" },
        channels,
        sample_rate: rate,
    })
}

/// Channels and sample rate of an ADTS frame.
pub(crate) fn adts(frame: &[u8]) -> Option<(u32, u32)> {
    let [0xff, second, third, fourth, ..] = frame else {
        return None;
    };
    if second & 0xf6 != 0xf0 {
        return None;
    }
    let rate = SAMPLE_RATES.get(usize::from(third >> 2 & 15))?;
    Some((
        channels(u32::from(third & 1) << 2 | u32::from(fourth >> 6)),
        *rate,
    ))
}

fn object_type(bits: &mut Bits) -> Option<u32> {
    match bits.take(5)? {
        31 => Some(32 + bits.take(6)?),
        kind => Some(kind),
    }
}

fn sample_rate(bits: &mut Bits) -> Option<u32> {
    match bits.take(4)? {
        15 => bits.take(24),
        index => SAMPLE_RATES.get(usize::try_from(index).ok()?).copied(),
    }
}

fn channels(configuration: u32) -> u32 {
    match configuration {
        7 | 12 | 14 => 8,
        11 => 7,
        13 => 24,
        1..=6 => configuration,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_give_the_output_format() {
        let read = |bytes: &[u8]| description(bytes).map(|d| (d.channels, d.sample_rate));
        assert_eq!(read(&[0x12, 0x10]), Some((2, 44_100)));
        assert_eq!(read(&[0x11, 0xb0]), Some((6, 48_000)));
        // SBR: 24 kHz coded, 48 kHz output.
        assert_eq!(read(&[0x2b, 0x11, 0x88]), Some((2, 48_000)));
        assert_eq!(read(&[]), None);
        assert_eq!(adts(&[0xff, 0xf1, 0x4c, 0x80]), Some((2, 48_000)));
        assert_eq!(adts(&[0xff, 0x00, 0x4c, 0x80]), None);
    }
}
