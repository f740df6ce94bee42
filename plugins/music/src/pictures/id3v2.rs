//! `APIC` and `PIC` frames of an ID3v2 tag.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Found, Place, add_at, media_type, purpose};
use crate::container::id3v2_size;

/// The most frames of a tag that are walked.
const MAX_FRAMES: usize = 4096;
/// How much of a frame is read to find where the picture's own bytes begin: encoding, media type, description.
const MAX_FRAME_HEAD: usize = 2048;
/// The most bytes of a tag that is unsynchronised as a whole: it has to be read to be walked.
const MAX_UNSYNCHRONISED: usize = 16 * 1024 * 1024;

/// Adds the pictures of the tag at this offset.
pub(super) fn find(source: &mut Source, tag: u64, found: &mut Vec<Found>) -> Result<()> {
    let (Some(size), Some([_, _, _, version, _, flags, ..])) =
        (id3v2_size(source, tag)?, source.array_at::<10>(tag)?)
    else {
        return Ok(());
    };
    if !(2..=4).contains(&version) {
        return Ok(());
    }
    let end = tag.saturating_add(size).min(source.size());
    if flags & 0x80 != 0 && version < 4 {
        // Offsets inside mean nothing before the zeros that were put in are taken out.
        let length = usize::try_from(end - tag)
            .unwrap_or(usize::MAX)
            .min(MAX_UNSYNCHRONISED);
        let bytes = resynchronise(&source.bytes_at(tag, length)?);
        let end = bytes.len() as u64;
        let mut plain = Source::from_bytes("", bytes);
        let mut inside = Vec::new();
        walk(
            &mut plain,
            Tag {
                tag: 0,
                version,
                flags: flags & 0x7f,
                end,
            },
            &mut inside,
        )?;
        found.extend(inside.into_iter().enumerate().map(|(ordinal, picture)| Found {
            place: Place::Id3v2 { tag, ordinal },
            ..picture
        }));
        return Ok(());
    }
    walk(
        source,
        Tag {
            tag,
            version,
            flags,
            end,
        },
        found,
    )
}

#[derive(Clone, Copy)]
struct Tag {
    tag: u64,
    version: u8,
    flags: u8,
    end: u64,
}

fn walk(source: &mut Source, tag: Tag, found: &mut Vec<Found>) -> Result<()> {
    let header_size = if tag.version == 2 { 6 } else { 10 };
    let mut offset = tag.tag + 10 + extended_header(source, tag)?;
    let mut ordinal = 0;
    for _ in 0..MAX_FRAMES {
        if offset + header_size > tag.end {
            break;
        }
        let Some(header) = source.array_at::<10>(offset)?.or(short_header(source, offset)?) else {
            break;
        };
        let [a, b, c, d, e, f, g, h, _, format_flags] = header;
        if a == 0 {
            break;
        }
        let (is_picture, length) = match tag.version {
            2 => ([a, b, c] == *b"PIC", u64::from(u32::from_be_bytes([0, d, e, f]))),
            3 => (
                [a, b, c, d] == *b"APIC",
                u64::from(u32::from_be_bytes([e, f, g, h])),
            ),
            _ => (
                [a, b, c, d] == *b"APIC",
                size_v4(source, offset, [e, f, g, h], tag.end)?,
            ),
        };
        let body = offset + header_size;
        let next = body.saturating_add(length);
        if is_picture && length > 0 && next <= tag.end {
            let flags = if tag.version == 2 { 0 } else { format_flags };
            let encoding = Encoding::of(tag, flags);
            if encoding.is_changed {
                let head = source.bytes_at(body + encoding.prefix, MAX_FRAME_HEAD.min(to_usize(length)))?;
                let (_, purpose) =
                    describe(&resynchronise(&head), tag.version).unwrap_or((String::new(), "other"));
                let place = Place::Id3v2 {
                    tag: tag.tag,
                    ordinal,
                };
                found.push(Found {
                    purpose,
                    media_type: media_type_inside(&head, tag.version),
                    place,
                });
            } else {
                frame(
                    source,
                    body + encoding.prefix,
                    length.saturating_sub(encoding.prefix),
                    tag.version,
                    found,
                )?;
            }
            ordinal += 1;
        }
        offset = next;
    }
    Ok(())
}

/// The last frame header of a 2.2 tag may be shorter than the ten bytes that are looked at.
fn short_header(source: &mut Source, offset: u64) -> Result<Option<[u8; 10]>> {
    let mut header = [0; 10];
    let bytes = source.bytes_at(offset, 10)?;
    for (to, from) in header.iter_mut().zip(&bytes) {
        *to = *from;
    }
    Ok((bytes.len() >= 6).then_some(header))
}

/// The bytes of the extended header.
fn extended_header(source: &mut Source, tag: Tag) -> Result<u64> {
    if tag.version < 3 || tag.flags & 0x40 == 0 {
        return Ok(0);
    }
    let Some(size) = source.array_at::<4>(tag.tag + 10)? else {
        return Ok(0);
    };
    Ok(if tag.version == 3 {
        4 + u64::from(u32::from_be_bytes(size))
    } else {
        synchsafe(size)
    })
}

fn synchsafe(bytes: [u8; 4]) -> u64 {
    bytes
        .iter()
        .fold(0, |sum, byte| (sum << 7) | u64::from(byte & 0x7f))
}

/// Version 2.4 has synchsafe sizes, but old iTunes wrote plain ones: the one that another frame follows is right.
fn size_v4(source: &mut Source, offset: u64, bytes: [u8; 4], end: u64) -> Result<u64> {
    let (safe, plain) = (synchsafe(bytes), u64::from(u32::from_be_bytes(bytes)));
    if bytes.iter().any(|byte| *byte >= 0x80) {
        return Ok(plain);
    }
    if safe == plain {
        return Ok(safe);
    }
    let mut fits = |size: u64| -> Result<bool> {
        let next = offset + 10 + size;
        if next == end {
            return Ok(true);
        }
        let follower = if next < end {
            source.array_at::<4>(next)?
        } else {
            None
        };
        Ok(follower.is_some_and(|id| {
            id == [0; 4]
                || id
                    .iter()
                    .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        }))
    };
    Ok(if !fits(safe)? && fits(plain)? { plain } else { safe })
}

/// Whether a frame's bytes are changed on their way into the file, and what stands before them.
struct Encoding {
    is_changed: bool,
    prefix: u64,
}

impl Encoding {
    fn of(tag: Tag, flags: u8) -> Self {
        if tag.version == 3 {
            // Compression, encryption; a group is one byte before the rest.
            return Self {
                is_changed: flags & 0xc0 != 0,
                prefix: u64::from(flags & 0x20 != 0),
            };
        }
        let group = u64::from(flags & 0x40 != 0);
        let length_indicator = if flags & 0x01 != 0 { 4 } else { 0 };
        let is_changed = tag.version == 4 && (flags & 0x0e != 0 || tag.flags & 0x80 != 0);
        Self {
            is_changed,
            prefix: if tag.version == 4 {
                group + length_indicator
            } else {
                0
            },
        }
    }
}

fn frame(source: &mut Source, body: u64, length: u64, version: u8, found: &mut Vec<Found>) -> Result<()> {
    let head = source.bytes_at(body, MAX_FRAME_HEAD.min(to_usize(length)))?;
    let Some((said, purpose)) = describe(&head, version) else {
        return Ok(());
    };
    let Some(skip) = picture_start(&head, version) else {
        return Ok(());
    };
    let skip = skip as u64;
    add_at(
        source,
        (body + skip, length.saturating_sub(skip)),
        purpose,
        &said,
        found,
    )
}

/// Media type and purpose as the frame says them.
fn describe(head: &[u8], version: u8) -> Option<(String, &'static str)> {
    let rest = head.get(1..)?;
    let (said, after) = match version {
        2 => (rest.get(..3)?, rest.get(3..)?),
        _ => {
            let end = rest.iter().position(|byte| *byte == 0)?;
            (rest.get(..end)?, rest.get(end + 1..)?)
        }
    };
    Some((
        String::from_utf8_lossy(said).into_owned(),
        purpose(u32::from(*after.first()?)),
    ))
}

/// Where in the frame the picture's own bytes begin: behind the description.
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

fn media_type_inside(head: &[u8], version: u8) -> String {
    let head = resynchronise(head);
    let said = describe(&head, version).map_or_else(String::new, |(said, _)| said);
    let start = picture_start(&head, version)
        .and_then(|start| head.get(start..))
        .unwrap_or_default();
    media_type(start, &said)
}

/// Takes out the zeros that unsynchronisation put behind each 0xff.
fn resynchronise(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut previous = 0;
    for byte in bytes {
        if !(previous == 0xff && *byte == 0) {
            plain.push(*byte);
        }
        previous = *byte;
    }
    plain
}

fn to_usize(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}
