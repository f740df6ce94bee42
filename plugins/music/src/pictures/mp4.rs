//! `covr` items of MP4.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Found, add_at};
use crate::items::{ItemList, atoms, walk};

/// Bytes before the picture in a `data` atom: the type and a locale.
const DATA_HEAD: u64 = 8;

pub(super) fn find(source: &mut Source, list: &ItemList<[u8; 4]>, found: &mut Vec<Found>) -> Result<()> {
    for cover in list.items.iter().filter(|item| &item.name == b"covr") {
        let values = walk(&atoms::Values, source, cover.body, cover.end)?;
        for data in values
            .items
            .iter()
            .filter(|value| &value.name == b"data" && !value.is_cut)
        {
            let stated = match source.array_at::<4>(data.body)?.map(u32::from_be_bytes) {
                Some(13) => "image/jpeg",
                Some(14) => "image/png",
                Some(27) => "image/bmp",
                _ => "",
            };
            let start = data.body + DATA_HEAD;
            add_at(
                source,
                (start, data.end.saturating_sub(start)),
                "front",
                stated,
                found,
            )?;
        }
    }
    Ok(())
}
