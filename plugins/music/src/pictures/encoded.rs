//! Decodes pictures that are not stored unchanged in the file.

use svc_plugin_api::{ExtractError, Source};

use super::base64::base64;
use super::{Found, Storage, bytes as plain_bytes, id3v2, ogg};
use crate::container::Container;

/// # Errors
/// `Invalid` if the picture cannot be decoded, `Io` if a read failed.
pub fn bytes(source: &mut Source, picture: &Found) -> Result<Vec<u8>, ExtractError> {
    let bytes = match picture.storage {
        Storage::At(span) => return plain_bytes(source, span),
        Storage::Id3v2 { tag, ordinal } => id3v2::decoded(source, tag, ordinal)?,
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
