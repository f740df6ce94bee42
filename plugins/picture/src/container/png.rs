//! PNG: `IHDR`, `eXIf`, and the text chunk in which ImageMagick stored EXIF before `eXIf` was defined.

use std::io::Result;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use svc_plugin_api::Source;

use super::{Block, MAX_EXIF_BYTES, Photo};

/// The most chunks that are read. EXIF may follow the image data, but not a thousand chunks.
const MAX_CHUNKS: usize = 1024;
/// The most bytes of an inflated profile: two digits for each byte of EXIF, and line breaks.
const MAX_PROFILE_BYTES: usize = 3 * MAX_EXIF_BYTES;
const RAW_PROFILE: &[u8] = b"Raw profile type ";

pub(super) fn read(source: &mut Source) -> Result<Photo> {
    let mut photo = Photo {
        media_type: "image/png",
        ..Photo::default()
    };
    let mut offset = 8;
    for _ in 0..MAX_CHUNKS {
        let Some([a, b, c, d, kind @ ..]) = source.array_at::<8>(offset)? else {
            break;
        };
        let length = u64::from(u32::from_be_bytes([a, b, c, d]));
        let body = offset + 8;
        let size = usize::try_from(length).unwrap_or(usize::MAX).min(MAX_EXIF_BYTES);
        match &kind {
            b"IHDR" => {
                if let Some([w3, w2, w1, w0, h3, h2, h1, h0]) = source.array_at::<8>(body)? {
                    photo.dimensions = Some((
                        u32::from_be_bytes([w3, w2, w1, w0]),
                        u32::from_be_bytes([h3, h2, h1, h0]),
                    ));
                }
            }
            b"eXIf" => photo.exif.insert(0, Block::new(source.bytes_at(body, size)?)),
            b"tEXt" | b"zTXt" if source.bytes_at(body, RAW_PROFILE.len())? == RAW_PROFILE => {
                if let Some(bytes) = raw_profile(&source.bytes_at(body, size)?, kind == *b"zTXt") {
                    photo.exif.push(Block::new(bytes));
                }
            }
            b"IEND" => break,
            _ => {}
        }
        offset = body + length + 4;
    }
    Ok(photo)
}

/// Decodes a profile of ImageMagick: keyword, NUL, in a compressed chunk the method (0) and deflated data; within it
/// line break, name, line break, length, line break, hexadecimal bytes.
fn raw_profile(text: &[u8], is_compressed: bool) -> Option<Vec<u8>> {
    let rest = text.strip_prefix(RAW_PROFILE)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    if !matches!(rest.get(..end)?, b"exif" | b"APP1") {
        return None;
    }
    let text = rest.get(end + 1..)?;
    let inflated;
    let text = if is_compressed {
        inflated = decompress_to_vec_zlib_with_limit(text.strip_prefix(&[0])?, MAX_PROFILE_BYTES).ok()?;
        &inflated
    } else {
        text
    };
    let mut lines = text
        .split(|byte| *byte == b'\n')
        .skip_while(|line| line.is_empty());
    lines.next()?;
    lines.next()?;
    let mut bytes = Vec::new();
    let mut high = None;
    for digit in lines.flatten().filter_map(|byte| char::from(*byte).to_digit(16)) {
        match high.take() {
            None => high = Some(digit),
            Some(first) => bytes.push(u8::try_from(first * 16 + digit).ok()?),
        }
    }
    Some(bytes)
}
