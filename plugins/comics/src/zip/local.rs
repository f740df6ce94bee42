//! The header before each file's bytes.

use svc_plugin_api::{ExtractError, Source};

use super::extra_fields::extra_fields;
use super::{Entry, HAS_DESCRIPTOR, names, u16_at, u32_at, u64_at};

/// Of a header, without the name and the fields.
pub(super) const FIXED_BYTES: u64 = 30;

/// A file's header.
pub(super) struct Header {
    /// Offset of the file's bytes.
    pub(super) data: u64,
    /// Whether sizes and checksum are behind the bytes.
    pub(super) has_descriptor: bool,
    length: usize,
    fixed: [u8; FIXED_BYTES as usize],
}

/// The header at this offset, if there is one.
pub(super) fn header(source: &mut Source, at: u64) -> Result<Option<Header>, ExtractError> {
    let fixed = source.array_at::<{ FIXED_BYTES as usize }>(at)?;
    let Some(fixed) = fixed.filter(|fixed| fixed.starts_with(b"PK\x03\x04")) else {
        return Ok(None);
    };
    let length = usize::from(u16_at(&fixed, 26)) + usize::from(u16_at(&fixed, 28));
    Ok(Some(Header {
        data: at.saturating_add(FIXED_BYTES + length as u64),
        has_descriptor: u16_at(&fixed, 6) & HAS_DESCRIPTOR != 0,
        length,
        fixed,
    }))
}

impl Header {
    /// The file as its own header describes it, without the directory. Sizes are 0 if they are in a descriptor.
    pub(super) fn entry(&self, source: &mut Source, at: u64) -> Result<Entry, ExtractError> {
        let fixed = &self.fixed;
        let flags = u16_at(fixed, 6);
        let texts = source.bytes_at(at.saturating_add(FIXED_BYTES), self.length)?;
        let (name, extra) = texts
            .split_at_checked(u16_at(fixed, 26).into())
            .unwrap_or_default();
        let mut entry = Entry {
            name: names::decode(name, flags, extra),
            method: Entry::method(u16_at(fixed, 8), flags),
            crc: u32_at(fixed, 14),
            packed: u32_at(fixed, 18).into(),
            size: u32_at(fixed, 22).into(),
            header: at,
        };
        if entry.packed == u64::from(u32::MAX)
            && let Some((_, field)) = extra_fields(extra).find(|(id, _)| *id == 1)
        {
            // Unlike in the directory, both sizes are always there.
            (entry.size, entry.packed) = (u64_at(field, 0), u64_at(field, 8));
        }
        Ok(entry)
    }
}
