//! Colour as ITU-T H.273 numbers it.

use crate::video::Hdr;

/// The range of brightness that goes with a transfer function.
pub(crate) fn hdr(transfer: u32) -> Option<Hdr> {
    match transfer {
        16 => Some(Hdr::Hdr10),
        18 => Some(Hdr::Hlg),
        _ => None,
    }
}
