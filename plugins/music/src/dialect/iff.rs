//! The text chunks of RIFF (`LIST INFO`) and AIFF.

use lofty::iff::aiff::AiffTextChunks;
use lofty::iff::wav::RiffInfoList;

use crate::tags::{Key, Tags};

/// The statements of a `LIST INFO` chunk.
pub fn read_riff(list: &RiffInfoList) -> Tags {
    let mut tags = Tags::default();
    for (name, text) in list {
        let key = match name.to_ascii_uppercase().as_str() {
            "INAM" => Key::Title,
            "IART" => Key::Artist,
            "IPRD" | "IALB" => Key::Album,
            "IAAR" => Key::AlbumArtist,
            "ICRD" => Key::Date,
            "YEAR" => Key::Year,
            "IGNR" => Key::Genre,
            "ITRK" | "IPRT" | "TRCK" => Key::TrackNumber,
            "IFRM" => Key::TrackTotal,
            "ICMT" => Key::Comment,
            "IMUS" => Key::Composer,
            "IWRI" => Key::Lyricist,
            "IPRO" => Key::Producer,
            "ISRC" if looks_like_isrc(text) => Key::Isrc,
            "IBPM" => Key::Bpm,
            _ => continue,
        };
        tags.add(key, text.trim_end_matches('\0'));
    }
    tags
}

/// In RIFF, `ISRC` is the source of the material; some programs put the recording code there all the same.
fn looks_like_isrc(text: &str) -> bool {
    let code: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'-' | b' ' | 0))
        .collect();
    code.len() == 12
        && code.iter().take(2).all(u8::is_ascii_alphabetic)
        && code.iter().skip(5).all(u8::is_ascii_digit)
}

/// The statements of the chunks `NAME`, `AUTH`, `ANNO` and `COMT`.
pub fn read_aiff(chunks: &AiffTextChunks) -> Tags {
    let mut tags = Tags::default();
    tags.add(Key::Title, chunks.name.as_deref().unwrap_or_default());
    tags.add(Key::Artist, chunks.author.as_deref().unwrap_or_default());
    for annotation in chunks.annotations.iter().flatten() {
        tags.add(Key::Comment, annotation.as_str());
    }
    for comment in chunks.comments.iter().flatten() {
        tags.add(Key::Comment, comment.text.as_str());
    }
    tags
}
