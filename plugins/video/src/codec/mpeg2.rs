//! The sequence header of MPEG-1 and MPEG-2 video, and its extension.

use super::Sequence;
use crate::bits::Bits;
use crate::rate;

const RATES: [(u64, u64); 9] = [
    (0, 1),
    (24_000, 1001),
    (24, 1),
    (25, 1),
    (30_000, 1001),
    (30, 1),
    (50, 1),
    (60_000, 1001),
    (60, 1),
];
const HEADER: u8 = 0xb3;
const EXTENSION: u8 = 0xb5;

/// The header after a start code, and whether an extension makes it MPEG-2.
pub(crate) fn sequence(bytes: &[u8]) -> Option<(Sequence, bool)> {
    let start = bytes.windows(4).position(|window| window == [0, 0, 1, HEADER])? + 4;
    let body = bytes.get(start..)?;
    let mut bits = Bits::new(body);
    let (width, height) = (bits.take(12)?, bits.take(12)?);
    bits.skip(4)?;
    let (pictures, time) = RATES.get(usize::try_from(bits.take(4)?).ok()?)?;
    let sequence = Sequence {
        width,
        height,
        fps: rate::fraction(*pictures, *time),
        hdr: None,
    };
    let next = body.windows(5).find(|window| window.starts_with(&[0, 0, 1]));
    let is_second = matches!(next, Some([_, _, _, EXTENSION, kind]) if kind >> 4 == 1);
    Some((sequence, is_second))
}
