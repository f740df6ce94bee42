//! Decodes the bodies of frames: group ids, length indicators, unsynchronisation, compression, encryption.

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use svc_plugin_api::Source;

use super::{Frame, Tag, UNSYNCHRONISED};

/// The transformations of a body according to the flags of its frame.
struct Changes {
    is_compressed: bool,
    is_encrypted: bool,
    is_unsynchronised: bool,
    /// Bytes before the body: group id and length.
    group: usize,
    length: usize,
}

impl Changes {
    fn of(tag: &Tag, frame: &Frame) -> Self {
        let is_set = |flag: u8| frame.name.flags & flag != 0;
        match tag.version {
            4 => Self {
                is_compressed: is_set(0x08),
                is_encrypted: is_set(0x04),
                is_unsynchronised: is_set(0x02) || tag.flags & UNSYNCHRONISED != 0,
                group: usize::from(is_set(0x40)),
                // Some programs write the length with compression but do not set its flag.
                length: if is_set(0x01) || is_set(0x08) { 4 } else { 0 },
            },
            3 => Self {
                is_compressed: is_set(0x80),
                is_encrypted: is_set(0x40),
                is_unsynchronised: false,
                group: usize::from(is_set(0x20)),
                length: if is_set(0x80) { 4 } else { 0 },
            },
            _ => Self {
                is_compressed: false,
                is_encrypted: false,
                is_unsynchronised: false,
                group: 0,
                length: 0,
            },
        }
    }
}

impl Tag {
    /// The position of the body in the file, if it is stored unchanged.
    pub fn range(&self, frame: &Frame) -> Option<(u64, u64)> {
        let changes = Changes::of(self, frame);
        let is_plain = self.plain.is_none()
            && !changes.is_compressed
            && !changes.is_encrypted
            && !changes.is_unsynchronised;
        let start = frame.body + (changes.group + changes.length) as u64;
        (is_plain && start <= frame.end).then_some((start, frame.end))
    }

    /// The start of the body; `None` if it is compressed or encrypted.
    ///
    /// # Errors
    /// If a read failed.
    pub fn head(
        &mut self,
        source: &mut Source,
        frame: &Frame,
        most: usize,
    ) -> std::io::Result<Option<Vec<u8>>> {
        let changes = Changes::of(self, frame);
        if changes.is_compressed || changes.is_encrypted {
            return Ok(None);
        }
        Ok(self.body(source, frame, most)?.ok())
    }

    /// At most `most` bytes of the decoded body; the inner error is the reason why it is unreadable.
    ///
    /// # Errors
    /// If a read failed.
    pub fn body(
        &mut self,
        source: &mut Source,
        frame: &Frame,
        most: usize,
    ) -> std::io::Result<Result<Vec<u8>, &'static str>> {
        let changes = Changes::of(self, frame);
        if changes.is_encrypted {
            return Ok(Err("it is encrypted"));
        }
        let bytes = frame.bytes(self.bytes(source), most)?;
        let Some(bytes) = bytes.get(changes.group..) else {
            return Ok(Err("it is too short"));
        };
        let behind = bytes.get(changes.length..);
        let plain = |bytes: &[u8]| {
            changes
                .is_unsynchronised
                .then(|| resynchronise(bytes))
                .flatten()
                .unwrap_or_else(|| bytes.to_vec())
        };
        if changes.is_compressed {
            let inflate = |bytes: &[u8]| decompress_to_vec_zlib_with_limit(&plain(bytes), most).ok();
            // Some programs omit the length.
            let inflated = behind.and_then(inflate).or_else(|| inflate(bytes));
            return Ok(inflated.ok_or("it cannot be decompressed"));
        }
        Ok(behind.map(plain).ok_or("it is too short"))
    }
}

/// Removes the zeros that unsynchronisation inserts after each 0xff; `None` if the bytes are not unsynchronised.
pub(super) fn resynchronise(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut previous = 0;
    for byte in bytes {
        if previous == 0xff && *byte >= 0xe0 {
            return None;
        }
        if !(previous == 0xff && *byte == 0) {
            plain.push(*byte);
        }
        previous = *byte;
    }
    Some(plain)
}
