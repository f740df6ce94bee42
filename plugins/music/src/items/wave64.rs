//! Chunks of Wave64, Sony's WAV for large files: names are GUIDs, sizes have 64 bits and include the header.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Head, ItemFormat, ItemList, walk};

const HEADER_BYTES: u64 = 24;
/// The offset of the first chunk: after GUID and size of the file and the GUID of its type.
const FIRST: u64 = 40;
/// The start of a file: `riff` as a GUID.
const MAGIC: [u8; 16] = *b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0";
/// The ends of chunk GUIDs; a GUID begins with the RIFF name.
const GUID_ENDS: [[u8; 12]; 2] = [
    *b"\xf3\xac\xd3\x11\x8c\xd1\x00\xc0\x4f\x8e\xdb\x8a",
    *b"\x2f\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0",
];

struct Chunks;

impl ItemFormat for Chunks {
    type Name = [u8; 4];
    const KNOWN_BYTES: usize = 16;
    const LEAST_BYTES: u64 = HEADER_BYTES;

    fn head(&self, source: &mut Source, at: u64, end: u64) -> Result<Option<Head<[u8; 4]>>> {
        let Some(guid) = source.array_at::<16>(at)?.filter(is_chunk) else {
            return Ok(None);
        };
        let (Some(name), Some(size)) = (
            guid.first_chunk().copied(),
            source.array_at(at + 16)?.map(u64::from_le_bytes),
        ) else {
            return Ok(None);
        };
        let body = at + HEADER_BYTES;
        // Interrupted recorders leave the size of the audio unset.
        let is_open = &name == b"data" && matches!(size, 0 | u64::MAX);
        if size < HEADER_BYTES && !is_open {
            return Ok(None);
        }
        let stated_end = if is_open { end } else { at.saturating_add(size) };
        let ends = match &name {
            b"data" => [
                stated_end.checked_next_multiple_of(8).unwrap_or(end).min(end),
                stated_end.min(end),
            ],
            _ => [
                stated_end.checked_next_multiple_of(8).unwrap_or(u64::MAX),
                stated_end,
            ],
        };
        Ok(Some(Head { name, body, ends }))
    }

    fn is_known(&self, bytes: &[u8]) -> bool {
        bytes.first_chunk().is_some_and(is_chunk)
    }

    fn may_contain_items(&self, name: [u8; 4]) -> bool {
        &name == b"data"
    }
}

fn is_chunk(guid: &[u8; 16]) -> bool {
    GUID_ENDS.iter().any(|end| guid.ends_with(end))
}

/// Whether a file that begins with these bytes is Wave64.
pub fn is_magic(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

/// The chunks of the file that begins at `start`.
///
/// # Errors
/// If a read failed.
pub fn of_file(source: &mut Source, start: u64) -> Result<ItemList<[u8; 4]>> {
    let end = source.size();
    walk(&Chunks, source, start.saturating_add(FIRST), end)
}
