//! MP4 `ilst`: atoms with a name of four letters, and free-form atoms with a name of their own.

use std::io::Result;

use lofty::id3::v1::GENRES;
use svc_plugin_api::Source;

use super::{Findings, MAX_TEXT_BYTES};
use crate::items::{Item, ItemList, atoms, walk};
use crate::tags::{Key, Tags, key_of_name};

/// The longest name of a free-form atom.
const MAX_NAME: usize = 64;
/// Bytes before the content of a `data` atom (type and locale) and of a `name` atom.
const DATA_HEAD: usize = 8;
const NAME_HEAD: usize = 4;

/// Type codes of values.
const UNTYPED: u32 = 0;
const UTF8: u32 = 1;
const UTF16: u32 = 2;
const SIGNED: u32 = 21;
const UNSIGNED: u32 = 22;

/// Reads the items of the `ilst` atom.
///
/// # Errors
/// If a read failed.
pub fn read(source: &mut Source, list: &ItemList<[u8; 4]>, findings: &mut Findings) -> Result<()> {
    let mut tags = Tags::default();
    let mut damaged_places = list.damaged_places;
    for item in &list.items {
        if item.name != *b"----" && key_of(&item.name).is_none() {
            continue;
        }
        let inside: ItemList<[u8; 4]> = walk(&atoms::Values, source, item.body, item.end)?;
        damaged_places += inside.damaged_places;
        let key = if &item.name == b"----" {
            free_key(source, &inside.items)?
        } else {
            key_of(&item.name)
        };
        let Some(key) = key else { continue };
        for value in inside.items.iter().filter(|value| &value.name == b"data") {
            let bytes = value.bytes(source, MAX_TEXT_BYTES)?;
            if let Some((head, value)) = bytes.split_at_checked(DATA_HEAD) {
                let kind = head.first_chunk().map_or(0, |kind| u32::from_be_bytes(*kind)) & 0x00ff_ffff;
                add(&mut tags, &item.name, key, kind, value);
            }
        }
    }
    findings.damaged("MP4", damaged_places);
    findings.add(tags);
    Ok(())
}

/// The key of a free-form atom, by its name.
fn free_key(source: &mut Source, values: &[Item<[u8; 4]>]) -> Result<Option<Key>> {
    let Some(name) = values.iter().find(|value| &value.name == b"name") else {
        return Ok(None);
    };
    let name = name.bytes(source, NAME_HEAD + MAX_NAME)?;
    let name = String::from_utf8_lossy(name.get(NAME_HEAD..).unwrap_or_default());
    Ok(key_of_name(&name))
}

fn add(tags: &mut Tags, atom: &[u8; 4], key: Key, kind: u32, value: &[u8]) {
    match atom {
        b"trkn" => pair(value, tags, Key::TrackNumber, Key::TrackTotal),
        b"disk" => pair(value, tags, Key::DiscNumber, Key::DiscTotal),
        // Numbers of ID3v1 genres, from 1.
        b"gnre" => {
            let number = value.last_chunk().map_or(0, |number| u16::from_be_bytes(*number));
            let genre = usize::from(number)
                .checked_sub(1)
                .and_then(|number| GENRES.get(number));
            tags.add(key, genre.copied().unwrap_or_default());
        }
        // Numbers, even if the type code is missing.
        b"cpil" | b"tmpo" if matches!(kind, UNTYPED | SIGNED | UNSIGNED) => {
            if let Some(number) = number(value, kind != UNSIGNED) {
                tags.add(key, number.to_string());
            }
        }
        _ => {
            if let Some(text) = text(kind, value) {
                tags.add(key, text);
            }
        }
    }
}

fn key_of(atom: &[u8; 4]) -> Option<Key> {
    Some(match atom {
        b"\xa9nam" => Key::Title,
        b"sonm" => Key::TitleSort,
        b"\xa9ART" => Key::Artist,
        b"soar" => Key::ArtistSort,
        b"\xa9alb" => Key::Album,
        b"soal" => Key::AlbumSort,
        b"aART" => Key::AlbumArtist,
        b"soaa" => Key::AlbumArtistSort,
        b"\xa9wrt" | b"\xa9com" => Key::Composer,
        b"\xa9con" => Key::Conductor,
        b"\xa9gen" | b"gnre" => Key::Genre,
        b"\xa9day" => Key::Date,
        b"cpil" => Key::Compilation,
        b"tmpo" => Key::Bpm,
        b"\xa9cmt" => Key::Comment,
        b"trkn" => Key::TrackNumber,
        b"disk" => Key::DiscNumber,
        _ => return None,
    })
}

/// A value as text. Values of an unknown type count as text if they are valid UTF-8.
fn text(kind: u32, value: &[u8]) -> Option<String> {
    match kind {
        UTF16 => {
            let units = value
                .chunks_exact(2)
                .filter_map(|pair| Some(u16::from_be_bytes(*pair.first_chunk()?)));
            char::decode_utf16(units)
                .collect::<std::result::Result<_, _>>()
                .ok()
        }
        SIGNED | UNSIGNED => number(value, kind == SIGNED).map(|number| number.to_string()),
        _ => {
            let text = std::str::from_utf8(value).ok()?;
            let is_text = kind == UTF8 || !text.contains(|c: char| c.is_control() && !c.is_whitespace());
            is_text.then(|| text.to_owned())
        }
    }
}

/// An integer of 1 to 8 bytes.
fn number(value: &[u8], is_signed: bool) -> Option<i128> {
    let bits = 8 * u32::try_from(value.len())
        .ok()
        .filter(|length| (1..=8).contains(length))?;
    let number = value
        .iter()
        .fold(0_i128, |number, byte| (number << 8) | i128::from(*byte));
    let is_negative = is_signed && number >> (bits - 1) == 1;
    Some(if is_negative { number - (1 << bits) } else { number })
}

/// Two reserved bytes, the number, the total, of 16 bits each; some programs omit the end.
fn pair(value: &[u8], tags: &mut Tags, number: Key, total: Key) {
    let at = |start: usize| Some(u16::from_be_bytes(*value.get(start..)?.first_chunk()?));
    for (key, value) in [(number, at(2)), (total, at(4))] {
        if let Some(value) = value.filter(|value| *value > 0) {
            tags.add(key, value.to_string());
        }
    }
}
