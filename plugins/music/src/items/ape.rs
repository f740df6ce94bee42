//! Items of an APE tag: length, flags, key with NUL, value.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Head, ItemFormat, ItemList, walk};
use crate::container::tail::ApeTag;

/// In bytes.
const MAX_KEY: usize = 255;
const HEADER_BYTES: u64 = 8;

pub struct Items;

/// The flags of an item, and the offset of its key.
#[derive(Debug, Clone, Copy)]
pub struct Name {
    flags: u32,
    key: u64,
    key_length: usize,
}

impl Name {
    /// Whether the value is text, not binary and not a URL. Undefined bits are ignored.
    pub fn is_text(self) -> bool {
        (self.flags >> 1) & 3 == 0
    }

    /// # Errors
    /// If a read failed.
    pub fn key(self, source: &mut Source) -> Result<String> {
        let key = source.bytes_at(self.key, self.key_length)?;
        Ok(String::from_utf8_lossy(&key).into_owned())
    }
}

impl ItemFormat for Items {
    type Name = Name;
    const KNOWN_BYTES: usize = 11;
    const LEAST_BYTES: u64 = 10;

    fn head(&self, source: &mut Source, at: u64, _: u64) -> Result<Option<Head<Name>>> {
        let Some([a, b, c, d, flags @ ..]) = source.array_at::<8>(at)? else {
            return Ok(None);
        };
        let key = at + HEADER_BYTES;
        let mut spare = Vec::new();
        let bytes = source.slice_at(key, MAX_KEY + 1, &mut spare)?;
        let length = bytes.iter().position(|byte| *byte == 0);
        let key_length = length.filter(|length| {
            let key = bytes.get(..*length).unwrap_or_default();
            !key.is_empty() && key.iter().all(|byte| (0x20..=0x7e).contains(byte))
        });
        Ok(key_length.map(|key_length| {
            let body = key + key_length as u64 + 1;
            let name = Name {
                flags: u32::from_le_bytes(flags),
                key,
                key_length,
            };
            let ends = [body + u64::from(u32::from_le_bytes([a, b, c, d])); 2];
            Head { name, body, ends }
        }))
    }

    fn is_known(&self, bytes: &[u8]) -> bool {
        // A length below 16 MiB, no flags except those of the type, a key that begins with a letter.
        matches!(bytes, [_, _, _, 0, flags, 0, 0, 0 | 0x80 | 0xa0 | 0xc0 | 0xe0, first, second, _]
            if *flags < 8 && first.is_ascii_alphabetic() && (0x20..=0x7e).contains(second))
    }
}

/// The items of a tag; the stated count is ignored.
///
/// # Errors
/// If a read failed.
pub fn list(source: &mut Source, tag: &ApeTag) -> Result<ItemList<Name>> {
    walk(&Items, source, tag.start, tag.end)
}
