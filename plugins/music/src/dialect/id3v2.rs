//! ID3v2.2 to 2.4: text, people, dates and comments of frames.

mod text;

use std::io::Result;

use svc_plugin_api::Source;

use super::Findings;
use crate::items::id3v2::Tag;
use crate::tags::{Key, Tags};
use text::{Texts, decode};

/// The owner of a recording id in a `UFID` frame.
const MUSICBRAINZ: &[u8] = b"http://musicbrainz.org";
/// The most bytes of a text frame, before and after decompression.
const MAX_FRAME_BYTES: usize = 1024 * 1024;

/// Reads the frames of a tag.
///
/// # Errors
/// If a read failed.
pub fn read(source: &mut Source, tag: &mut Tag, findings: &mut Findings) -> Result<()> {
    let mut reader = Reader::default();
    reader.tags.joins_with_slash = tag.version < 4;
    let frames = std::mem::take(&mut tag.list.items);
    for frame in &frames {
        let id = frame.name.id;
        if !is_read(&id) || frame.body == frame.end {
            continue;
        }
        let read = match tag.body(source, frame, MAX_FRAME_BYTES)? {
            Ok(body) => reader.frame(&id, &body).ok_or("it is invalid in its encoding"),
            Err(reason) => Err(reason),
        };
        if let Err(reason) = read {
            findings.skipped("ID3v2", String::from_utf8_lossy(&id), reason);
        }
    }
    findings.damaged("ID3v2", tag.list.damaged_places);
    findings.add(reader.finish());
    Ok(())
}

/// Whether frames with this id are read.
fn is_read(id: &[u8; 4]) -> bool {
    key_of(id).is_some()
        || matches!(
            id,
            b"TYER" | b"TDAT" | b"TIME" | b"TXXX" | b"COMM" | b"UFID" | b"TIPL" | b"IPLS" | b"TMCL"
        )
}

#[derive(Default)]
struct Reader {
    tags: Tags,
    /// Before 2.4 a date is in three frames: year, day and month, time.
    year: Option<String>,
    day: Option<String>,
    time: Option<String>,
    /// Pairs of description and text.
    comments: Vec<(String, String)>,
}

impl Reader {
    /// Adds a frame; `None` if its body is invalid.
    fn frame(&mut self, id: &[u8; 4], body: &[u8]) -> Option<()> {
        if id == b"UFID" {
            let owner = body.iter().position(|byte| *byte == 0)?;
            if body.get(..owner)? == MUSICBRAINZ {
                let id = String::from_utf8_lossy(body.get(owner + 1..)?);
                self.tags.add(Key::RecordingId, id);
            }
            return Some(());
        }
        let (encoding, rest) = body.split_first()?;
        match id {
            b"COMM" => {
                // Three bytes are the language.
                let (description, text) = Texts::new(*encoding, rest.get(3..)?).two()?;
                self.comments.push((description, text));
            }
            b"TXXX" => {
                let (description, text) = Texts::new(*encoding, rest).two()?;
                self.tags.add_named(&description, &text);
            }
            b"TIPL" | b"IPLS" | b"TMCL" => self.people(id, &decode(*encoding, rest)?),
            b"TYER" => self.year = Some(decode(*encoding, rest)?),
            b"TDAT" => self.day = Some(decode(*encoding, rest)?),
            b"TIME" => self.time = Some(decode(*encoding, rest)?),
            _ => {
                let text = decode(*encoding, rest)?;
                if let Some(key) = key_of(id) {
                    self.tags.add(key, text);
                }
            }
        }
        Some(())
    }

    /// `TMCL` pairs an instrument with its player, the other frames pair a role with a person.
    fn people(&mut self, id: &[u8; 4], text: &str) {
        let texts: Vec<&str> = text.split('\0').collect();
        for pair in texts.chunks_exact(2) {
            let [role, name] = pair else { continue };
            let key = if id == b"TMCL" {
                Some(Key::Performer)
            } else {
                key_of_role(role)
            };
            if let Some(key) = key {
                self.tags.add(key, *name);
            }
        }
    }

    fn finish(mut self) -> Tags {
        if let Some(date) = self.date() {
            self.tags.add(Key::Date, date);
        }
        if let Some(comment) = self.best_comment() {
            self.tags.add(Key::Comment, comment);
        }
        self.tags
    }

    /// The date in the three frames. Day and time count only if the part before them is present.
    fn date(&self) -> Option<String> {
        let year = self.year.as_deref()?;
        let digits = |text: &Option<String>| {
            let text = text.as_deref()?.trim_end_matches('\0');
            let (first, second) = text.split_at_checked(2)?;
            let is_number = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| (first.to_owned(), second.to_owned()))
        };
        let is_year = year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit());
        Some(
            match (digits(&self.day).filter(|_| is_year), digits(&self.time)) {
                (Some((day, month)), Some((hour, minute))) => {
                    format!("{year}-{month}-{day}T{hour}:{minute}")
                }
                (Some((day, month)), None) => format!("{year}-{month}-{day}"),
                (None, _) => year.to_owned(),
            },
        )
    }

    /// The comment without a description, else the first that is not private data of a program.
    fn best_comment(&self) -> Option<String> {
        let is_a_programs = |description: &str| {
            ["iTun", "Songs-DB", "ID3v1"]
                .iter()
                .any(|prefix| description.starts_with(prefix))
        };
        let mut comments = self.comments.iter().filter(|(_, text)| !text.trim().is_empty());
        let plain = comments.clone().find(|(description, _)| description.is_empty());
        plain
            .or_else(|| comments.find(|(description, _)| !is_a_programs(description)))
            .map(|(_, text)| text.clone())
    }
}

fn key_of_role(role: &str) -> Option<Key> {
    match role.trim() {
        role if role.eq_ignore_ascii_case("producer") => Some(Key::Producer),
        role if role.eq_ignore_ascii_case("remix") || role.eq_ignore_ascii_case("remixer") => {
            Some(Key::Remixer)
        }
        _ => None,
    }
}

fn key_of(id: &[u8; 4]) -> Option<Key> {
    Some(match id {
        b"TIT2" => Key::Title,
        b"TSOT" | b"XSOT" => Key::TitleSort,
        b"TPE1" => Key::Artist,
        b"TSOP" | b"XSOP" => Key::ArtistSort,
        b"TALB" => Key::Album,
        b"TSOA" | b"XSOA" => Key::AlbumSort,
        b"TPE2" => Key::AlbumArtist,
        b"TSO2" => Key::AlbumArtistSort,
        b"TCOM" => Key::Composer,
        b"TPE3" => Key::Conductor,
        b"TEXT" => Key::Lyricist,
        b"TPE4" => Key::Remixer,
        b"TRCK" => Key::TrackNumber,
        b"TPOS" => Key::DiscNumber,
        b"TCON" => Key::Genre,
        b"TDRC" => Key::Date,
        b"TDRL" => Key::ReleaseDate,
        b"TDOR" => Key::OriginalDate,
        b"TORY" | b"XDOR" => Key::OriginalYear,
        b"TCMP" => Key::Compilation,
        b"TSRC" => Key::Isrc,
        b"TBPM" => Key::Bpm,
        _ => return None,
    })
}
