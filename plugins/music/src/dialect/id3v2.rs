//! ID3v2.2 to 2.4: lofty hands out every frame under its 2.4 name.

use lofty::id3::v2::{CommentFrame, Frame, Id3v2Tag, Id3v2Version};
use lofty::tag::items::Timestamp;

use crate::tags::{Key, Tags};

/// The owner of a recording id in a `UFID` frame.
const MUSICBRAINZ: &str = "http://musicbrainz.org";

/// The statements of an ID3v2 tag.
pub fn read(tag: &Id3v2Tag) -> Tags {
    let mut tags = Tags::default();
    tags.joins_with_slash = tag.original_version() != Id3v2Version::V4;
    for frame in tag {
        match frame {
            Frame::Text(text) => {
                if let Some(key) = key_of(frame.id_str()) {
                    tags.add(key, text.value.as_ref());
                }
            }
            Frame::Timestamp(date) => {
                if let Some(key) = key_of(frame.id_str()) {
                    tags.add(key, date_text(&date.timestamp));
                }
            }
            Frame::UserText(text) => tags.add_named(&text.description, &text.content),
            Frame::UniqueFileIdentifier(id) if id.owner == MUSICBRAINZ => {
                tags.add(Key::RecordingId, String::from_utf8_lossy(&id.identifier));
            }
            Frame::KeyValue(people) => {
                for (role, name) in people.key_value_pairs.iter() {
                    // TMCL pairs an instrument with its player, TIPL a role with a person.
                    let key = if frame.id_str() == "TMCL" {
                        Some(Key::Performer)
                    } else {
                        key_of_role(role)
                    };
                    if let Some(key) = key {
                        tags.add(key, name.as_ref());
                    }
                }
            }
            _ => {}
        }
    }
    if let Some(comment) = best_comment(tag) {
        tags.add(Key::Comment, comment.content.as_ref());
    }
    tags
}

/// The comment without a description; else the first one that is not a program's own data.
fn best_comment(tag: &Id3v2Tag) -> Option<&CommentFrame<'_>> {
    let is_a_programs = |comment: &&CommentFrame<'_>| {
        ["iTun", "Songs-DB", "ID3v1"]
            .iter()
            .any(|prefix| comment.description.starts_with(prefix))
    };
    let mut comments = tag
        .comments()
        .filter(|comment| !comment.content.trim().is_empty());
    let plain = tag
        .comments()
        .find(|comment| comment.description.is_empty() && !comment.content.trim().is_empty());
    plain.or_else(|| comments.find(|comment| !is_a_programs(comment)))
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

fn key_of(frame: &str) -> Option<Key> {
    Some(match frame {
        "TIT2" => Key::Title,
        "TSOT" | "XSOT" => Key::TitleSort,
        "TPE1" => Key::Artist,
        "TSOP" | "XSOP" => Key::ArtistSort,
        "TALB" => Key::Album,
        "TSOA" | "XSOA" => Key::AlbumSort,
        "TPE2" => Key::AlbumArtist,
        "TSO2" => Key::AlbumArtistSort,
        "TCOM" => Key::Composer,
        "TPE3" => Key::Conductor,
        "TEXT" => Key::Lyricist,
        "TPE4" => Key::Remixer,
        "TRCK" => Key::TrackNumber,
        "TPOS" => Key::DiscNumber,
        "TCON" => Key::Genre,
        "TDRC" => Key::Date,
        "TYER" => Key::Year,
        "TDRL" => Key::ReleaseDate,
        "TDOR" => Key::OriginalDate,
        "TORY" | "XDOR" => Key::OriginalYear,
        "TCMP" => Key::Compilation,
        "TSRC" => Key::Isrc,
        "TBPM" => Key::Bpm,
        _ => return None,
    })
}

/// A timestamp as `2016-12-09T10:11:12`, as far as it goes.
fn date_text(date: &Timestamp) -> String {
    use std::fmt::Write;
    let mut text = format!("{:04}", date.year);
    let parts = [
        ('-', date.month),
        ('-', date.day),
        ('T', date.hour),
        (':', date.hour.and(Some(date.minute.unwrap_or(0)))),
        (':', date.second),
    ];
    for (separator, part) in parts {
        let Some(part) = part else { break };
        // Writing to a String does not fail.
        let _ = write!(text, "{separator}{part:02}");
    }
    text
}
