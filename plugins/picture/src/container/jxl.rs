//! JPEG XL: a codestream, bare or in boxes. The codestream begins with the size.

use std::io::Result;

use containers::isobmff::Boxes;
use svc_plugin_api::Source;

use super::{Block, MAX_EXIF_BYTES, Photo};

/// Reads the header of the codestream, and the `Exif` box.
pub(super) fn read(source: &mut Source) -> Result<Photo> {
    let mut photo = Photo {
        media_type: "image/jxl",
        ..Photo::default()
    };
    if source.array_at::<2>(0)? == Some([0xff, 0x0a]) {
        photo.dimensions = size(&source.bytes_at(0, 16)?);
        return Ok(photo);
    }
    let mut boxes = Boxes::of_file(source);
    while let Some(found) = boxes.next(source)? {
        match &found.name {
            b"jxlc" => photo.dimensions = photo.dimensions.or(size(&source.bytes_at(found.start, 16)?)),
            // A partial codestream begins with its index.
            b"jxlp" => photo.dimensions = photo.dimensions.or(size(&source.bytes_at(found.start + 4, 16)?)),
            b"Exif" => {
                let skip = source
                    .array_at::<4>(found.start)?
                    .map_or(0, |bytes| u64::from(u32::from_be_bytes(bytes)));
                let from = found.start.saturating_add(4).saturating_add(skip);
                let length = usize::try_from(found.end.saturating_sub(from))
                    .unwrap_or(usize::MAX)
                    .min(MAX_EXIF_BYTES);
                photo.exif.push(Block::new(source.bytes_at(from, length)?));
            }
            _ => {}
        }
    }
    Ok(photo)
}

fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut bits = Bits {
        bits: u128::from_le_bytes(
            *bytes
                .strip_prefix(&[0xff, 0x0a])?
                .first_chunk::<14>()
                .map(pad)?
                .first_chunk()?,
        ),
    };
    let is_small = bits.take(1) == 1;
    let height = bits.side(is_small);
    let width = match bits.take(3) {
        0 => bits.side(is_small),
        1 => height,
        ratio => {
            let (numerator, denominator) = match ratio {
                2 => (12, 10),
                3 => (4, 3),
                4 => (3, 2),
                5 => (16, 9),
                6 => (5, 4),
                _ => (2, 1),
            };
            u32::try_from(u64::from(height) * numerator / denominator).ok()?
        }
    };
    Some((width, height))
}

fn pad(bytes: &[u8; 14]) -> [u8; 16] {
    let mut padded = [0; 16];
    for (to, from) in padded.iter_mut().zip(bytes) {
        *to = *from;
    }
    padded
}

/// Bits, lowest of the first byte first.
struct Bits {
    bits: u128,
}

impl Bits {
    fn take(&mut self, count: u32) -> u32 {
        let value = self.bits & ((1 << count) - 1);
        self.bits >>= count;
        u32::try_from(value).unwrap_or(0)
    }

    fn side(&mut self, is_small: bool) -> u32 {
        if is_small {
            return 8 * (1 + self.take(5));
        }
        let count = match self.take(2) {
            0 => 9,
            1 => 13,
            2 => 18,
            _ => 30,
        };
        1 + self.take(count)
    }
}
