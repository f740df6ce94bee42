//! Video usability information: the part that H.264 and HEVC have in common.

use super::{Sequence, colour};
use crate::bits::Bits;

/// Reads up to the position of chroma samples and keeps the transfer function. `None` if the bits end before; what
/// was read stays in `sequence`.
pub(super) fn picture(bits: &mut Bits, sequence: &mut Sequence) -> Option<()> {
    const EXTENDED_ASPECT: u32 = 255;
    if bits.flag()? && bits.take(8)? == EXTENDED_ASPECT {
        bits.skip(32)?;
    }
    // Overscan.
    if bits.flag()? {
        bits.skip(1)?;
    }
    // Video format and range, then color primaries, transfer function and matrix.
    if bits.flag()? {
        bits.skip(4)?;
        if bits.flag()? {
            bits.skip(8)?;
            sequence.hdr = colour::hdr(bits.take(8)?);
            bits.skip(8)?;
        }
    }
    if bits.flag()? {
        bits.golomb()?;
        bits.golomb()?;
    }
    Some(())
}
