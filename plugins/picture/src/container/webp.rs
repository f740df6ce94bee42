//! WebP: the canvas size in `VP8X`, else the size of the first frame.

use std::io::Result;

use containers::riff::{ByteOrder, Chunks};
use svc_plugin_api::Source;

use super::{Block, MAX_EXIF_BYTES, Photo};

/// The most chunks that are read; animations have one for each frame.
const MAX_CHUNKS: usize = 4096;

pub(super) fn read(source: &mut Source) -> Result<Photo> {
    let mut photo = Photo {
        media_type: "image/webp",
        ..Photo::default()
    };
    let mut chunks = Chunks::of_file(source, ByteOrder::Little, MAX_CHUNKS);
    while let Some(chunk) = chunks.next(source)? {
        match &chunk.name {
            b"VP8X" => {
                if let Some([_, _, _, _, w0, w1, w2, h0, h1, h2]) = source.array_at::<10>(chunk.start)? {
                    let number = |a, b, c| u32::from_le_bytes([a, b, c, 0]) + 1;
                    photo.dimensions = Some((number(w0, w1, w2), number(h0, h1, h2)));
                }
            }
            b"VP8 " if photo.dimensions.is_none() => {
                if let Some([_, _, _, 0x9d, 0x01, 0x2a, w0, w1, h0, h1]) =
                    source.array_at::<10>(chunk.start)?
                {
                    // The two highest bits are a scale.
                    let number = |a, b| u32::from(u16::from_le_bytes([a, b]) & 0x3fff);
                    photo.dimensions = Some((number(w0, w1), number(h0, h1)));
                }
            }
            b"VP8L" if photo.dimensions.is_none() => {
                if let Some([0x2f, a, b, c, d]) = source.array_at::<5>(chunk.start)? {
                    let bits = u32::from_le_bytes([a, b, c, d]);
                    photo.dimensions = Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1));
                }
            }
            b"EXIF" => photo.exif.push(Block::new(chunk.bytes(source, MAX_EXIF_BYTES)?)),
            _ => {}
        }
    }
    Ok(photo)
}
