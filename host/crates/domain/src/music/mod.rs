//! Music: people and their roles, tracks, releases and artists as the store has them. `facts.rs` holds what one file
//! says.

mod facts;

pub use facts::{ReleaseFacts, TrackFacts};

use crate::id::{MusicArtistId, MusicGenreId, MusicReleaseId, MusicTrackId};
use crate::text::fold;
use crate::time::Timestamp;
use crate::user_data::UserData;

/// What a person did on a track or release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i16)]
pub enum CreditRole {
    /// Performs the track or release.
    Artist = 0,
    /// Wrote the music.
    Composer = 1,
    /// Led the orchestra.
    Conductor = 2,
    /// Wrote the words.
    Lyricist = 3,
    /// Made the remix.
    Remixer = 4,
    /// Plays on it.
    Performer = 5,
    /// Produced it.
    Producer = 6,
}

impl CreditRole {
    /// All roles, with the key under which plugins name their people.
    const KEYS: [(Self, &'static str); 7] = [
        (Self::Artist, "music.artists"),
        (Self::Composer, "music.composers"),
        (Self::Conductor, "music.conductors"),
        (Self::Lyricist, "music.lyricists"),
        (Self::Remixer, "music.remixers"),
        (Self::Performer, "music.performers"),
        (Self::Producer, "music.producers"),
    ];

    /// The name of the role in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Artist => "artist",
            Self::Composer => "composer",
            Self::Conductor => "conductor",
            Self::Lyricist => "lyricist",
            Self::Remixer => "remixer",
            Self::Performer => "performer",
            Self::Producer => "producer",
        }
    }

    /// The role with this number in the store.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::KEYS
            .iter()
            .map(|(role, _)| *role)
            .find(|role| *role as i16 == number)
    }
}

/// A person or group, by name, as one file names them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Credit {
    /// What they did.
    pub role: CreditRole,
    /// The name as written.
    pub name: String,
    /// How the name sorts.
    pub sort_name: String,
    /// MusicBrainz artist id.
    pub mb_artist_id: Option<String>,
}

impl Credit {
    /// What makes two credits the same artist: the folded name. Names decide rather than MusicBrainz ids, so that
    /// files with and without ids meet in one artist.
    pub fn artist_key(&self) -> String {
        fold(&self.name)
    }
}

/// Loudness correction that the file carries.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ReplayGain {
    /// dB.
    pub track_gain: Option<f64>,
    /// 1.0 is full scale.
    pub track_peak: Option<f64>,
    /// dB.
    pub album_gain: Option<f64>,
    /// 1.0 is full scale.
    pub album_peak: Option<f64>,
}

/// An artist of a track or release, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditedArtist {
    /// Identifier.
    pub id: MusicArtistId,
    /// Name.
    pub name: String,
    /// What they did.
    pub role: CreditRole,
}

/// A track as the store has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Identifier.
    pub id: MusicTrackId,
    /// Title.
    pub title: String,
    /// How it sorts.
    pub sort_title: String,
    /// 1 and up.
    pub track_number: Option<i32>,
    /// 1 and up.
    pub disc_number: Option<i32>,
    /// Milliseconds.
    pub duration_ms: Option<i64>,
    /// Bits a second.
    pub bitrate: Option<i32>,
    /// Hz.
    pub sample_rate: Option<i32>,
    /// Bits a sample.
    pub bit_depth: Option<i32>,
    /// Number of channels.
    pub channels: Option<i32>,
    /// Such as `mp3`.
    pub codec: Option<String>,
    /// Bytes of the file.
    pub size: i64,
    /// People, by role and in order.
    pub artists: Vec<CreditedArtist>,
    /// The release, if any.
    pub release: Option<(MusicReleaseId, String)>,
    /// Genres in order.
    pub genres: Vec<String>,
    /// Year of the release.
    pub year: Option<i32>,
    /// Recording code.
    pub isrc: Option<String>,
    /// MusicBrainz recording id.
    pub mb_recording_id: Option<String>,
    /// Loudness.
    pub replay_gain: ReplayGain,
    /// Whether the file holds a picture.
    pub has_picture: bool,
    /// When it was first indexed.
    pub created_at: Timestamp,
    /// The file was not there in the last run.
    pub missing: bool,
    /// What the user did with it who asks; the store does not know who does.
    pub user_data: UserData,
}

/// A release as the store has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// Identifier.
    pub id: MusicReleaseId,
    /// Title.
    pub title: String,
    /// How it sorts.
    pub sort_title: String,
    /// Such as `album`.
    pub release_type: Option<String>,
    /// Year.
    pub year: Option<i32>,
    /// Year of the first release.
    pub original_year: Option<i32>,
    /// Artists in order.
    pub artists: Vec<CreditedArtist>,
    /// Genres of its tracks.
    pub genres: Vec<String>,
    /// Highest disc number, at least 1.
    pub disc_count: i64,
    /// Tracks in the index.
    pub track_count: i64,
    /// Milliseconds, all tracks.
    pub duration_ms: i64,
    /// A track whose file holds the picture to show.
    pub artwork_track: Option<MusicTrackId>,
    /// MusicBrainz release id.
    pub mb_release_id: Option<String>,
    /// MusicBrainz release group id.
    pub mb_release_group_id: Option<String>,
}

/// An artist as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artist {
    /// Identifier.
    pub id: MusicArtistId,
    /// Name.
    pub name: String,
    /// How it sorts.
    pub sort_name: String,
    /// Releases credited to them.
    pub release_count: i64,
    /// Tracks credited to them.
    pub track_count: i64,
    /// The first of their releases, by title, that has a picture to show.
    pub artwork_release: Option<MusicReleaseId>,
    /// MusicBrainz artist id.
    pub mb_artist_id: Option<String>,
}

/// A genre as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Genre {
    /// Identifier.
    pub id: MusicGenreId,
    /// Name as first seen.
    pub name: String,
    /// Tracks of it.
    pub track_count: i64,
}
