//! Tags: texts in `udta`, and values in `meta` with names of four letters or with numbered names.

use std::io::Result;

use containers::isobmff::{BoxSpan, Boxes};
use svc_plugin_api::{Picture, PictureData, Source, Span, picture_media_type};

use super::chapters;
use crate::tags::Tags;
use crate::video::Video;
use containers::bytes::{Bytes, text, utf16_be};

/// The most bytes of a text, and of the names in `keys`.
const MAX_TEXT_BYTES: usize = 16 * 1024;
const MAX_KEYS_BYTES: usize = 64 * 1024;
const MAX_PICTURES: usize = 16;

/// The first genres of ID3v1.
const GENRES: [&str; 80] = [
    "Blues",
    "Classic Rock",
    "Country",
    "Dance",
    "Disco",
    "Funk",
    "Grunge",
    "Hip-Hop",
    "Jazz",
    "Metal",
    "New Age",
    "Oldies",
    "Other",
    "Pop",
    "R&B",
    "Rap",
    "Reggae",
    "Rock",
    "Techno",
    "Industrial",
    "Alternative",
    "Ska",
    "Death Metal",
    "Pranks",
    "Soundtrack",
    "Euro-Techno",
    "Ambient",
    "Trip-Hop",
    "Vocal",
    "Jazz+Funk",
    "Fusion",
    "Trance",
    "Classical",
    "Instrumental",
    "Acid",
    "House",
    "Game",
    "Sound Clip",
    "Gospel",
    "Noise",
    "AlternRock",
    "Bass",
    "Soul",
    "Punk",
    "Space",
    "Meditative",
    "Instrumental Pop",
    "Instrumental Rock",
    "Ethnic",
    "Gothic",
    "Darkwave",
    "Techno-Industrial",
    "Electronic",
    "Pop-Folk",
    "Eurodance",
    "Dream",
    "Southern Rock",
    "Comedy",
    "Cult",
    "Gangsta",
    "Top 40",
    "Christian Rap",
    "Pop/Funk",
    "Jungle",
    "Native American",
    "Cabaret",
    "New Wave",
    "Psychadelic",
    "Rave",
    "Showtunes",
    "Trailer",
    "Lo-Fi",
    "Tribal",
    "Acid Punk",
    "Acid Jazz",
    "Polka",
    "Retro",
    "Musical",
    "Rock & Roll",
    "Hard Rock",
];

/// `udta`: a `meta` box, chapters, and the texts of QuickTime and 3GP.
pub(super) fn user_data(source: &mut Source, span: &BoxSpan, video: &mut Video) -> Result<()> {
    let mut parts = span.children();
    while let Some(part) = parts.next(source)? {
        match &part.name {
            b"meta" => meta(source, &part, video)?,
            b"chpl" => video.chapters = chapters::list(&part.bytes(source, chapters::MAX_LIST_BYTES)?),
            [0xa9, ..] => {
                // Length and language.
                let body = part.bytes(source, MAX_TEXT_BYTES)?;
                let mut body = Bytes(&body);
                let length = body.be16().unwrap_or(0);
                body.skip(2);
                let letters = body.0.get(..length.into()).unwrap_or(body.0);
                add(&mut video.tags, part.name, &text(letters));
            }
            b"titl" | b"dscp" | b"gnre" => {
                // Version, flags, language.
                let body = part.bytes(source, MAX_TEXT_BYTES)?;
                let value = match body.get(6..).unwrap_or_default() {
                    [0xfe, 0xff, rest @ ..] => utf16_be(rest),
                    letters => text(letters),
                };
                add(&mut video.tags, part.name, &value);
            }
            _ => {}
        }
    }
    Ok(())
}

/// `meta`: `ilst`, and `keys` with names of any length.
pub(super) fn meta(source: &mut Source, span: &BoxSpan, video: &mut Video) -> Result<()> {
    let mut parts = Boxes::of_meta(source, span)?;
    let mut names = Vec::new();
    while let Some(part) = parts.next(source)? {
        match &part.name {
            b"keys" => names = keys(&part.bytes(source, MAX_KEYS_BYTES)?),
            b"ilst" => {
                let mut values = part.children();
                while let Some(value) = values.next(source)? {
                    item(source, &value, &names, video)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn keys(bytes: &[u8]) -> Vec<String> {
    let mut bytes = Bytes(bytes);
    bytes.skip(8);
    std::iter::from_fn(|| {
        let size = usize::try_from(bytes.be32()?).ok()?;
        bytes.skip(4)?;
        Some(text(bytes.take(size.checked_sub(8)?)?))
    })
    .collect()
}

/// An item of `ilst` with one or several values.
fn item(source: &mut Source, span: &BoxSpan, names: &[String], video: &mut Video) -> Result<()> {
    let mut name = None;
    let mut parts = span.children();
    while let Some(part) = parts.next(source)? {
        match &part.name {
            b"name" => {
                let body = part.bytes(source, 256)?;
                name = body.get(4..).map(text);
            }
            b"data" if span.name == *b"covr" => picture(source, &part, video)?,
            b"data" => {
                let body = part.bytes(source, MAX_TEXT_BYTES)?;
                let Some(value) = value(&span.name, &body) else {
                    continue;
                };
                let numbered = usize::try_from(u32::from_be_bytes(span.name))
                    .ok()
                    .and_then(|number| names.get(number.checked_sub(1)?));
                match (&name, numbered) {
                    (Some(name), _) => video.tags.add(name, &value),
                    (None, Some(long)) => {
                        let short = long.rsplit('.').next().unwrap_or(long);
                        video.tags.add(short, &value);
                    }
                    (None, None) => add(&mut video.tags, span.name, &value),
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A value as text. Type and locale precede it.
fn value(name: &[u8; 4], body: &[u8]) -> Option<String> {
    let mut bytes = Bytes(body);
    let kind = bytes.be32()? & 0x00ff_ffff;
    bytes.skip(4)?;
    let number = || {
        let length = bytes.0.len();
        let bits = bytes
            .0
            .iter()
            .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        (1..=8).contains(&length).then_some(bits)
    };
    match kind {
        0 if name == b"gnre" => {
            let index = usize::try_from(number()?).ok()?.checked_sub(1)?;
            GENRES.get(index).map(|genre| (*genre).to_owned())
        }
        0 | 21 | 22 if matches!(name, b"tvsn" | b"tves") => number().map(|number| number.to_string()),
        1 => Some(text(bytes.0)),
        2 => Some(utf16_be(bytes.0)),
        21 | 22 => number().map(|number| number.to_string()),
        _ => None,
    }
}

fn picture(source: &mut Source, span: &BoxSpan, video: &mut Video) -> Result<()> {
    let (offset, length) = (span.start.saturating_add(8), span.length().saturating_sub(8));
    if span.is_cut || length == 0 || video.pictures.len() >= MAX_PICTURES {
        return Ok(());
    }
    let start = source.bytes_at(offset, 16)?;
    if let Some(mime) = picture_media_type(&start) {
        video.pictures.push(Picture {
            purpose: "front".to_owned(),
            mime: mime.to_owned(),
            data: PictureData::At(Span { offset, length }),
        });
    }
    Ok(())
}

/// Adds a value by its name of four letters.
fn add(tags: &mut Tags, name: [u8; 4], value: &str) {
    let name = match &name {
        b"\xa9nam" | b"titl" => "TITLE",
        b"\xa9day" => "DATE",
        b"\xa9gen" | b"gnre" => "GENRE",
        b"\xa9cmt" => "COMMENT",
        b"\xa9too" | b"\xa9swr" => "ENCODER",
        b"\xa9des" | b"desc" | b"dscp" | b"\xa9inf" => "DESCRIPTION",
        b"ldes" => "SYNOPSIS",
        b"tvsh" => "SHOW",
        b"tvsn" => "SEASON_NUMBER",
        b"tves" => "EPISODE_SORT",
        b"tven" => "EPISODE_ID",
        b"tvnn" => "NETWORK",
        b"\xa9ART" | b"\xa9aut" => "ARTIST",
        b"aART" => "ALBUM_ARTIST",
        b"\xa9alb" => "ALBUM",
        b"\xa9dir" => "DIRECTOR",
        b"cprt" | b"\xa9cpy" => "COPYRIGHT",
        _ => return,
    };
    tags.add(name, value);
}
