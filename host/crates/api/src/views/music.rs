//! Artists, releases, tracks and genres.

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::seconds;
use svc_domain::id::{MusicArtistId, MusicGenreId, MusicReleaseId, MusicTrackId};
use svc_domain::music::{Artist, CreditedArtist, Genre, Release, ReplayGain, Track};
use svc_domain::time::Timestamp;

/// An artist credit of a track or release.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "MusicCredit"))]
#[serde(rename_all = "camelCase")]
pub struct CreditView {
    #[salvo(schema(value_type = String))]
    music_artist_id: MusicArtistId,
    name: String,
    /// Role of the artist, such as `artist` or `composer`.
    role: &'static str,
    /// Position among the credits, from 0.
    order: usize,
}

fn credits(artists: Vec<CreditedArtist>) -> Vec<CreditView> {
    let view = |(order, artist): (usize, CreditedArtist)| CreditView {
        music_artist_id: artist.id,
        name: artist.name,
        role: artist.role.as_str(),
        order,
    };
    artists.into_iter().enumerate().map(view).collect()
}

/// The release of a track.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "MusicTrackRelease"))]
#[serde(rename_all = "camelCase")]
pub struct TrackReleaseView {
    #[salvo(schema(value_type = String))]
    music_release_id: MusicReleaseId,
    title: String,
}

/// ReplayGain values of a track's file.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ReplayGain"))]
#[serde(rename_all = "camelCase")]
pub struct ReplayGainView {
    /// Gain in dB.
    #[serde(skip_serializing_if = "Option::is_none")]
    track_gain: Option<f64>,
    /// Peak amplitude; 1.0 is full scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    track_peak: Option<f64>,
    /// Gain in dB.
    #[serde(skip_serializing_if = "Option::is_none")]
    album_gain: Option<f64>,
    /// Peak amplitude; 1.0 is full scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    album_peak: Option<f64>,
}

fn replay_gain(gain: ReplayGain) -> Option<ReplayGainView> {
    let ReplayGain {
        track_gain,
        track_peak,
        album_gain,
        album_peak,
    } = gain;
    (gain != ReplayGain::default()).then_some(ReplayGainView {
        track_gain,
        track_peak,
        album_gain,
        album_peak,
    })
}

/// A track.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "MusicTrack"))]
#[serde(rename_all = "camelCase")]
pub struct TrackView {
    #[salvo(schema(value_type = String))]
    music_track_id: MusicTrackId,
    title: String,
    sort_title: String,
    track_number: Option<i32>,
    disc_number: Option<i32>,
    /// Duration in seconds.
    duration: Option<f64>,
    /// Bits per second.
    bitrate: Option<i32>,
    /// Hertz.
    sample_rate: Option<i32>,
    bit_depth: Option<i32>,
    channels: Option<i32>,
    codec: Option<String>,
    /// Size of the file in bytes.
    size: i64,
    artists: Vec<CreditView>,
    release: Option<TrackReleaseView>,
    genres: Vec<String>,
    year: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    isrc: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mb_recording_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay_gain: Option<ReplayGainView>,
    /// URL path of the embedded picture; absent if the file has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    artwork: Option<String>,
    /// Number of times that the caller played it.
    play_count: i64,
    /// Rating by the caller, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<f64>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    /// The file was missing in the last run of the indexer.
    missing: bool,
}

impl From<Track> for TrackView {
    fn from(track: Track) -> Self {
        Self {
            artwork: track
                .has_picture
                .then(|| format!("/api/v1/music/tracks/{}/artwork", track.id)),
            music_track_id: track.id,
            title: track.title,
            sort_title: track.sort_title,
            track_number: track.track_number,
            disc_number: track.disc_number,
            duration: track.duration_ms.map(seconds),
            bitrate: track.bitrate,
            sample_rate: track.sample_rate,
            bit_depth: track.bit_depth,
            channels: track.channels,
            codec: track.codec,
            size: track.size,
            artists: credits(track.artists),
            release: track.release.map(|(music_release_id, title)| TrackReleaseView {
                music_release_id,
                title,
            }),
            genres: track.genres,
            year: track.year,
            isrc: track.isrc,
            mb_recording_id: track.mb_recording_id,
            replay_gain: replay_gain(track.replay_gain),
            play_count: track.user_data.playback.play_count,
            rating: track.user_data.rating,
            created_at: track.created_at,
            missing: track.missing,
        }
    }
}

fn release_artwork(release: MusicReleaseId) -> String {
    format!("/api/v1/music/releases/{release}/artwork")
}

/// A release.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "MusicRelease"))]
#[serde(rename_all = "camelCase")]
pub struct ReleaseView {
    #[salvo(schema(value_type = String))]
    music_release_id: MusicReleaseId,
    title: String,
    sort_title: String,
    release_type: Option<String>,
    year: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original_year: Option<i32>,
    artists: Vec<CreditView>,
    genres: Vec<String>,
    disc_count: i64,
    track_count: i64,
    /// Duration of all tracks in seconds.
    duration: f64,
    /// URL path of the artwork; absent if no track has a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    artwork: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mb_release_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mb_release_group_id: Option<String>,
}

impl From<Release> for ReleaseView {
    fn from(release: Release) -> Self {
        Self {
            artwork: release.artwork_track.map(|_| release_artwork(release.id)),
            music_release_id: release.id,
            title: release.title,
            sort_title: release.sort_title,
            release_type: release.release_type,
            year: release.year,
            original_year: release.original_year,
            artists: credits(release.artists),
            genres: release.genres,
            disc_count: release.disc_count,
            track_count: release.track_count,
            duration: seconds(release.duration_ms),
            mb_release_id: release.mb_release_id,
            mb_release_group_id: release.mb_release_group_id,
        }
    }
}

/// An artist.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "MusicArtist"))]
#[serde(rename_all = "camelCase")]
pub struct ArtistView {
    #[salvo(schema(value_type = String))]
    music_artist_id: MusicArtistId,
    name: String,
    sort_name: String,
    release_count: i64,
    track_count: i64,
    /// URL path of the artwork of the artist's first release with artwork, by title.
    #[serde(skip_serializing_if = "Option::is_none")]
    artwork: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mb_artist_id: Option<String>,
}

impl From<Artist> for ArtistView {
    fn from(artist: Artist) -> Self {
        Self {
            music_artist_id: artist.id,
            name: artist.name,
            sort_name: artist.sort_name,
            release_count: artist.release_count,
            track_count: artist.track_count,
            artwork: artist.artwork_release.map(release_artwork),
            mb_artist_id: artist.mb_artist_id,
        }
    }
}

/// A genre.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "MusicGenre"))]
#[serde(rename_all = "camelCase")]
pub struct GenreView {
    #[salvo(schema(value_type = String))]
    music_genre_id: MusicGenreId,
    name: String,
    track_count: i64,
}

impl From<Genre> for GenreView {
    fn from(genre: Genre) -> Self {
        Self {
            music_genre_id: genre.id,
            name: genre.name,
            track_count: genre.track_count,
        }
    }
}
