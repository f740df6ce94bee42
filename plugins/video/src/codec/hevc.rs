//! HEVC: the sequence parameter set.

use super::{Sequence, usability};
use crate::bits::{Bits, unescape};
use crate::rate;
use containers::bytes::Bytes;

const SEQUENCE_PARAMETERS: u8 = 33;
/// The most reference picture sets of the standard.
const MAX_SETS: u32 = 64;

/// Parses an `hvcC` box or the private data of Matroska.
pub(crate) fn configuration(bytes: &[u8]) -> Option<Sequence> {
    let mut bytes = Bytes(bytes);
    bytes.skip(22)?;
    for _ in 0..bytes.u8()? {
        bytes.skip(1)?;
        for _ in 0..bytes.be16()? {
            let length = bytes.be16()?;
            if let Some(sequence) = unit(bytes.take(length.into())?) {
                return Some(sequence);
            }
        }
    }
    None
}

/// Parses a NAL unit, if it is a sequence parameter set.
pub(crate) fn unit(unit: &[u8]) -> Option<Sequence> {
    if unit.first()? >> 1 & 63 != SEQUENCE_PARAMETERS {
        return None;
    }
    parameters(&mut Bits::new(&unescape(unit.get(2..)?)))
}

fn parameters(bits: &mut Bits) -> Option<Sequence> {
    bits.skip(4)?;
    let sub_layers = bits.take(3)?;
    bits.skip(1)?;
    profile(bits, sub_layers)?;
    bits.golomb()?;
    let chroma = bits.golomb()?;
    if chroma == 3 {
        bits.skip(1)?;
    }
    let (width, height) = (bits.golomb()?, bits.golomb()?);
    let mut cut = [0; 4];
    if bits.flag()? {
        for side in &mut cut {
            *side = bits.golomb()?;
        }
    }
    let (unit_x, unit_y) = match chroma {
        1 => (2, 2),
        2 => (2, 1),
        _ => (1, 1),
    };
    let [left, right, top, bottom] = cut;
    let mut sequence = Sequence {
        width: width.checked_sub(left.checked_add(right)?.checked_mul(unit_x)?)?,
        height: height.checked_sub(top.checked_add(bottom)?.checked_mul(unit_y)?)?,
        fps: None,
        hdr: None,
    };
    // Values before the end of a truncated header are kept.
    tools(bits, sub_layers, &mut sequence);
    Some(sequence)
}

fn profile(bits: &mut Bits, sub_layers: u32) -> Option<()> {
    bits.skip(88 + 8)?;
    let mut present = Vec::new();
    for _ in 0..sub_layers {
        present.push((bits.flag()?, bits.flag()?));
    }
    if sub_layers > 0 {
        bits.skip(usize::try_from(8 - sub_layers).ok()? * 2)?;
    }
    for (has_profile, has_level) in present {
        bits.skip(if has_profile { 88 } else { 0 } + if has_level { 8 } else { 0 })?;
    }
    Some(())
}

/// Skips the coding tools after the size and reads the usability information.
fn tools(bits: &mut Bits, sub_layers: u32, sequence: &mut Sequence) -> Option<()> {
    bits.golomb()?;
    bits.golomb()?;
    let count_bits = bits.golomb()?.checked_add(4)?;
    let layers = if bits.flag()? { sub_layers + 1 } else { 1 };
    for _ in 0..layers * 3 {
        bits.golomb()?;
    }
    for _ in 0..6 {
        bits.golomb()?;
    }
    if bits.flag()? && bits.flag()? {
        scaling_lists(bits)?;
    }
    bits.skip(2)?;
    if bits.flag()? {
        bits.skip(8)?;
        bits.golomb()?;
        bits.golomb()?;
        bits.skip(1)?;
    }
    reference_sets(bits)?;
    if bits.flag()? {
        for _ in 0..bits.golomb()?.min(32) {
            bits.skip(usize::try_from(count_bits).ok()? + 1)?;
        }
    }
    bits.skip(2)?;
    if bits.flag()? {
        usability_information(bits, sequence)
    } else {
        Some(())
    }
}

fn scaling_lists(bits: &mut Bits) -> Option<()> {
    for size in 0..4_u32 {
        for _ in 0..if size == 3 { 2 } else { 6 } {
            if !bits.flag()? {
                bits.golomb()?;
                continue;
            }
            if size > 1 {
                bits.signed_golomb()?;
            }
            for _ in 0..(1_u32 << (4 + (size << 1))).min(64) {
                bits.signed_golomb()?;
            }
        }
    }
    Some(())
}

fn reference_sets(bits: &mut Bits) -> Option<()> {
    let mut pictures_before = 0;
    for set in 0..bits.golomb()?.min(MAX_SETS) {
        if set > 0 && bits.flag()? {
            bits.skip(1)?;
            bits.golomb()?;
            let mut pictures = 0;
            for _ in 0..=pictures_before {
                let is_used = bits.flag()?;
                if is_used || bits.flag()? {
                    pictures += 1;
                }
            }
            pictures_before = pictures;
        } else {
            let pictures = bits
                .golomb()?
                .checked_add(bits.golomb()?)
                .filter(|count| *count <= 32)?;
            for _ in 0..pictures {
                bits.golomb()?;
                bits.skip(1)?;
            }
            pictures_before = pictures;
        }
    }
    Some(())
}

fn usability_information(bits: &mut Bits, sequence: &mut Sequence) -> Option<()> {
    usability::picture(bits, sequence)?;
    bits.skip(3)?;
    if bits.flag()? {
        for _ in 0..4 {
            bits.golomb()?;
        }
    }
    if bits.flag()? {
        let (tick, second) = (bits.take(32)?, bits.take(32)?);
        sequence.fps = rate::fraction(second.into(), tick.into());
    }
    Some(())
}
