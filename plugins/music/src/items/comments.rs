//! Vorbis comments: a vendor, a count, and comments with a length and `name=text`.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Head, ItemFormat, ItemList, walk};

/// In bytes.
pub const MAX_NAME: usize = 64;
const LENGTH_BYTES: u64 = 4;

pub struct Comments;

impl ItemFormat for Comments {
    type Name = ();
    const KNOWN_BYTES: usize = 6;
    const LEAST_BYTES: u64 = 6;

    fn head(&self, source: &mut Source, at: u64, end: u64) -> Result<Option<Head<()>>> {
        let body = at.saturating_add(LENGTH_BYTES);
        let Some(length) = source.array_at::<4>(at)?.map(u32::from_le_bytes) else {
            return Ok(None);
        };
        let most = usize::try_from(end.saturating_sub(body)).unwrap_or(usize::MAX);
        let most = most.min(usize::try_from(length).unwrap_or(usize::MAX));
        let mut spare = Vec::new();
        let name = source.slice_at(body, most.min(MAX_NAME), &mut spare)?;
        let ends = [body + u64::from(length); 2];
        Ok(name_length(name).map(|_| Head { name: (), body, ends }))
    }

    fn is_padding(&self, bytes: &[u8]) -> bool {
        // Vorbis sets a framing bit after the last comment.
        matches!(bytes, [0 | 1, rest @ ..] if rest.iter().all(|byte| *byte == 0))
    }

    fn is_known(&self, bytes: &[u8]) -> bool {
        // A length below 16 MiB, and a name of letters.
        matches!(bytes, [_, _, _, 0, first, second, ..]
            if first.is_ascii_alphabetic() && (second.is_ascii_alphanumeric() || b" _-".contains(second)))
    }
}

/// The length of the name before the `=`; `None` without one.
pub fn name_length(comment: &[u8]) -> Option<usize> {
    let length = comment.iter().position(|byte| *byte == b'=')?;
    let name = comment.get(..length)?;
    (!name.is_empty() && name.iter().all(|byte| (0x20..=0x7d).contains(byte))).then_some(length)
}

/// The comments of a block. The stated count is ignored, and the length of the vendor's name counts only if a comment
/// follows.
///
/// # Errors
/// If a read failed.
pub fn list(source: &mut Source, start: u64, end: u64) -> Result<ItemList<()>> {
    let vendor = source.array_at::<4>(start)?.map_or(0, u32::from_le_bytes);
    let count = start.saturating_add(LENGTH_BYTES + u64::from(vendor));
    let first = count.saturating_add(LENGTH_BYTES);
    let head = Comments.head(source, first, end)?;
    let is_there = head.is_some_and(|Head { ends: [next, _], .. }| next <= end);
    let is_empty = source.array_at::<4>(count)? == Some([0; 4]) && first <= end;
    let first = if is_there || is_empty {
        first
    } else {
        start.saturating_add(LENGTH_BYTES)
    };
    walk(&Comments, source, first, end)
}
