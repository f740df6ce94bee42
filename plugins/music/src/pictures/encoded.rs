//! The bytes of pictures that do not lie unchanged in the file.

use lofty::id3::v2::Frame;
use svc_plugin_api::{ExtractError, MAX_PICTURE_BYTES, Source};

use super::{Found, Place, bytes as plain_bytes, ogg};
use crate::container::{Container, Format, id3v2_size, ogg as pages};
use crate::read::id3v2_of;

/// The most bytes of a tag that are read for one picture: the picture, and as much again for its encoding.
const MAX_TAG_BYTES: usize = 2 * MAX_PICTURE_BYTES;

/// The bytes of a picture.
///
/// # Errors
/// `Invalid` if the picture is not there after all, `Io` if a read failed.
pub fn bytes(source: &mut Source, picture: &Found) -> Result<Vec<u8>, ExtractError> {
    let bytes = match picture.place {
        Place::At(span) => return plain_bytes(source, span),
        Place::Id3v2 { tag, ordinal } => from_id3v2(source, tag, ordinal)?,
        Place::Ogg { start, ordinal } => from_ogg(source, start, ordinal)?,
    };
    bytes.ok_or_else(|| ExtractError::invalid(None, "the picture cannot be decoded"))
}

fn from_id3v2(source: &mut Source, tag: u64, ordinal: usize) -> Result<Option<Vec<u8>>, ExtractError> {
    let size = id3v2_size(source, tag)?.unwrap_or(0);
    let length = usize::try_from(size).unwrap_or(usize::MAX).min(MAX_TAG_BYTES);
    let bytes = source.bytes_at(tag, length)?;
    let tag = id3v2_of(&mut Source::from_bytes("", bytes))
        .map_err(|failure| ExtractError::invalid(Some(tag), failure))?;
    let pictures = tag.iter().flatten().filter_map(|frame| match frame {
        Frame::Picture(picture) => Some(picture.picture.data().to_vec()),
        _ => None,
    });
    Ok(pictures.into_iter().nth(ordinal))
}

fn from_ogg(source: &mut Source, start: u64, ordinal: usize) -> Result<Option<Vec<u8>>, ExtractError> {
    let container = Container::detect(source)?;
    let packets = pages::packets(source, start, 2)?;
    let prefix = match container.format {
        Format::Opus => 8,
        Format::Vorbis => 7,
        Format::OggFlac => 4,
        _ => 0,
    };
    let packet = packets
        .get(1)
        .and_then(|packet| packet.get(prefix..))
        .unwrap_or_default();
    let comments = ogg::comments(packet).unwrap_or_default();
    let picture = comments.into_iter().filter_map(|(name, text)| {
        if name.eq_ignore_ascii_case(b"METADATA_BLOCK_PICTURE") {
            Some(block(&base64(text)))
        } else {
            name.eq_ignore_ascii_case(b"COVERART").then(|| Some(base64(text)))
        }
    });
    Ok(picture.into_iter().nth(ordinal).flatten())
}

/// The picture of a FLAC picture block.
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

/// Decodes base64 up to its end or to the first character that is none; blanks are passed over.
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
