//! `Cover Art (...)` items of an APE tag at the end of the file.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Found, add_at};

const FOOTER_BYTES: u64 = 32;
const ID3V1_BYTES: u64 = 128;
/// The most items that are walked.
const MAX_ITEMS: u32 = 1024;
/// The longest key, and the longest file name before a picture, in bytes.
const MAX_KEY: usize = 256;
const MAX_FILE_NAME: usize = 1024;

/// Adds the covers of a file.
pub(super) fn find(source: &mut Source, found: &mut Vec<Found>) -> Result<()> {
    let Some((start, end, count)) = tag(source)? else {
        return Ok(());
    };
    let mut offset = start;
    for _ in 0..count.min(MAX_ITEMS) {
        let Some([a, b, c, d, ..]) = source.array_at::<8>(offset)? else {
            break;
        };
        let length = u64::from(u32::from_le_bytes([a, b, c, d]));
        let head = source.bytes_at(offset + 8, MAX_KEY)?;
        let Some(key_length) = head.iter().position(|byte| *byte == 0) else {
            break;
        };
        let value = offset + 8 + key_length as u64 + 1;
        let Some(next) = value.checked_add(length).filter(|next| *next <= end) else {
            break;
        };
        let key = String::from_utf8_lossy(head.get(..key_length).unwrap_or_default());
        if let Some(purpose) = purpose_of(&key) {
            item(source, value, length, purpose, found)?;
        }
        offset = next;
    }
    Ok(())
}

/// Start and end of the items, and how many there are.
fn tag(source: &mut Source) -> Result<Option<(u64, u64, u32)>> {
    for behind in [0, ID3V1_BYTES] {
        let Some(footer) = source.size().checked_sub(behind + FOOTER_BYTES) else {
            break;
        };
        let Some(bytes) = source.array_at::<32>(footer)? else {
            break;
        };
        let [preamble @ .., _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _] = bytes;
        if !preamble.starts_with(b"APETAGEX") {
            continue;
        }
        let [
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            _,
            s0,
            s1,
            s2,
            s3,
            c0,
            c1,
            c2,
            c3,
            ..,
        ] = bytes;
        let size = u64::from(u32::from_le_bytes([s0, s1, s2, s3]));
        let start = (footer + FOOTER_BYTES).checked_sub(size);
        return Ok(start.map(|start| (start, footer, u32::from_le_bytes([c0, c1, c2, c3]))));
    }
    Ok(None)
}

/// A file name, NUL, the picture.
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
