//! Decodes pictures that are not stored unchanged in the file.

use svc_plugin_api::{ExtractError, MAX_PICTURE_BYTES, Source};

use super::{Found, Storage, bytes as plain_bytes, id3v2, ogg};
use crate::container::Container;

/// The most bytes of a frame that are read for one picture and the fields before it.
pub(super) const MAX_FRAME_BYTES: usize = MAX_PICTURE_BYTES + 64 * 1024;

/// # Errors
/// `Invalid` if the picture cannot be decoded, `Io` if a read failed.
pub fn bytes(source: &mut Source, picture: &Found) -> Result<Vec<u8>, ExtractError> {
    let bytes = match picture.storage {
        Storage::At(span) => return plain_bytes(source, span),
        Storage::Id3v2 { tag, ordinal } => id3v2::decoded(source, tag, ordinal, MAX_FRAME_BYTES)?,
        Storage::Ogg { ordinal } => from_ogg(source, ordinal)?,
    };
    bytes.ok_or_else(|| ExtractError::invalid(None, "the picture cannot be decoded"))
}

fn from_ogg(source: &mut Source, ordinal: usize) -> Result<Option<Vec<u8>>, ExtractError> {
    let Some(mut packet) = Container::detect(source)?.comments else {
        return Ok(None);
    };
    let picture = ogg::pictures(&mut packet)?.into_iter().nth(ordinal);
    let Some((is_block, start, end)) = picture else {
        return Ok(None);
    };
    let length = usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX);
    let decoded = base64(&packet.bytes_at(start, length)?);
    Ok(if is_block { block(&decoded) } else { Some(decoded) })
}

/// The picture in a FLAC picture block.
fn block(block: &[u8]) -> Option<Vec<u8>> {
    let number = |at: usize| usize::try_from(u32::from_be_bytes(*block.get(at..)?.first_chunk()?)).ok();
    let description = 8_usize.checked_add(number(4)?)?;
    let length_at = (description + 4)
        .checked_add(number(description)?)?
        .checked_add(16)?;
    let start = length_at + 4;
    let length = number(length_at)?.min(block.len().saturating_sub(start));
    Some(block.get(start..start + length)?.to_vec())
}

/// Decodes base64 up to its end or to the first invalid character; whitespace is skipped.
pub(super) fn base64(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut buffer, mut bits) = (0_u32, 0);
    for character in text {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'\r' | b'\n' | b' ' | 0 => continue,
            _ => break,
        };
        buffer = (buffer << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits) as u8);
            buffer &= (1 << bits) - 1;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_with_and_without_padding() {
        assert_eq!(base64(b"aGVsbG8="), b"hello");
        assert_eq!(base64(b"aGVsbG8"), b"hello");
        assert_eq!(base64(b"aGVs\nbG8h"), b"hello!");
        assert_eq!(base64(b""), b"");
    }
}
