//! Frames of ID3v2.2 to 2.4, and what is done to their bodies on the way into a file.

mod body;
mod names;

use std::io::Result;

use svc_plugin_api::Source;

use super::{Head, Item, ItemFormat, ItemList, walk};
use crate::container::id3v2_size;
use body::resynchronise;

const HEADER_BYTES: u64 = 10;
/// The most bytes of a tag that is unsynchronised as a whole: it has to be read to be walked.
const MAX_UNSYNCHRONISED: usize = 16 * 1024 * 1024;

/// Flags of a tag.
const UNSYNCHRONISED: u8 = 0x80;
const EXTENDED: u8 = 0x40;
const FOOTER: u8 = 0x10;

/// What a frame's header says, under its name in 2.4.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    /// Such as `TIT2`.
    pub id: [u8; 4],
    /// How the body is changed.
    flags: u8,
}

/// A frame.
pub type Frame = Item<Name>;

/// A tag.
pub struct Tag {
    /// Where it begins in the file.
    pub offset: u64,
    /// Its frames, in order.
    pub list: ItemList<Name>,
    /// 2, 3 or 4.
    pub version: u8,
    flags: u8,
    /// The tag without the zeros that unsynchronisation as a whole has put in: offsets mean nothing before.
    plain: Option<Source>,
    start: u64,
    end: u64,
}

impl Tag {
    /// The tag at this place; `None` if there is none, or one of a version that nobody knows.
    ///
    /// # Errors
    /// If a read failed.
    pub fn open(source: &mut Source, offset: u64) -> Result<Option<Self>> {
        let (Some(size), Some([_, _, _, version, _, flags, ..])) =
            (id3v2_size(source, offset)?, source.array_at::<10>(offset)?)
        else {
            return Ok(None);
        };
        if !(2..=4).contains(&version) {
            return Ok(None);
        }
        // The header once more, behind the frames.
        let footer = if version == 4 && flags & FOOTER != 0 {
            HEADER_BYTES
        } else {
            0
        };
        let end = offset.saturating_add(size - footer).min(source.size());
        let mut tag = Self {
            offset,
            list: ItemList {
                items: Vec::new(),
                damaged_places: 0,
            },
            version,
            flags,
            plain: None,
            start: offset + HEADER_BYTES,
            end,
        };
        if flags & UNSYNCHRONISED != 0 && version < 4 {
            let length = usize::try_from(end.saturating_sub(tag.start)).unwrap_or(usize::MAX);
            let bytes = source.bytes_at(tag.start, length.min(MAX_UNSYNCHRONISED))?;
            let bytes = resynchronise(&bytes).unwrap_or(bytes);
            (tag.start, tag.end) = (0, bytes.len() as u64);
            tag.plain = Some(Source::from_bytes("", bytes));
        }
        tag.start += tag.extended_header(source)?;
        let (start, end) = (tag.start, tag.end);
        tag.list = walk(&Frames { version }, tag.bytes(source), start, end)?;
        Ok(Some(tag))
    }

    /// The bytes that places of frames are about.
    fn bytes<'a>(&'a mut self, source: &'a mut Source) -> &'a mut Source {
        self.plain.as_mut().unwrap_or(source)
    }

    /// The bytes of the extended header. Some programs set its flag and write none.
    fn extended_header(&mut self, source: &mut Source) -> Result<u64> {
        if self.version < 3 || self.flags & EXTENDED == 0 {
            return Ok(0);
        }
        let (version, start, end) = (self.version, self.start, self.end);
        let source = self.bytes(source);
        let Some(size) = source.array_at::<4>(start)? else {
            return Ok(0);
        };
        let size = if version == 3 {
            4 + u64::from(u32::from_be_bytes(size))
        } else {
            synchsafe(size)
        };
        let is_there = !names::is_known(version, &source.bytes_at(start, 4)?)
            && (Frames { version }.head(source, start + size, end)?.is_some()
                || source.array_at(start + size)? == Some([0]));
        Ok(if is_there { size } else { 0 })
    }
}

/// The grammar of a frame.
struct Frames {
    version: u8,
}

impl ItemFormat for Frames {
    type Name = Name;
    const KNOWN_BYTES: usize = 10;
    const LEAST_BYTES: u64 = 6;

    fn head(&self, source: &mut Source, at: u64, end: u64) -> Result<Option<Head<Name>>> {
        if self.version == 2 {
            let Some([a, b, c, d, e, f]) = source.array_at::<6>(at)? else {
                return Ok(None);
            };
            let id = [a, b, c];
            let body = at + 6;
            let ends = [body + u64::from(u32::from_be_bytes([0, d, e, f])); 2];
            let name = Name {
                id: names::upgraded(id),
                flags: 0,
            };
            return Ok((is_id(&id) && body <= end).then_some(Head { name, body, ends }));
        }
        let Some([a, b, c, d, s0, s1, s2, s3, _, flags]) = source.array_at::<10>(at)? else {
            return Ok(None);
        };
        let size = [s0, s1, s2, s3];
        let body = at + HEADER_BYTES;
        let plain = body + u64::from(u32::from_be_bytes(size));
        // Sizes are synchsafe in 2.4, but old iTunes wrote plain ones; others write synchsafe ones in 2.3.
        let safe = if size.iter().all(|byte| *byte < 0x80) {
            body + synchsafe(size)
        } else {
            plain
        };
        let ends = if self.version == 3 {
            [plain, safe]
        } else {
            [safe, plain]
        };
        // Names of 2.2 are found in later tags, with something that is no letter behind them.
        let id = match d {
            0 | b' ' => names::upgraded([a, b, c]),
            d => [a, b, c, d],
        };
        let is_name = is_id(&[a, b, c]) && (is_id(&[d]) || matches!(d, 0 | b' ')) && body <= end;
        Ok(is_name.then_some(Head {
            name: Name { id, flags },
            body,
            ends,
        }))
    }

    fn is_known(&self, bytes: &[u8]) -> bool {
        names::is_known(self.version, bytes)
    }

    fn may_contain_items(&self, name: Name) -> bool {
        matches!(&name.id, b"CHAP" | b"CTOC")
    }
}

fn is_id(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

fn synchsafe(bytes: [u8; 4]) -> u64 {
    bytes
        .iter()
        .fold(0, |sum, byte| (sum << 7) | u64::from(byte & 0x7f))
}
