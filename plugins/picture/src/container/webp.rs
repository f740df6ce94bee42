//! WebP: RIFF chunks; the canvas of `VP8X`, else the size in the first frame.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Block, MAX_EXIF_BYTES, Photo};

/// The most chunks that are walked; animations have one per frame.
const MAX_CHUNKS: usize = 4096;

/// Walks the chunks.
pub(super) fn read(source: &mut Source) -> Result<Photo> {
    let mut photo = Photo {
        media_type: "image/webp",
        ..Photo::default()
    };
    let mut offset = 12;
    for _ in 0..MAX_CHUNKS {
        let Some([k0, k1, k2, k3, size @ ..]) = source.array_at::<8>(offset)? else {
            break;
        };
        let (length, body) = (u32::from_le_bytes(size), offset + 8);
        match &[k0, k1, k2, k3] {
            b"VP8X" => {
                if let Some([_, _, _, _, w0, w1, w2, h0, h1, h2]) = source.array_at::<10>(body)? {
                    let number = |a, b, c| u32::from_le_bytes([a, b, c, 0]) + 1;
                    photo.dimensions = Some((number(w0, w1, w2), number(h0, h1, h2)));
                }
            }
            b"VP8 " if photo.dimensions.is_none() => {
                if let Some([_, _, _, 0x9d, 0x01, 0x2a, w0, w1, h0, h1]) = source.array_at::<10>(body)? {
                    // The two upper bits are a scale.
                    let number = |a, b| u32::from(u16::from_le_bytes([a, b]) & 0x3fff);
                    photo.dimensions = Some((number(w0, w1), number(h0, h1)));
                }
            }
            b"VP8L" if photo.dimensions.is_none() => {
                if let Some([0x2f, a, b, c, d]) = source.array_at::<5>(body)? {
                    let bits = u32::from_le_bytes([a, b, c, d]);
                    photo.dimensions = Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1));
                }
            }
            b"EXIF" => {
                let size = usize::try_from(length).unwrap_or(usize::MAX).min(MAX_EXIF_BYTES);
                photo.exif.push(Block::new(source.bytes_at(body, size)?));
            }
            _ => {}
        }
        offset = body + u64::from(length) + u64::from(length & 1);
    }
    Ok(photo)
}
