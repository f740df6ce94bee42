//! Color properties by the numbers of ITU-T H.273.

use crate::video::Hdr;

/// The dynamic range of a transfer function.
pub(crate) fn hdr(transfer: u32) -> Option<Hdr> {
    match transfer {
        16 => Some(Hdr::Hdr10),
        18 => Some(Hdr::Hlg),
        _ => None,
    }
}
