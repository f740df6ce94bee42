//! `covr` atoms of MP4: moov, udta, meta, ilst, covr, data.

use std::io::Result;

use svc_plugin_api::{Source, isobmff::Boxes};

use super::{Found, add_at};

/// Adds the covers of a file.
pub(super) fn find(source: &mut Source, found: &mut Vec<Found>) -> Result<()> {
    let path = [b"moov", b"udta", b"meta", b"ilst"];
    let Some(list) = Boxes::of_file(source).descend(source, &path)? else {
        return Ok(());
    };
    let mut tags = list.children();
    while let Some(tag) = tags.find(source, b"covr")? {
        let mut values = tag.children();
        while let Some(data) = values.find(source, b"data")? {
            // Four bytes of type (13 JPEG, 14 PNG), four of locale.
            if data.is_cut || data.length() <= 8 {
                continue;
            }
            let said = match source.array_at::<4>(data.start)?.map(u32::from_be_bytes) {
                Some(13) => "image/jpeg",
                Some(14) => "image/png",
                Some(27) => "image/bmp",
                _ => "",
            };
            add_at(source, (data.start + 8, data.length() - 8), "front", said, found)?;
        }
    }
    Ok(())
}
