//! Kinds whose first bytes say all: GIF and BMP.

use super::Photo;

/// GIF: the logical screen.
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

/// BMP: the size stands at one place in every version but the first; a negative height is one from the top.
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
