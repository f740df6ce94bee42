//! Detects the format of a file by its content, and by its extension if the format has no magic number. Locates the
//! tags.

pub mod asf;
pub mod comments;
pub mod dsf;
pub mod ogg;
pub mod ogg_pages;
pub mod tail;

use containers::{ogg::Page, riff};
use svc_plugin_api::{ExtractError, Source};

use crate::items::chunks::{self, Kind};
use crate::items::id3v2::{self, Tag};
use crate::items::{ItemList, atoms, wave64};
use tail::{ApeTag, Tail, ape_in_front};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Mpeg,
    Adts,
    Adif,
    Flac,
    Vorbis,
    Opus,
    Speex,
    OggFlac,
    Mp4,
    Wav,
    Aiff,
    Ape,
    WavPack,
    Musepack,
    Dsf,
    Asf,
    Matroska,
}

/// The format of a file, and the positions of its tags and audio.
pub struct Container {
    pub format: Format,
    /// Best first.
    pub id3v2: Vec<Tag>,
    /// Of a WAV or AIFF file.
    pub chunks: Option<ItemList<[u8; 4]>>,
    /// The items of the `ilst` tag of an MP4 file.
    pub atoms: Option<ItemList<[u8; 4]>>,
    /// The comments of an Ogg stream, in memory.
    pub comments: Option<Source>,
    /// An APE tag before the audio, where the specification does not allow it.
    pub ape: Option<ApeTag>,
    /// The start of the format's own bytes, after leading tags; at most the size of the file.
    pub start: u64,
    /// The tags after the audio, in formats that have them there.
    pub tail: Tail,
}

/// Ordinary files have at most two.
const MAX_LEADING_TAGS: usize = 4;
/// The most bytes that are searched for the first frame.
const MAX_JUNK: usize = 64 * 1024;
impl Container {
    /// Detects the format of a file and locates its tags.
    ///
    /// # Errors
    /// `Refused` for another format, `Io` if a read failed.
    pub fn detect(source: &mut Source) -> Result<Self, ExtractError> {
        let mut start = 0;
        let mut leading = Vec::new();
        for _ in 0..MAX_LEADING_TAGS {
            let Some(size) = id3v2::size(source, start)? else {
                break;
            };
            leading.push(start);
            start += size;
        }
        let ape = ape_in_front(source, start)?;
        let start = ape.map_or(start, |tag| tag.end).min(source.size());
        let head = source.bytes_at(start, 16)?;
        let format = match by_magic(&head) {
            Some(Magic::Is(format)) => Some(format),
            Some(Magic::Ogg) => by_ogg_packet(&source.bytes_at(start, 512)?),
            None => by_name_or_frame(source, start)?,
        };
        let Some(format) = format else {
            return Err(ExtractError::Refused("not a supported music format".into()));
        };
        let tail = match format {
            Format::Mpeg | Format::Adts | Format::Ape | Format::WavPack | Format::Musepack => {
                Tail::find(source, start)?
            }
            _ => Tail {
                start: source.size(),
                ..Tail::default()
            },
        };
        let chunks = match format {
            Format::Wav if wave64::is_magic(&head) => Some(wave64::of_file(source, start)?),
            Format::Wav => Some(chunks::of_file(source, Kind::Riff, start)?),
            Format::Aiff => Some(chunks::of_file(source, Kind::Aiff, start)?),
            _ => None,
        };
        let atoms = if format == Format::Mp4 {
            atoms::list(source)?
        } else {
            None
        };
        let comments = comments::of_ogg(source, format, start)?;
        let inside = chunks.iter().flat_map(|list| &list.items);
        let inside = inside.filter(|chunk| matches!(&chunk.name, b"ID3 " | b"id3 "));
        let mut places: Vec<u64> = inside.map(|chunk| chunk.body).collect();
        if format == Format::Dsf {
            places.extend(dsf::tag_offset(source)?);
        }
        places.extend(leading.iter().chain(&tail.id3v2));
        let mut id3v2 = Vec::new();
        for offset in places {
            id3v2.extend(Tag::open(source, offset)?);
        }
        Ok(Self {
            format,
            id3v2,
            chunks,
            atoms,
            comments,
            ape,
            start,
            tail,
        })
    }
}

enum Magic {
    Is(Format),
    Ogg,
}

fn by_magic(head: &[u8]) -> Option<Magic> {
    Some(Magic::Is(match head {
        [b'O', b'g', b'g', b'S', ..] => return Some(Magic::Ogg),
        [b'f', b'L', b'a', b'C', ..] => Format::Flac,
        [b'A', b'D', b'I', b'F', ..] => Format::Adif,
        _ if riff::is_wave(head) => Format::Wav,
        _ if riff::is_aiff(head) => Format::Aiff,
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Format::Mp4,
        [b'M', b'A', b'C', b' ', ..] => Format::Ape,
        [b'w', b'v', b'p', b'k', ..] => Format::WavPack,
        [b'M', b'P', b'C', b'K', ..] | [b'M', b'P', b'+', ..] => Format::Musepack,
        [b'D', b'S', b'D', b' ', ..] => Format::Dsf,
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Format::Matroska,
        _ if wave64::is_magic(head) => Format::Wav,
        _ if head.starts_with(&containers::asf::HEADER) => Format::Asf,
        [0xff, second, ..] if second & 0xf6 == 0xf0 => Format::Adts,
        [0xff, second, ..] if second & 0xe0 == 0xe0 && second & 0x18 != 0x08 => Format::Mpeg,
        _ => return None,
    }))
}

/// The format of an Ogg stream by its first packet.
fn by_ogg_packet(page: &[u8]) -> Option<Format> {
    let packet = Page::parse(page)?.body;
    match packet {
        _ if packet.starts_with(b"OpusHead") => Some(Format::Opus),
        _ if packet.starts_with(b"\x01vorbis") => Some(Format::Vorbis),
        _ if packet.starts_with(b"Speex   ") => Some(Format::Speex),
        _ if packet.starts_with(b"\x7fFLAC") => Some(Format::OggFlac),
        _ => None,
    }
}

/// Formats without a magic number at the start: old Musepack, and MPEG frames after other bytes.
fn by_name_or_frame(source: &mut Source, start: u64) -> Result<Option<Format>, ExtractError> {
    let named = match source.extension().as_str() {
        "mp3" | "mp2" | "mp1" => Some(Format::Mpeg),
        "aac" | "adts" => Some(Format::Adts),
        "mpc" | "mp+" | "mpp" => return Ok(Some(Format::Musepack)),
        "ape" => Some(Format::Ape),
        "wv" => Some(Format::WavPack),
        _ => None,
    };
    if named.is_some() {
        return Ok(named);
    }
    let junk = source.bytes_at(start, MAX_JUNK)?;
    Ok(junk.windows(4).find_map(|window| match window {
        [0xff, second, third, _] if second & 0xf6 == 0xf0 && third & 0x3c != 0x3c => Some(Format::Adts),
        [0xff, second, third, _]
            if second & 0xe0 == 0xe0
                && second & 0x18 != 0x08
                && second & 0x06 != 0
                && third & 0xf0 != 0xf0
                && third & 0x0c != 0x0c =>
        {
            Some(Format::Mpeg)
        }
        _ => None,
    }))
}
