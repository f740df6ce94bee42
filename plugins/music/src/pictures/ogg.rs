//! Pictures in the comments of Ogg streams: base64 in `METADATA_BLOCK_PICTURE`, or old `COVERART`.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Found, Place, media_type, purpose};
use crate::container::{Format, asf::Bytes, ogg};

/// The most comments that are walked.
const MAX_COMMENTS: u128 = 16 * 1024;
/// How many characters of the base64 are decoded to see what the picture is: up to its first bytes.
const MAX_HEAD: usize = 512;

/// Adds the pictures of the stream that begins here.
pub(super) fn find(source: &mut Source, start: u64, format: Format, found: &mut Vec<Found>) -> Result<()> {
    let packets = ogg::packets(source, start, if format == Format::OggFlac { 64 } else { 2 })?;
    let Some(packet) = packets.get(1) else {
        return Ok(());
    };
    let prefix = match format {
        Format::Opus => 8,
        Format::Vorbis => 7,
        Format::OggFlac => 4,
        _ => 0,
    };
    let mut ordinal = 0;
    for (name, text) in comments(packet.get(prefix..).unwrap_or_default()).unwrap_or_default() {
        let is_block = name.eq_ignore_ascii_case(b"METADATA_BLOCK_PICTURE");
        if !is_block && !name.eq_ignore_ascii_case(b"COVERART") {
            continue;
        }
        let head = super::encoded::base64(text.get(..MAX_HEAD).unwrap_or(text));
        let place = Place::Ogg { start, ordinal };
        ordinal += 1;
        let (purpose, media_type) = if is_block {
            describe(&head).unwrap_or(("other", media_type(&[], "")))
        } else {
            ("front", media_type(&head, ""))
        };
        found.push(Found {
            purpose,
            media_type,
            place,
        });
    }
    Ok(())
}

/// Name and text of each comment.
pub(super) fn comments(packet: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut rest = Bytes(packet);
    let vendor = usize::try_from(rest.number(4)?).ok()?;
    rest.take(vendor)?;
    let mut comments = Vec::new();
    for _ in 0..rest.number(4)?.min(MAX_COMMENTS) {
        let Some(length) = rest.number(4).and_then(|length| usize::try_from(length).ok()) else {
            break;
        };
        let Some(comment) = rest.take(length) else { break };
        if let Some(equals) = comment.iter().position(|byte| *byte == b'=') {
            comments.push((comment.get(..equals)?, comment.get(equals + 1..)?));
        }
    }
    Some(comments)
}

/// Purpose and media type of the head of a FLAC picture block.
fn describe(head: &[u8]) -> Option<(&'static str, String)> {
    let number = |at: usize| Some(u32::from_be_bytes(*head.get(at..)?.first_chunk()?));
    let type_length = usize::try_from(number(4)?).ok()?;
    let said = head.get(8..8_usize.checked_add(type_length)?)?;
    let description = usize::try_from(number(8 + type_length)?).ok()?;
    let start = (8 + type_length + 4 + 20).checked_add(description)?;
    let bytes = head.get(start..).unwrap_or_default();
    Some((
        purpose(number(0)?),
        media_type(bytes, &String::from_utf8_lossy(said)),
    ))
}
