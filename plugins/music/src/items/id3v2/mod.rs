//! Frames of ID3v2.2 to 2.4.

mod body;
mod names;

use std::io::Result;

use svc_plugin_api::Source;

use super::{Head, Item, ItemFormat, ItemList, walk};
use body::resynchronise;

const HEADER_BYTES: u64 = 10;
/// The most bytes of a tag with unsynchronisation as a whole, which has to be decoded before its frames can be read.
const MAX_UNSYNCHRONISED: usize = 16 * 1024 * 1024;

/// Flags of a tag.
const UNSYNCHRONISED: u8 = 0x80;
const EXTENDED: u8 = 0x40;
const FOOTER: u8 = 0x10;

/// The header of a frame.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    /// The id as of 2.3 and 2.4, such as `TIT2`.
    pub id: [u8; 4],
    /// How the body is transformed.
    flags: u8,
}

pub type Frame = Item<Name>;

/// The total size in bytes of the tag at `offset`; `None` if there is none.
///
/// # Errors
/// If a read failed.
pub fn size(source: &mut Source, offset: u64) -> Result<Option<u64>> {
    let Some([b'I', b'D', b'3', version, _, flags, a, b, c, d]) = source.array_at::<10>(offset)? else {
        return Ok(None);
    };
    let footer = if version >= 4 && flags & 0x10 != 0 { 10 } else { 0 };
    let size = [a, b, c, d]
        .iter()
        .fold(0_u64, |sum, byte| (sum << 7) | u64::from(byte & 0x7f));
    Ok(Some(10 + size + footer))
}

pub struct Tag {
    /// In the file.
    pub offset: u64,
    pub list: ItemList<Name>,
    /// 2, 3 or 4.
    pub version: u8,
    flags: u8,
    /// The decoded bytes of a tag with unsynchronisation as a whole; offsets of frames refer to them.
    plain: Option<Source>,
    start: u64,
    end: u64,
}

impl Tag {
    /// The tag at `offset`; `None` if there is none or its version is unknown.
    ///
    /// # Errors
    /// If a read failed.
    pub fn open(source: &mut Source, offset: u64) -> Result<Option<Self>> {
        let (Some(size), Some([_, _, _, version, _, flags, ..])) =
            (size(source, offset)?, source.array_at::<10>(offset)?)
        else {
            return Ok(None);
        };
        if !(2..=4).contains(&version) {
            return Ok(None);
        }
        // A copy of the header after the frames.
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

    /// The bytes that offsets of frames refer to.
    fn bytes<'a>(&'a mut self, source: &'a mut Source) -> &'a mut Source {
        self.plain.as_mut().unwrap_or(source)
    }

    /// The length of the extended header. Some programs set the flag without writing one.
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
        // Sizes are synchsafe in 2.4, but old versions of iTunes wrote plain ones; some programs write synchsafe
        // sizes in 2.3.
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
        // Some programs write ids of 2.2 in later tags, padded with a character that is not a letter.
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
