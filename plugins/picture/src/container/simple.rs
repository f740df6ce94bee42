//! Formats whose size is in the first bytes: GIF and BMP.

use super::Photo;

/// The size of the logical screen.
pub(super) fn gif(head: &[u8]) -> Photo {
    let dimensions = match head.get(6..10) {
        Some([w0, w1, h0, h1]) => Some((
            u16::from_le_bytes([*w0, *w1]).into(),
            u16::from_le_bytes([*h0, *h1]).into(),
        )),
        _ => None,
    };
    Photo {
        media_type: "image/gif",
        dimensions,
        ..Photo::default()
    }
}

/// The size in BMP has the same offset in every version but the first. Rows from top to bottom are marked by a
/// negative height.
pub(super) fn bmp(head: &[u8]) -> Photo {
    let number = |at: usize| {
        head.get(at..)
            .and_then(|bytes| bytes.first_chunk())
            .copied()
            .map(i32::from_le_bytes)
    };
    let short = |at: usize| {
        head.get(at..)
            .and_then(|bytes| bytes.first_chunk())
            .copied()
            .map(u16::from_le_bytes)
    };
    let dimensions = if number(14) == Some(12) {
        short(18)
            .zip(short(20))
            .map(|(width, height)| (width.into(), height.into()))
    } else {
        number(18)
            .zip(number(22))
            .map(|(width, height)| (width.unsigned_abs(), height.unsigned_abs()))
    };
    Photo {
        media_type: "image/bmp",
        dimensions,
        ..Photo::default()
    }
}
