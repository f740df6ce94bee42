//! H.264: the sequence parameter set.

use super::{Sequence, usability};
use crate::bits::{Bits, unescape};
use crate::rate;
use containers::bytes::Bytes;

const SEQUENCE_PARAMETERS: u8 = 7;

/// Parses an `avcC` box or the private data of Matroska.
pub(crate) fn configuration(bytes: &[u8]) -> Option<Sequence> {
    let mut bytes = Bytes(bytes);
    bytes.skip(5)?;
    if bytes.u8()? & 31 == 0 {
        return None;
    }
    let length = bytes.be16()?;
    unit(bytes.take(length.into())?)
}

/// Parses a NAL unit, if it is a sequence parameter set.
pub(crate) fn unit(unit: &[u8]) -> Option<Sequence> {
    let (header, body) = unit.split_first()?;
    if header & 31 != SEQUENCE_PARAMETERS {
        return None;
    }
    parameters(&mut Bits::new(&unescape(body)))
}

fn parameters(bits: &mut Bits) -> Option<Sequence> {
    let profile = bits.take(8)?;
    bits.skip(16)?;
    bits.golomb()?;
    let mut chroma = 1;
    let mut is_separate = false;
    if matches!(
        profile,
        100 | 110 | 122 | 244 | 44 | 83 | 86 | 118 | 128 | 138 | 139 | 134 | 135
    ) {
        chroma = bits.golomb()?;
        if chroma == 3 {
            is_separate = bits.flag()?;
        }
        bits.golomb()?;
        bits.golomb()?;
        bits.skip(1)?;
        if bits.flag()? {
            for list in 0..if chroma == 3 { 12 } else { 8 } {
                if bits.flag()? {
                    scaling_list(bits, if list < 6 { 16 } else { 64 })?;
                }
            }
        }
    }
    bits.golomb()?;
    match bits.golomb()? {
        0 => drop(bits.golomb()?),
        1 => {
            bits.skip(1)?;
            bits.signed_golomb()?;
            bits.signed_golomb()?;
            for _ in 0..bits.golomb()?.min(255) {
                bits.signed_golomb()?;
            }
        }
        _ => {}
    }
    bits.golomb()?;
    bits.skip(1)?;
    let width = bits.golomb()?.checked_add(1)?.checked_mul(16)?;
    let rows = bits.golomb()?.checked_add(1)?.checked_mul(16)?;
    let is_progressive = bits.flag()?;
    let fields = if is_progressive { 1 } else { 2 };
    if !is_progressive {
        bits.skip(1)?;
    }
    bits.skip(1)?;
    // Without chroma planes cropping is in units of single pixels.
    let (unit_x, unit_y) = match chroma {
        1 if !is_separate => (2, 2),
        2 if !is_separate => (2, 1),
        _ => (1, 1),
    };
    let mut cut = [0; 4];
    if bits.flag()? {
        for side in &mut cut {
            *side = bits.golomb()?;
        }
    }
    let [left, right, top, bottom] = cut;
    let across = left.checked_add(right)?.checked_mul(unit_x)?;
    let down = top.checked_add(bottom)?.checked_mul(unit_y * fields)?;
    let mut sequence = Sequence {
        width: width.checked_sub(across)?,
        height: rows.checked_mul(fields)?.checked_sub(down)?,
        fps: None,
        hdr: None,
    };
    if bits.flag() == Some(true) {
        // Values before the end of a truncated header are kept.
        usability_information(bits, &mut sequence);
    }
    Some(sequence)
}

fn scaling_list(bits: &mut Bits, size: u32) -> Option<()> {
    let (mut last, mut next) = (8_i64, 8_i64);
    for _ in 0..size {
        if next != 0 {
            next = (last + bits.signed_golomb()?).rem_euclid(256);
        }
        last = if next == 0 { last } else { next };
    }
    Some(())
}

fn usability_information(bits: &mut Bits, sequence: &mut Sequence) -> Option<()> {
    usability::picture(bits, sequence)?;
    if bits.flag()? {
        // A tick is a field.
        let (tick, second) = (bits.take(32)?, bits.take(32)?);
        sequence.fps = rate::fraction(second.into(), u64::from(tick) * 2);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_full_hd_are_cut_to_1080_rows() {
        // As x264 writes it for 1920x1080 at 25 frames per second.
        let set = [
            0x67, 0x64, 0x00, 0x28, 0xac, 0xd9, 0x40, 0x78, 0x02, 0x27, 0xe5, 0xc0, 0x44, 0x00, 0x00, 0x03,
            0x00, 0x04, 0x00, 0x00, 0x03, 0x00, 0xc8, 0x3c, 0x60, 0xc6, 0x58,
        ];
        let sequence = unit(&set).unwrap();
        assert_eq!((sequence.width, sequence.height), (1920, 1080));
        assert_eq!(sequence.fps, Some(25.0));
        for length in 0..8 {
            assert_eq!(unit(&set[..length]), None);
        }
    }
}
