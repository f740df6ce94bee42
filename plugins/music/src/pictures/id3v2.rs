//! `APIC` and `PIC` frames of ID3v2.

use std::io::Result;

use svc_plugin_api::{MAX_PICTURE_BYTES, Source};

use super::{Found, MAX_PICTURES, Storage, add_at, media_type, purpose};
use crate::items::id3v2::{Frame, Tag};

/// The bytes of a frame that are read to locate the picture: encoding, media type, description.
const MAX_FRAME_HEAD: usize = 2048;
/// The most bytes of a frame that are read for one picture and the fields before it.
const MAX_FRAME_BYTES: usize = MAX_PICTURE_BYTES + 64 * 1024;

pub(super) fn find(source: &mut Source, tag: &mut Tag, found: &mut Vec<Found>) -> Result<()> {
    for (ordinal, frame) in pictures(tag).iter().enumerate() {
        if let Some((start, end)) = tag.range(frame) {
            plain(source, (start, end), tag.version, found)?;
            continue;
        }
        // A compressed frame has to be decoded as a whole.
        let head = match tag.head(source, frame, MAX_FRAME_HEAD)? {
            Some(head) => head,
            None => match tag.body(source, frame, MAX_FRAME_BYTES)? {
                Ok(body) => body,
                Err(_) => continue,
            },
        };
        if let Some((stated, purpose)) = describe(&head, tag.version)
            && found.len() < MAX_PICTURES
        {
            let start = picture_start(&head, tag.version).and_then(|start| head.get(start..));
            found.push(Found {
                purpose,
                media_type: media_type(start.unwrap_or_default(), &stated),
                storage: Storage::Id3v2 {
                    tag: tag.offset,
                    ordinal,
                },
            });
        }
    }
    Ok(())
}

/// The bytes of a picture that is not stored unchanged, by its index among the pictures of the tag.
pub(super) fn decoded(source: &mut Source, offset: u64, ordinal: usize) -> Result<Option<Vec<u8>>> {
    let Some(mut tag) = Tag::open(source, offset)? else {
        return Ok(None);
    };
    let Some(frame) = pictures(&tag).into_iter().nth(ordinal) else {
        return Ok(None);
    };
    let Ok(mut body) = tag.body(source, &frame, MAX_FRAME_BYTES)? else {
        return Ok(None);
    };
    let start = picture_start(&body, tag.version).filter(|start| *start <= body.len());
    Ok(start.map(|start| body.split_off(start)))
}

fn pictures(tag: &Tag) -> Vec<Frame> {
    let frames = tag.list.items.iter().copied();
    frames
        .filter(|frame| &frame.name.id == b"APIC" && frame.body < frame.end && !frame.is_cut)
        .collect()
}

fn plain(source: &mut Source, (start, end): (u64, u64), version: u8, found: &mut Vec<Found>) -> Result<()> {
    let length = usize::try_from(end - start).unwrap_or(usize::MAX);
    let head = source.bytes_at(start, MAX_FRAME_HEAD.min(length))?;
    let Some((stated, purpose)) = describe(&head, version) else {
        return Ok(());
    };
    let Some(skip) = picture_start(&head, version) else {
        return Ok(());
    };
    let skip = skip as u64;
    let length = (end - start).saturating_sub(skip);
    add_at(source, (start + skip, length), purpose, &stated, found)
}

/// Media type and purpose according to the frame.
fn describe(head: &[u8], version: u8) -> Option<(String, &'static str)> {
    let rest = head.get(1..)?;
    let (stated, after) = match version {
        2 => (rest.get(..3)?, rest.get(3..)?),
        _ => {
            let end = rest.iter().position(|byte| *byte == 0)?;
            (rest.get(..end)?, rest.get(end + 1..)?)
        }
    };
    Some((
        String::from_utf8_lossy(stated).into_owned(),
        purpose(u32::from(*after.first()?)),
    ))
}

/// The offset of the picture in the frame, after the description.
fn picture_start(head: &[u8], version: u8) -> Option<usize> {
    let encoding = *head.first()?;
    let description = match version {
        2 => 5,
        _ => 1 + head.get(1..)?.iter().position(|byte| *byte == 0)? + 2,
    };
    let text = head.get(description..)?;
    let length = if encoding == 1 || encoding == 2 {
        text.chunks_exact(2).position(|pair| pair == [0, 0])? * 2 + 2
    } else {
        text.iter().position(|byte| *byte == 0)? + 1
    };
    Some(description + length)
}
