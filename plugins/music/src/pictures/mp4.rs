//! `covr` atoms of MP4: moov, udta, meta, ilst, covr, data.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Found, add_at};

/// The most atoms of one parent that are walked.
const MAX_ATOMS: usize = 4096;

/// Adds the covers of a file.
pub(super) fn find(source: &mut Source, found: &mut Vec<Found>) -> Result<()> {
    let mut place = Some((0, source.size()));
    for name in [b"moov", b"udta", b"meta", b"ilst"] {
        let Some((start, end)) = place else { return Ok(()) };
        place = child(source, start, end, name)?;
        if name == b"meta" {
            place = place.map(|(start, end)| (start + version_bytes(source, start).unwrap_or(0), end));
        }
    }
    let Some((start, end)) = place else { return Ok(()) };
    for (name, start, end) in children(source, start, end)? {
        if name != *b"covr" {
            continue;
        }
        for (name, start, end) in children(source, start, end)? {
            // Four bytes of type (13 JPEG, 14 PNG), four of locale.
            if name == *b"data" && end - start > 8 {
                let said = match source.array_at::<4>(start)?.map(u32::from_be_bytes) {
                    Some(13) => "image/jpeg",
                    Some(14) => "image/png",
                    Some(27) => "image/bmp",
                    _ => "",
                };
                add_at(source, (start + 8, end - start - 8), "front", said, found)?;
            }
        }
    }
    Ok(())
}

/// `meta` has four bytes of version and flags in MP4 and none in QuickTime.
fn version_bytes(source: &mut Source, start: u64) -> Option<u64> {
    let bytes = source.array_at::<8>(start).ok()??;
    Some(if bytes.ends_with(b"hdlr") { 0 } else { 4 })
}

fn child(source: &mut Source, start: u64, end: u64, wanted: &[u8; 4]) -> Result<Option<(u64, u64)>> {
    let found = children(source, start, end)?
        .into_iter()
        .find(|(name, _, _)| name == wanted);
    Ok(found.map(|(_, start, end)| (start, end)))
}

/// Name, start and end of the bodies of the atoms from `start` to `end`.
fn children(source: &mut Source, start: u64, end: u64) -> Result<Vec<([u8; 4], u64, u64)>> {
    let mut atoms = Vec::new();
    let mut offset = start;
    while atoms.len() < MAX_ATOMS && offset.saturating_add(8) <= end {
        let Some([a, b, c, d, name @ ..]) = source.array_at::<8>(offset)? else {
            break;
        };
        let (header, size) = match u32::from_be_bytes([a, b, c, d]) {
            0 => (8, end - offset),
            1 => (
                16,
                source.array_at::<8>(offset + 8)?.map_or(0, u64::from_be_bytes),
            ),
            size => (8, u64::from(size)),
        };
        let Some(next) = offset
            .checked_add(size)
            .filter(|next| size >= header && *next <= end)
        else {
            break;
        };
        atoms.push((name, offset + header, next));
        offset = next;
    }
    Ok(atoms)
}
