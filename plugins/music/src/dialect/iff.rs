//! Text chunks of RIFF (`LIST INFO`) and AIFF.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Findings, MAX_TEXT_BYTES, utf8_or_latin1};
use crate::items::{Item, ItemList, chunks};
use crate::tags::{Key, Tags};

/// Bytes before the text of an AIFF comment: time, marker, length.
const COMMENT_HEAD: usize = 8;

/// Reads the `LIST INFO` chunks of a WAV file.
///
/// # Errors
/// If a read failed.
pub fn read_riff(source: &mut Source, file: &ItemList<[u8; 4]>, findings: &mut Findings) -> Result<()> {
    let mut tags = Tags::default();
    for list in file.items.iter().filter(|chunk| &chunk.name == b"LIST") {
        let Some(list) = chunks::of_info(source, list)? else {
            continue;
        };
        for chunk in &list.items {
            let text = text(source, chunk)?;
            if let Some(key) = key_of(&chunk.name.map(|byte| byte.to_ascii_uppercase()), &text) {
                tags.add(key, text);
            }
        }
        findings.damaged("RIFF INFO", list.damaged_places);
    }
    findings.add(tags);
    Ok(())
}

fn text(source: &mut Source, chunk: &Item<[u8; 4]>) -> Result<String> {
    let bytes = chunk.bytes(source, MAX_TEXT_BYTES)?;
    let end = bytes
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    Ok(utf8_or_latin1(bytes.get(..end).unwrap_or_default()))
}

fn key_of(name: &[u8; 4], text: &str) -> Option<Key> {
    Some(match name {
        b"INAM" => Key::Title,
        b"IART" => Key::Artist,
        b"IPRD" | b"IALB" => Key::Album,
        b"IAAR" => Key::AlbumArtist,
        b"ICRD" => Key::Date,
        b"YEAR" => Key::Year,
        b"IGNR" => Key::Genre,
        b"ITRK" | b"IPRT" | b"TRCK" => Key::TrackNumber,
        b"IFRM" => Key::TrackTotal,
        b"ICMT" => Key::Comment,
        b"IMUS" => Key::Composer,
        b"IWRI" => Key::Lyricist,
        b"IPRO" => Key::Producer,
        b"ISRC" if looks_like_isrc(text) => Key::Isrc,
        b"IBPM" => Key::Bpm,
        _ => return None,
    })
}

/// In RIFF, `ISRC` is the source of the material, but some programs write the recording code.
fn looks_like_isrc(text: &str) -> bool {
    let code: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'-' | b' ' | 0))
        .collect();
    code.len() == 12
        && code.iter().take(2).all(u8::is_ascii_alphabetic)
        && code.iter().skip(5).all(u8::is_ascii_digit)
}

/// Reads the chunks `NAME`, `AUTH`, `ANNO` and `COMT` of an AIFF file.
///
/// # Errors
/// If a read failed.
pub fn read_aiff(source: &mut Source, file: &ItemList<[u8; 4]>, findings: &mut Findings) -> Result<()> {
    let mut tags = Tags::default();
    for chunk in &file.items {
        let key = match &chunk.name {
            b"NAME" => Key::Title,
            b"AUTH" => Key::Artist,
            b"ANNO" => Key::Comment,
            b"COMT" => {
                let bytes = chunk.bytes(source, MAX_TEXT_BYTES)?;
                comments(bytes.get(2..).unwrap_or_default(), &mut tags);
                continue;
            }
            _ => continue,
        };
        tags.add(key, text(source, chunk)?);
    }
    findings.add(tags);
    Ok(())
}

/// The texts of a `COMT` chunk, after the count.
fn comments(mut rest: &[u8], tags: &mut Tags) {
    while let Some((head, after)) = rest.split_at_checked(COMMENT_HEAD) {
        let length = head.last_chunk().map_or(0, |length| u16::from_be_bytes(*length));
        let length = usize::from(length).min(after.len());
        let (text, after) = after.split_at(length);
        tags.add(Key::Comment, utf8_or_latin1(text));
        // Comments begin at even offsets.
        rest = after.get(length % 2..).unwrap_or_default();
    }
}
