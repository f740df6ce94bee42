//! Common names for the values of all tag formats.

/// The meaning of a value. Track and disc numbers may include their totals (`3/12`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Title,
    TitleSort,
    /// As credited, possibly several in one text.
    Artist,
    /// One value for each artist.
    Artists,
    ArtistSort,
    Album,
    AlbumSort,
    AlbumArtist,
    AlbumArtists,
    AlbumArtistSort,
    Composer,
    Conductor,
    Lyricist,
    Remixer,
    Performer,
    Producer,
    TrackNumber,
    TrackTotal,
    DiscNumber,
    DiscTotal,
    Genre,
    Date,
    Year,
    ReleaseDate,
    OriginalDate,
    OriginalYear,
    Compilation,
    ReleaseType,
    Isrc,
    RecordingId,
    TrackId,
    ReleaseId,
    ReleaseGroupId,
    ArtistId,
    AlbumArtistId,
    TrackGain,
    TrackPeak,
    AlbumGain,
    AlbumPeak,
    /// Gain of the Opus header comments, Q7.8 relative to -23 LUFS.
    R128TrackGain,
    R128AlbumGain,
    Bpm,
    Comment,
}

/// The values of one tag, in its order.
#[derive(Debug, Default)]
pub struct Tags {
    entries: Vec<(Key, String)>,
    /// Whether the format has no separator for several values, so that programs write `a / b`.
    pub joins_with_slash: bool,
}

impl Tags {
    pub fn add(&mut self, key: Key, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.entries.push((key, text));
        }
    }

    /// Adds a value by its free name, if that is known.
    pub fn add_named(&mut self, name: &str, text: &str) {
        if let Some(key) = key_of_name(name) {
            self.add(key, text);
        }
    }

    /// All values of a key, in order.
    pub fn all(&self, key: Key) -> impl Iterator<Item = &str> {
        self.entries
            .iter()
            .filter(move |(other, _)| *other == key)
            .map(|(_, text)| text.as_str())
    }

    /// The first value of a key that is not blank.
    pub fn first(&self, key: Key) -> Option<&str> {
        self.all(key).find(|text| {
            !text
                .trim_matches(|c: char| c.is_whitespace() || c == '\0')
                .is_empty()
        })
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Longer free names are unknown.
const MAX_NAME: usize = 40;

/// The key of a free name: Vorbis comments, APE items, `TXXX` descriptions, MP4 free-form atoms. Case, spaces and
/// punctuation are ignored because they differ between formats (`MusicBrainz Album Id`, `MUSICBRAINZ_ALBUMID`).
pub fn key_of_name(name: &str) -> Option<Key> {
    let mut buffer = [0_u8; MAX_NAME];
    let mut length = 0;
    for byte in name
        .bytes()
        .filter(|byte| !matches!(byte, b' ' | b'_' | b'-' | b'/' | b':'))
    {
        *buffer.get_mut(length)? = byte.to_ascii_uppercase();
        length += 1;
    }
    Some(match buffer.get(..length)? {
        b"TITLE" => Key::Title,
        b"TITLESORT" | b"TITLESORTORDER" => Key::TitleSort,
        b"ARTIST" => Key::Artist,
        b"ARTISTS" => Key::Artists,
        b"ARTISTSORT" | b"ARTISTSORTORDER" => Key::ArtistSort,
        b"ALBUM" => Key::Album,
        b"ALBUMSORT" | b"ALBUMSORTORDER" => Key::AlbumSort,
        b"ALBUMARTIST" => Key::AlbumArtist,
        b"ALBUMARTISTS" => Key::AlbumArtists,
        b"ALBUMARTISTSORT" | b"ALBUMARTISTSORTORDER" => Key::AlbumArtistSort,
        b"COMPOSER" => Key::Composer,
        b"CONDUCTOR" => Key::Conductor,
        b"LYRICIST" | b"WRITER" => Key::Lyricist,
        b"REMIXER" | b"MIXARTIST" | b"MODIFIEDBY" => Key::Remixer,
        b"PERFORMER" => Key::Performer,
        b"PRODUCER" => Key::Producer,
        b"TRACK" | b"TRACKNUMBER" | b"TRACKNUM" => Key::TrackNumber,
        b"TRACKTOTAL" | b"TOTALTRACKS" | b"TRACKC" => Key::TrackTotal,
        b"DISC" | b"DISK" | b"DISCNUMBER" | b"PARTOFSET" => Key::DiscNumber,
        b"DISCTOTAL" | b"TOTALDISCS" | b"DISCC" => Key::DiscTotal,
        b"GENRE" => Key::Genre,
        b"DATE" => Key::Date,
        b"YEAR" => Key::Year,
        b"RELEASEDATE" => Key::ReleaseDate,
        b"ORIGINALDATE" | b"ORIGINALRELEASEDATE" => Key::OriginalDate,
        b"ORIGINALYEAR" | b"ORIGINALRELEASEYEAR" | b"ORIGYEAR" => Key::OriginalYear,
        b"COMPILATION" | b"ITUNESCOMPILATION" | b"ISCOMPILATION" => Key::Compilation,
        b"RELEASETYPE" | b"MUSICBRAINZALBUMTYPE" => Key::ReleaseType,
        b"ISRC" => Key::Isrc,
        b"MUSICBRAINZTRACKID" | b"MUSICBRAINZRECORDINGID" => Key::RecordingId,
        b"MUSICBRAINZRELEASETRACKID" => Key::TrackId,
        b"MUSICBRAINZALBUMID" => Key::ReleaseId,
        b"MUSICBRAINZRELEASEGROUPID" => Key::ReleaseGroupId,
        b"MUSICBRAINZARTISTID" => Key::ArtistId,
        b"MUSICBRAINZALBUMARTISTID" => Key::AlbumArtistId,
        b"REPLAYGAINTRACKGAIN" => Key::TrackGain,
        b"REPLAYGAINTRACKPEAK" => Key::TrackPeak,
        b"REPLAYGAINALBUMGAIN" => Key::AlbumGain,
        b"REPLAYGAINALBUMPEAK" => Key::AlbumPeak,
        b"R128TRACKGAIN" => Key::R128TrackGain,
        b"R128ALBUMGAIN" => Key::R128AlbumGain,
        b"BPM" | b"TEMPO" | b"BEATSPERMINUTE" => Key::Bpm,
        b"COMMENT" | b"DESCRIPTION" | b"COMMENTS" => Key::Comment,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Key, Tags, key_of_name};

    #[test]
    fn key_of_name_in_every_dialect_is_the_same() {
        for name in [
            "MusicBrainz Album Id",
            "MUSICBRAINZ_ALBUMID",
            "musicbrainz/album id",
        ] {
            assert_eq!(key_of_name(name), Some(Key::ReleaseId), "{name}");
        }
        assert_eq!(key_of_name("album artist"), Some(Key::AlbumArtist));
        assert_eq!(key_of_name(&"A".repeat(1000)), None);
        assert_eq!(key_of_name(""), None);
    }

    #[test]
    fn first_passes_over_blank_texts() {
        let mut tags = Tags::default();
        for text in ["", " \0", "x"] {
            tags.add(Key::Title, text);
        }
        assert_eq!(tags.first(Key::Title), Some("x"));
    }
}
