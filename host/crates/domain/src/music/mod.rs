//! Music: credits, tracks, releases and artists as the store returns them. `facts` has the metadata of one file.

mod facts;

pub use facts::{ReleaseFacts, TrackFacts};

use crate::id::{MusicArtistId, MusicGenreId, MusicReleaseId, MusicTrackId};
use crate::named_enum::named_enum;
use crate::text::fold;
use crate::time::Timestamp;
use crate::user_data::UserData;

named_enum! {
    /// The contribution of a person or group to a track or release.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum CreditRole: i16 {
        /// Performs the track or release.
        Artist = 0 => "artist",
        /// Wrote the music.
        Composer = 1 => "composer",
        /// Conducted the orchestra.
        Conductor = 2 => "conductor",
        /// Wrote the lyrics.
        Lyricist = 3 => "lyricist",
        /// Made the remix.
        Remixer = 4 => "remixer",
        /// Plays on the recording.
        Performer = 5 => "performer",
        /// Produced the recording.
        Producer = 6 => "producer",
    }
}

impl CreditRole {
    /// The key of the field in which plugins return the people of this role.
    const fn key(self) -> &'static str {
        match self {
            Self::Artist => "music.artists",
            Self::Composer => "music.composers",
            Self::Conductor => "music.conductors",
            Self::Lyricist => "music.lyricists",
            Self::Remixer => "music.remixers",
            Self::Performer => "music.performers",
            Self::Producer => "music.producers",
        }
    }
}

/// The credit of a person or group by name, as one file has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Credit {
    /// Their contribution.
    pub role: CreditRole,
    /// As written in the file.
    pub name: String,
    /// Sort key of the name.
    pub sort_name: String,
    /// MusicBrainz artist id.
    pub mb_artist_id: Option<String>,
}

impl Credit {
    /// Identifies the artist across files: the folded name. Not the MusicBrainz id, so that files with and without
    /// ids share one artist.
    pub fn artist_key(&self) -> String {
        fold(&self.name)
    }
}

/// Loudness correction from the file's tags.
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

/// A credited artist of a track or release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditedArtist {
    /// Id.
    pub id: MusicArtistId,
    /// Name.
    pub name: String,
    /// Their contribution.
    pub role: CreditRole,
}

/// A track as the store returns it.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Id.
    pub id: MusicTrackId,
    /// Title.
    pub title: String,
    /// Sort key.
    pub sort_title: String,
    /// Starts at 1.
    pub track_number: Option<i32>,
    /// Starts at 1.
    pub disc_number: Option<i32>,
    /// Milliseconds.
    pub duration_ms: Option<i64>,
    /// Bits per second.
    pub bitrate: Option<i32>,
    /// Hz.
    pub sample_rate: Option<i32>,
    /// Bits per sample.
    pub bit_depth: Option<i32>,
    /// Number of channels.
    pub channels: Option<i32>,
    /// Name of the codec such as `mp3`.
    pub codec: Option<String>,
    /// Bytes of the file.
    pub size: i64,
    /// Credits by role, in the order of the file.
    pub artists: Vec<CreditedArtist>,
    /// Id and title of the release.
    pub release: Option<(MusicReleaseId, String)>,
    /// In the order of the file.
    pub genres: Vec<String>,
    /// Year of the release.
    pub year: Option<i32>,
    /// ISRC of the recording.
    pub isrc: Option<String>,
    /// MusicBrainz recording id.
    pub mb_recording_id: Option<String>,
    /// From the file's tags.
    pub replay_gain: ReplayGain,
    /// Whether the file has embedded artwork.
    pub has_picture: bool,
    /// When it was first indexed.
    pub created_at: Timestamp,
    /// The last scan did not find the file.
    pub missing: bool,
    /// Of the requesting user; filled in by the service.
    pub user_data: UserData,
}

/// A release as the store returns it.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// Id.
    pub id: MusicReleaseId,
    /// Title.
    pub title: String,
    /// Sort key.
    pub sort_title: String,
    /// In lower case, such as `album`.
    pub release_type: Option<String>,
    /// Year of this release.
    pub year: Option<i32>,
    /// Year of the first release.
    pub original_year: Option<i32>,
    /// In the order of the file.
    pub artists: Vec<CreditedArtist>,
    /// Genres of its tracks.
    pub genres: Vec<String>,
    /// Highest disc number, at least 1.
    pub disc_count: i64,
    /// Indexed tracks.
    pub track_count: i64,
    /// Sum over all tracks, in milliseconds.
    pub duration_ms: i64,
    /// A track with embedded artwork that represents the release.
    pub artwork_track: Option<MusicTrackId>,
    /// MusicBrainz release id.
    pub mb_release_id: Option<String>,
    /// MusicBrainz release group id.
    pub mb_release_group_id: Option<String>,
}

/// An artist as the store returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artist {
    /// Id.
    pub id: MusicArtistId,
    /// Name.
    pub name: String,
    /// Sort key.
    pub sort_name: String,
    /// Releases with a credit for the artist.
    pub release_count: i64,
    /// Tracks with a credit for the artist.
    pub track_count: i64,
    /// The first of their releases, by title, with artwork.
    pub artwork_release: Option<MusicReleaseId>,
    /// MusicBrainz artist id.
    pub mb_artist_id: Option<String>,
}

/// A genre as the store returns it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Genre {
    /// Id.
    pub id: MusicGenreId,
    /// In the spelling of the first indexed file.
    pub name: String,
    /// Tracks of the genre.
    pub track_count: i64,
}
