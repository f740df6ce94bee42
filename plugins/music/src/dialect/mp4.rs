//! MP4 `ilst`: four-letter atoms, and free-form ones with a name.

use lofty::id3::v1::GENRES;
use lofty::mp4::{AtomData, AtomIdent, Ilst};

use crate::tags::{Key, Tags, key_of_name};

/// The statements of an `ilst` atom.
pub fn read(ilst: &Ilst) -> Tags {
    let mut tags = Tags::default();
    for atom in ilst {
        let fourcc = match atom.ident() {
            AtomIdent::Fourcc(fourcc) => fourcc,
            AtomIdent::Freeform { name, .. } => {
                if let Some(key) = key_of_name(name) {
                    atom.data().filter_map(text).for_each(|text| tags.add(key, text));
                }
                continue;
            }
        };
        match fourcc {
            b"trkn" => pair(atom.data(), &mut tags, Key::TrackNumber, Key::TrackTotal),
            b"disk" => pair(atom.data(), &mut tags, Key::DiscNumber, Key::DiscTotal),
            // ID3v1 numbers, from 1.
            b"gnre" => {
                let number = atom
                    .data()
                    .find_map(last_u16)
                    .and_then(|number| number.checked_sub(1));
                if let Some(genre) = number.and_then(|number| GENRES.get(usize::from(number))) {
                    tags.add(Key::Genre, *genre);
                }
            }
            _ => {
                if let Some(key) = key_of(fourcc) {
                    atom.data().filter_map(text).for_each(|text| tags.add(key, text));
                }
            }
        }
    }
    tags
}

fn key_of(fourcc: &[u8; 4]) -> Option<Key> {
    Some(match fourcc {
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
        b"\xa9gen" => Key::Genre,
        b"\xa9day" => Key::Date,
        b"cpil" => Key::Compilation,
        b"tmpo" => Key::Bpm,
        b"\xa9cmt" => Key::Comment,
        _ => return None,
    })
}

fn text(data: &AtomData) -> Option<String> {
    match data {
        AtomData::UTF8(text) | AtomData::UTF16(text) => Some(text.clone()),
        AtomData::SignedInteger(number) => Some(number.to_string()),
        AtomData::UnsignedInteger(number) => Some(number.to_string()),
        AtomData::Bool(flag) => Some(u8::from(*flag).to_string()),
        // Data without a type: some programs write texts so.
        AtomData::Unknown { data, .. } => std::str::from_utf8(data).ok().map(str::to_owned),
        AtomData::Picture(_) => None,
    }
}

/// Two bytes of nothing, the number, the total, each 16 bits; some programs leave the end away.
fn pair<'a>(data: impl Iterator<Item = &'a AtomData>, tags: &mut Tags, number: Key, total: Key) {
    for data in data {
        let AtomData::Unknown { data, .. } = data else {
            continue;
        };
        let at = |start: usize| Some(u16::from_be_bytes(*data.get(start..)?.first_chunk()?));
        for (key, value) in [(number, at(2)), (total, at(4))] {
            if let Some(value) = value.filter(|value| *value > 0) {
                tags.add(key, value.to_string());
            }
        }
    }
}

fn last_u16(data: &AtomData) -> Option<u16> {
    match data {
        AtomData::Unknown { data, .. } => Some(u16::from_be_bytes(*data.last_chunk()?)),
        AtomData::SignedInteger(number) => u16::try_from(*number).ok(),
        AtomData::UnsignedInteger(number) => u16::try_from(*number).ok(),
        _ => None,
    }
}
