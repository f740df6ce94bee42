//! Pictures in the comments of Ogg streams: base64 in `METADATA_BLOCK_PICTURE` or the older `COVERART`.

use std::io::Result;

use svc_plugin_api::Source;

use super::base64::base64;
use super::{Found, Storage, media_type, purpose};
use crate::items::comments;

/// The number of base64 characters that are decoded to read the picture block's header and the first bytes of the
/// picture.
const MAX_HEAD: u64 = 512;

pub(super) fn find(packet: &mut Source, found: &mut Vec<Found>) -> Result<()> {
    for (ordinal, (is_block, start, end)) in pictures(packet)?.into_iter().enumerate() {
        let length = end.saturating_sub(start).min(MAX_HEAD);
        let head = packet.bytes_at(start, usize::try_from(length).unwrap_or(0))?;
        let head = base64(&head);
        let (purpose, media_type) = if is_block {
            describe(&head).unwrap_or(("other", media_type(&[], "")))
        } else {
            ("front", media_type(&head, ""))
        };
        found.push(Found {
            purpose,
            media_type,
            storage: Storage::Ogg { ordinal },
        });
    }
    Ok(())
}

/// The pictures of a comment packet: whether it is a picture block, and the range of the base64.
pub(super) fn pictures(packet: &mut Source) -> Result<Vec<(bool, u64, u64)>> {
    let end = packet.size();
    let mut pictures = Vec::new();
    for item in comments::list(packet, 0, end)?.items {
        if item.is_cut {
            continue;
        }
        let head = item.bytes(packet, comments::MAX_NAME + 1)?;
        let Some(name) = comments::name_length(&head).and_then(|length| head.get(..length)) else {
            continue;
        };
        let is_block = name.eq_ignore_ascii_case(b"METADATA_BLOCK_PICTURE");
        if is_block || name.eq_ignore_ascii_case(b"COVERART") {
            pictures.push((is_block, item.body + name.len() as u64 + 1, item.end));
        }
    }
    Ok(pictures)
}

/// Purpose and media type according to the header of a FLAC picture block.
fn describe(head: &[u8]) -> Option<(&'static str, String)> {
    let number = |at: usize| Some(u32::from_be_bytes(*head.get(at..)?.first_chunk()?));
    let type_length = usize::try_from(number(4)?).ok()?;
    let stated = head.get(8..8_usize.checked_add(type_length)?)?;
    let description = usize::try_from(number(8 + type_length)?).ok()?;
    let start = (8 + type_length + 4 + 20).checked_add(description)?;
    let bytes = head.get(start..).unwrap_or_default();
    Some((
        purpose(number(0)?),
        media_type(bytes, &String::from_utf8_lossy(stated)),
    ))
}
