//! ID3v1: the last 128 bytes.

use lofty::id3::v1::{GENRES, Id3v1Tag};

use crate::tags::{Key, Tags};

/// The statements of an ID3v1 tag.
pub fn read(tag: &Id3v1Tag) -> Tags {
    let mut tags = Tags::default();
    let texts = [
        (Key::Title, &tag.title),
        (Key::Artist, &tag.artist),
        (Key::Album, &tag.album),
        (Key::Comment, &tag.comment),
    ];
    for (key, text) in texts {
        tags.add(key, text.as_deref().unwrap_or_default());
    }
    if let Some(year) = tag.year {
        tags.add(Key::Date, format!("{year:04}"));
    }
    if let Some(number) = tag.track_number {
        tags.add(Key::TrackNumber, number.to_string());
    }
    if let Some(genre) = tag.genre.and_then(|number| GENRES.get(usize::from(number))) {
        tags.add(Key::Genre, *genre);
    }
    tags
}
