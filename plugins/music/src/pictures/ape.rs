//! `Cover Art (...)` items of APE tags.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Found, add_at};
use crate::container::tail::ApeTag;
use crate::items::ape;

/// The longest file name before a picture, in bytes.
const MAX_FILE_NAME: usize = 1024;

pub(super) fn find(source: &mut Source, tag: &ApeTag, found: &mut Vec<Found>) -> Result<()> {
    for cover in ape::list(source, tag)?.items {
        if cover.is_cut {
            continue;
        }
        if let Some(purpose) = purpose_of(&cover.name.key(source)?) {
            let length = cover.end.saturating_sub(cover.body);
            item(source, cover.body, length, purpose, found)?;
        }
    }
    Ok(())
}

/// A file name, NUL, and the picture.
fn item(
    source: &mut Source,
    value: u64,
    length: u64,
    purpose: &'static str,
    found: &mut Vec<Found>,
) -> Result<()> {
    let limit = MAX_FILE_NAME.min(usize::try_from(length).unwrap_or(usize::MAX));
    let head = source.bytes_at(value, limit)?;
    let skip = head
        .iter()
        .position(|byte| *byte == 0)
        .map_or(0, |end| end as u64 + 1);
    add_at(
        source,
        (value + skip, length.saturating_sub(skip)),
        purpose,
        "",
        found,
    )
}

fn purpose_of(key: &str) -> Option<&'static str> {
    let key = key.to_ascii_lowercase();
    let name = key.strip_prefix("cover art (")?.strip_suffix(')')?;
    Some(match name {
        "front" => "front",
        "back" => "back",
        "icon" | "png icon" => "icon",
        "leaflet" => "leaflet",
        "media" => "media",
        "lead artist" | "lead" => "lead-artist",
        "artist" => "artist",
        "conductor" => "conductor",
        "band" => "band",
        "composer" => "composer",
        "lyricist" => "lyricist",
        "recording location" | "studio" => "location",
        "during recording" | "recording session" => "recording",
        "during performance" | "performance" => "performance",
        "video capture" | "movie scene" => "screen-capture",
        "fish" | "colored fish" => "fish",
        "illustration" => "illustration",
        "band logotype" => "band-logo",
        "publisher logotype" => "publisher-logo",
        _ => "other",
    })
}
