//! JPEG: segments up to the first scan.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Block, Photo};

/// The most segments before the scan, and the most bytes of filling between two of them.
const MAX_SEGMENTS: usize = 1024;
const MAX_FILLING: u64 = 64 * 1024;
/// An EXIF block that is split over segments has at most so many.
const MAX_PARTS: usize = 16;

/// The header of a JPEG's frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Pixels.
    pub width: u16,
    /// Pixels; 0 when it stands behind the first scan.
    pub height: u16,
    /// Whether the coefficients come in several passes, so that a decoder has to hold them all.
    pub is_progressive: bool,
    /// Whether it is coded without loss, as raws are.
    pub is_lossless: bool,
    /// Horizontal and vertical sampling factor of each component.
    pub sampling: Vec<(u8, u8)>,
}

/// The frame of the JPEG that begins here; `None` if there is none.
///
/// # Errors
/// What the storage says.
pub fn frame(source: &mut Source, start: u64) -> Result<Option<Frame>> {
    if source.array_at::<2>(start)? != Some([0xff, 0xd8]) {
        return Ok(None);
    }
    let mut offset = start + 2;
    for _ in 0..MAX_SEGMENTS {
        let Some((marker, body)) = next_marker(source, offset)? else {
            break;
        };
        if matches!(marker, 0x01 | 0xd0..=0xd8) {
            offset = body;
            continue;
        }
        if matches!(marker, 0xd9 | 0xda) {
            break;
        }
        let Some([l1, l0, _precision, h1, h0, w1, w0, count]) = source.array_at::<8>(body)? else {
            break;
        };
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let components = source.bytes_at(body + 8, 3 * usize::from(count))?;
            let (components, _) = components.as_chunks::<3>();
            return Ok(Some(Frame {
                width: u16::from_be_bytes([w1, w0]),
                height: u16::from_be_bytes([h1, h0]),
                is_progressive: matches!(marker, 0xc2 | 0xc6 | 0xca | 0xce),
                is_lossless: matches!(marker, 0xc3 | 0xc7 | 0xcb | 0xcf),
                sampling: components
                    .iter()
                    .map(|[_, factors, _]| (factors >> 4, factors & 15))
                    .collect(),
            }));
        }
        offset = body + u64::from(u16::from_be_bytes([l1, l0]).max(2));
    }
    Ok(None)
}

/// Reads the segments of the JPEG that begins here.
pub(super) fn read(source: &mut Source, start: u64) -> Result<Photo> {
    let mut photo = Photo {
        media_type: "image/jpeg",
        ..Photo::default()
    };
    let mut exif: Vec<u8> = Vec::new();
    let mut parts = 0;
    let mut offset = start + 2;
    for _ in 0..MAX_SEGMENTS {
        let Some((marker, body)) = next_marker(source, offset)? else {
            break;
        };
        // Restart markers and TEM have no body.
        if matches!(marker, 0x01 | 0xd0..=0xd8) {
            offset = body;
            continue;
        }
        // The scan or the end: no more headers.
        if matches!(marker, 0xd9 | 0xda) {
            break;
        }
        let Some(length) = source
            .array_at::<2>(body)?
            .map(u16::from_be_bytes)
            .filter(|length| *length >= 2)
        else {
            break;
        };
        let (content, size) = (body + 2, usize::from(length) - 2);
        match marker {
            0xe1 if source.array_at::<4>(content)? == Some(*b"Exif") && parts < MAX_PARTS => {
                let bytes = source.bytes_at(content + 6, size.saturating_sub(6))?;
                // A second block is a new one if it has a header of its own, else it goes on.
                let is_new = bytes.starts_with(b"II") || bytes.starts_with(b"MM") || exif.is_empty();
                if is_new && !exif.is_empty() {
                    photo.exif.push(Block::new(std::mem::take(&mut exif)));
                }
                exif.extend_from_slice(&bytes);
                parts += 1;
            }
            // Start of frame, in all its codings; 0xc4, 0xc8 and 0xcc are tables.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                if let Some([_, h1, h0, w1, w0]) = source.array_at::<5>(content)? {
                    let (width, height) = (u16::from_be_bytes([w1, w0]), u16::from_be_bytes([h1, h0]));
                    photo.dimensions.get_or_insert((width.into(), height.into()));
                }
            }
            _ => {}
        }
        offset = content + size as u64;
    }
    if !exif.is_empty() {
        photo.exif.push(Block::new(exif));
    }
    Ok(photo)
}

/// The next marker from here on, and where its body begins. Bytes that are none are passed over.
fn next_marker(source: &mut Source, start: u64) -> Result<Option<(u8, u64)>> {
    let mut offset = start;
    while offset < start + MAX_FILLING {
        match source.array_at::<2>(offset)? {
            Some([0xff, marker]) if !matches!(marker, 0x00 | 0xff) => return Ok(Some((marker, offset + 2))),
            Some(_) => offset += 1,
            None => break,
        }
    }
    Ok(None)
}
