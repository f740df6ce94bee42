//! Items of an `ilst` atom: each is an atom with `data` atoms, which `mean` and `name` atoms may precede.

use std::io::Result;

use containers::isobmff::Boxes;
use svc_plugin_api::Source;

use super::{Head, ItemFormat, ItemList, walk};

const HEADER_BYTES: u64 = 8;

pub struct Atoms;

impl ItemFormat for Atoms {
    type Name = [u8; 4];
    const KNOWN_BYTES: usize = 16;
    const LEAST_BYTES: u64 = 8;

    fn head(&self, source: &mut Source, at: u64, _: u64) -> Result<Option<Head<[u8; 4]>>> {
        let Some([a, b, c, d, name @ ..]) = source.array_at::<8>(at)? else {
            return Ok(None);
        };
        let size = u64::from(u32::from_be_bytes([a, b, c, d]));
        let is_name = name.iter().all(|byte| *byte >= 0x20 && *byte != 0x7f);
        Ok((is_name && size >= HEADER_BYTES).then_some(Head {
            name,
            body: at + HEADER_BYTES,
            ends: [at + size; 2],
        }))
    }

    fn is_known(&self, bytes: &[u8]) -> bool {
        bytes.get(12..).is_some_and(is_inner)
    }
}

/// Whether an atom with this name occurs inside an item.
fn is_inner(name: &[u8]) -> bool {
    matches!(
        name,
        [b'd', b'a', b't', b'a', ..]
            | [b'm', b'e', b'a', b'n', ..]
            | [b'n', b'a', b'm', b'e', ..]
            | [b'i', b't', b'i', b'f', ..]
    )
}

/// The atoms inside an item.
pub struct Values;

impl ItemFormat for Values {
    type Name = [u8; 4];
    const KNOWN_BYTES: usize = 8;
    const LEAST_BYTES: u64 = 8;

    fn head(&self, source: &mut Source, at: u64, end: u64) -> Result<Option<Head<[u8; 4]>>> {
        let head = Atoms.head(source, at, end)?;
        Ok(head.filter(|head| is_inner(&head.name)))
    }

    fn is_known(&self, bytes: &[u8]) -> bool {
        bytes.get(4..).is_some_and(is_inner)
    }
}

/// The items of the `ilst` atom; `None` if the file has none.
///
/// # Errors
/// If a read failed.
pub fn list(source: &mut Source) -> Result<Option<ItemList<[u8; 4]>>> {
    let path = [b"moov", b"udta", b"meta", b"ilst"];
    let Some(list) = Boxes::of_file(source).descend(source, &path)? else {
        return Ok(None);
    };
    walk(&Atoms, source, list.start, list.end).map(Some)
}
