//! DTS headers: the core of a frame, and the extension substream after it (DTS-HD) or without it (DTS Express).

use super::Frame;
use crate::bits::Bits;

const CORE: [u8; 4] = [0x7f, 0xfe, 0x80, 0x01];
const EXTENSION: [u8; 4] = [0x64, 0x58, 0x20, 0x25];
/// The longest extension header up to the description of the first asset.
const MAX_EXTENSION_BYTES: usize = 2048;

const CORE_RATES: [u32; 16] = [
    0, 8_000, 16_000, 32_000, 0, 0, 11_025, 22_050, 44_100, 0, 0, 12_000, 24_000, 48_000, 96_000, 192_000,
];
const CORE_CHANNELS: [u32; 16] = [1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 6, 6, 7, 8, 8];
const RATES: [u32; 16] = [
    8_000, 16_000, 32_000, 64_000, 128_000, 22_050, 44_100, 88_200, 176_400, 352_800, 12_000, 24_000, 48_000,
    96_000, 192_000, 384_000,
];

/// Finds the first frame. An extension takes precedence over the core.
pub(crate) fn frame(bytes: &[u8]) -> Option<Frame> {
    let headers = || bytes.windows(4).enumerate();
    let core = headers()
        .filter(|(_, window)| *window == CORE)
        .find_map(|(at, _)| core(bytes.get(at + CORE.len()..)?));
    let extension = headers()
        .filter(|(_, window)| *window == EXTENSION)
        .find_map(|(at, _)| extension(bytes.get(at + EXTENSION.len()..)?));
    let (channels, rate) = match (core, extension) {
        (Some(core), Some(extension)) => (core.0.max(extension.0), core.1.max(extension.1)),
        (core, extension) => core.or(extension)?,
    };
    Some(("dts", channels, rate))
}

fn core(header: &[u8]) -> Option<(u32, u32)> {
    let mut bits = Bits::new(header);
    // Frame type, samples, checksum flag, blocks, size.
    bits.skip(1 + 5 + 1 + 7 + 14)?;
    let channels = CORE_CHANNELS.get(usize::try_from(bits.take(6)?).ok()?)?;
    let rate = CORE_RATES.get(usize::try_from(bits.take(4)?).ok()?)?;
    // Bitrate, five flags, extension type, flags.
    bits.skip(5 + 5 + 3 + 1 + 1)?;
    let low = u32::from(bits.take(2)? > 0);
    (*rate > 0).then_some((channels + low, *rate))
}

/// Channels and sample rate of the first asset.
fn extension(header: &[u8]) -> Option<(u32, u32)> {
    let mut bits = Bits::new(header.get(..MAX_EXTENSION_BYTES).unwrap_or(header));
    bits.skip(8)?;
    let index = bits.take(2)?;
    let is_wide = bits.flag()?;
    let size_bits = if is_wide { 20 } else { 16 };
    bits.skip(if is_wide { 12 } else { 8 } + size_bits)?;
    // Without static fields the asset is not described.
    if !bits.flag()? {
        return None;
    }
    // Clock, duration, time code.
    bits.skip(2 + 3)?;
    if bits.flag()? {
        bits.skip(36)?;
    }
    let (presentations, audio_streams) = (bits.take(3)? + 1, bits.take(3)? + 1);
    let mut active = 0;
    for _ in 0..presentations {
        active += bits.take(index + 1)?.count_ones();
    }
    bits.skip(8 * usize::try_from(active).ok()?)?;
    // Mixing metadata.
    if bits.flag()? {
        bits.skip(2)?;
        let mask_bits = (bits.take(2)? + 1) * 4;
        let masks = bits.take(2)? + 1;
        bits.skip(usize::try_from(mask_bits * masks).ok()?)?;
    }
    bits.skip(size_bits * usize::try_from(audio_streams).ok()?)?;
    // Size and index of the first asset.
    bits.skip(9 + 3)?;
    if bits.flag()? {
        bits.skip(4)?;
    }
    // Language, text.
    if bits.flag()? {
        bits.skip(24)?;
    }
    if bits.flag()? {
        let bytes = bits.take(10)? + 1;
        bits.skip(8 * usize::try_from(bytes).ok()?)?;
    }
    bits.skip(5)?;
    let rate = RATES.get(usize::try_from(bits.take(4)?).ok()?)?;
    Some((bits.take(8)? + 1, *rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packs values of these widths, highest bit first.
    fn packed(parts: &[(u32, u32)]) -> Vec<u8> {
        let bits = parts.iter().flat_map(|(value, count)| {
            (0..*count)
                .rev()
                .map(move |place| u8::from(value.checked_shr(place).unwrap_or(0) & 1 == 1))
        });
        let bits: Vec<u8> = bits.collect();
        bits.chunks(8)
            .map(|byte| {
                byte.iter()
                    .chain(&[0; 8])
                    .take(8)
                    .fold(0, |all, bit| all << 1 | bit)
            })
            .collect()
    }

    /// An extension with eight channels at 96 kHz: static fields, one asset, a language.
    fn extension_bytes() -> Vec<u8> {
        let header = packed(&[
            (0, 8),
            (0, 2),
            (0, 1),
            (40, 8),
            (500, 16),
            (1, 1),
            (0, 5),
            (0, 1),
            (0, 3),
            (0, 3),
            (1, 1),
            (0, 8),
            (0, 1),
            (400, 16),
            (30, 9),
            (0, 3),
            (0, 1),
            (1, 1),
            (0x0065_6e67, 24),
            (0, 1),
            (23, 5),
            (13, 4),
            (7, 8),
            (0, 8),
        ]);
        [&EXTENSION[..], &header].concat()
    }

    #[test]
    fn core_and_extension_give_channels_and_rates() {
        let core = packed(&[
            (1, 1),
            (31, 5),
            (0, 1),
            (15, 7),
            (1023, 14),
            (9, 6),
            (13, 4),
            (15, 5),
            (0, 5),
            (0, 3),
            (0, 1),
            (0, 1),
            (2, 2),
            (0, 8),
        ]);
        let core = [&CORE[..], &core].concat();
        assert_eq!(frame(&core), Some(("dts", 6, 48_000)));
        assert_eq!(frame(&[&[1, 2, 3][..], &core].concat()), Some(("dts", 6, 48_000)));
        assert_eq!(
            frame(&[core.clone(), extension_bytes()].concat()),
            Some(("dts", 8, 96_000))
        );
        assert_eq!(frame(&extension_bytes()), Some(("dts", 8, 96_000)));
        for length in 0..core.len() - 2 {
            assert_eq!(frame(&core[..length]), None, "{length} bytes");
        }
        assert_eq!(
            frame(&[0x7f, 0xfe, 0x80, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            None,
            "no sample rate"
        );
    }
}
