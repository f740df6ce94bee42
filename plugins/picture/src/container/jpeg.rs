//! JPEG: segments up to the first scan.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Block, Photo};

/// The most segments before the scan, and the most fill bytes between two segments.
const MAX_SEGMENTS: usize = 1024;
const MAX_FILLING: u64 = 64 * 1024;
/// The most segments that contain EXIF.
const MAX_PARTS: usize = 16;

/// The frame header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// In pixels.
    pub width: u16,
    /// In pixels; 0 if a marker after the first scan states it.
    pub height: u16,
    /// Whether the coefficients are in several scans, so that a decoder needs memory for all of them.
    pub is_progressive: bool,
    /// Whether the coding is lossless, as in raw files.
    pub is_lossless: bool,
    /// Horizontal and vertical sampling factor of each component.
    pub sampling: Vec<(u8, u8)>,
}

/// The frame of the JPEG that begins at `start`; `None` if there is none.
///
/// # Errors
/// If a read failed.
pub fn frame(source: &mut Source, start: u64) -> Result<Option<Frame>> {
    if source.array_at::<2>(start)? != Some([0xff, 0xd8]) {
        return Ok(None);
    }
    let mut segments = Segments::of_file(start);
    while let Some(segment) = segments.next(source)? {
        if !segment.is_frame() {
            continue;
        }
        let Some([_precision, h1, h0, w1, w0, count]) = source.array_at::<6>(segment.start)? else {
            break;
        };
        let components = source.bytes_at(segment.start + 6, 3 * usize::from(count))?;
        let (components, _) = components.as_chunks::<3>();
        return Ok(Some(Frame {
            width: u16::from_be_bytes([w1, w0]),
            height: u16::from_be_bytes([h1, h0]),
            is_progressive: matches!(segment.marker, 0xc2 | 0xc6 | 0xca | 0xce),
            is_lossless: matches!(segment.marker, 0xc3 | 0xc7 | 0xcb | 0xcf),
            sampling: components
                .iter()
                .map(|[_, factors, _]| (factors >> 4, factors & 15))
                .collect(),
        }));
    }
    Ok(None)
}

/// Reads the segments of the JPEG that begins at `start`.
pub(super) fn read(source: &mut Source, start: u64) -> Result<Photo> {
    let mut photo = Photo {
        media_type: "image/jpeg",
        ..Photo::default()
    };
    let mut exif: Vec<u8> = Vec::new();
    let mut parts = 0;
    let mut segments = Segments::of_file(start);
    while let Some(segment) = segments.next(source)? {
        let is_app1 = segment.marker == 0xe1 && parts < MAX_PARTS;
        if is_app1 && source.array_at::<4>(segment.start)? == Some(*b"Exif") {
            let bytes = source.bytes_at(segment.start + 6, segment.length.saturating_sub(6))?;
            // A part without a TIFF header continues the block before it.
            let is_new = bytes.starts_with(b"II") || bytes.starts_with(b"MM") || exif.is_empty();
            if is_new && !exif.is_empty() {
                photo.exif.push(Block::new(std::mem::take(&mut exif)));
            }
            exif.extend_from_slice(&bytes);
            parts += 1;
        } else if segment.is_frame()
            && let Some([_, h1, h0, w1, w0]) = source.array_at::<5>(segment.start)?
        {
            let (width, height) = (u16::from_be_bytes([w1, w0]), u16::from_be_bytes([h1, h0]));
            photo.dimensions.get_or_insert((width.into(), height.into()));
        }
    }
    if !exif.is_empty() {
        photo.exif.push(Block::new(exif));
    }
    Ok(photo)
}

/// A marker with a body.
struct Segment {
    marker: u8,
    /// Where the body begins, after its length.
    start: u64,
    length: usize,
}

impl Segment {
    /// Whether it is a start of frame, in any coding; 0xc4, 0xc8 and 0xcc are tables.
    fn is_frame(&self) -> bool {
        matches!(self.marker, 0xc0..=0xcf) && !matches!(self.marker, 0xc4 | 0xc8 | 0xcc)
    }
}

/// Walks the segments up to the first scan.
struct Segments {
    offset: u64,
    left: usize,
}

impl Segments {
    fn of_file(start: u64) -> Self {
        Self {
            offset: start + 2,
            left: MAX_SEGMENTS,
        }
    }

    fn next(&mut self, source: &mut Source) -> Result<Option<Segment>> {
        while self.left > 0 {
            self.left -= 1;
            let Some((marker, body)) = next_marker(source, self.offset)? else {
                break;
            };
            // Restart markers and TEM have no body.
            if matches!(marker, 0x01 | 0xd0..=0xd8) {
                self.offset = body;
                continue;
            }
            let is_scan_or_end = matches!(marker, 0xd9 | 0xda);
            let Some(length) = source.array_at::<2>(body)?.filter(|_| !is_scan_or_end) else {
                break;
            };
            // The length counts its own two bytes.
            let length = u16::from_be_bytes(length).max(2);
            self.offset = body + u64::from(length);
            return Ok(Some(Segment {
                marker,
                start: body + 2,
                length: usize::from(length) - 2,
            }));
        }
        self.left = 0;
        Ok(None)
    }
}

/// The next marker at or after `start`, and where its body begins. Other bytes are skipped.
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
