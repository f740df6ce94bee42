//! Tracks: lists with filters and orders, single tracks, the tracks of a release.

use sqlx::AssertSqlSafe;

use crate::music::MusicRepository;
use crate::query::access_filter::AccessFilter;
use crate::query::item_filter::{Filtered, ItemFilter};
use crate::query::media_list::{MediaFilter, MediaOrder};
use crate::query::pages::{MediaRows, Sort, in_order};
#[cfg(test)]
use crate::query::pages::{OrderCase, order_cases_of};
use crate::query::where_clause::{WhereClause, direction};
use crate::search::Hits;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::change::ItemType;
use svc_domain::id::{MusicArtistId, MusicReleaseId, MusicTrackId};
use svc_domain::library::MediaScope;
use svc_domain::list::{ListRequest, Listing, OrderedPagination};
use svc_domain::music::{ReplayGain, Track};
use svc_domain::text::fold;
use svc_domain::user_data::UserData;

/// Filter of tracks.
#[derive(Debug, Clone, Default)]
pub struct TrackFilter {
    /// Credited to this artist in any role.
    pub artist: Option<MusicArtistId>,
    /// On this release.
    pub release: Option<MusicReleaseId>,
    /// Of this genre, ignoring case and diacritics.
    pub genre: Option<String>,
    /// Of this year or later.
    pub year_from: Option<i32>,
    /// Of this year or earlier.
    pub year_to: Option<i32>,
    /// Filters that all lists of items share.
    pub items: ItemFilter,
}

/// Order of a list of tracks. Tracks without the value come last in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackOrder {
    /// Sort title.
    Title,
    /// Time at which the item was first indexed.
    CreatedAt,
    /// Year of the release.
    Year,
    /// Duration.
    Duration,
}

impl MediaOrder for TrackOrder {
    fn sort(self) -> Sort {
        match self {
            Self::Title => Sort::text("title", "t.sort_title"),
            Self::CreatedAt => Sort::key("createdAt"),
            Self::Year => Sort::number("year", "t.year").nullable(),
            Self::Duration => Sort::number("duration", "t.duration_ms").nullable(),
        }
    }
}

const TRACKS: MediaRows = MediaRows {
    from: "music_tracks t",
    key: "t.track_id",
};
const FILTERED: Filtered = Filtered {
    item: ItemType::MusicTrack,
    access: AccessFilter::Tracks,
    key: TRACKS.key,
    first_at: |moment| MusicTrackId::first_at(moment).get(),
};
const BY_ID: &str = "SELECT t.track_id, t.release_id, r.title AS release_title, t.title, t.sort_title, \
    t.track_number, t.disc_number, t.duration_ms, t.bitrate, t.sample_rate, t.bit_depth, t.channels, t.codec, \
    t.year, t.isrc, t.mb_recording_id, t.track_gain, t.track_peak, t.album_gain, t.album_peak, \
    t.picture_index IS NOT NULL AS has_picture, f.size, f.status = 2 AS missing \
    FROM music_tracks t JOIN files f ON f.file_id = t.track_id \
    LEFT JOIN music_releases r ON r.release_id = t.release_id WHERE t.track_id";
const IN_RELEASE: &str =
    "ORDER BY t.disc_number ASC NULLS LAST, t.track_number ASC NULLS LAST, t.track_id ASC";
const FROM_LAST: &str =
    "ORDER BY t.disc_number DESC NULLS LAST, t.track_number DESC NULLS LAST, t.track_id DESC";
const ARTISTS: &str = "SELECT l.track_id AS item_id, l.artist_id, l.role, a.name FROM track_artists l \
    JOIN music_artists a ON a.artist_id = l.artist_id WHERE l.track_id";
const GENRES: &str = "SELECT l.track_id, g.name FROM track_genres l \
    JOIN music_genres g ON g.genre_id = l.genre_id WHERE l.track_id";
const BY_POSITION: &str = "ORDER BY l.track_id, l.position";

#[derive(sqlx::FromRow, serde::Deserialize)]
struct TrackRow {
    track_id: i64,
    release_id: Option<i64>,
    release_title: Option<String>,
    title: String,
    sort_title: String,
    track_number: Option<i32>,
    disc_number: Option<i32>,
    duration_ms: Option<i64>,
    bitrate: Option<i32>,
    sample_rate: Option<i32>,
    bit_depth: Option<i32>,
    channels: Option<i32>,
    codec: Option<String>,
    year: Option<i32>,
    isrc: Option<String>,
    mb_recording_id: Option<String>,
    track_gain: Option<i32>,
    track_peak: Option<i64>,
    album_gain: Option<i32>,
    album_peak: Option<i64>,
    has_picture: bool,
    size: i64,
    missing: bool,
}

/// Stored gains are thousandths of a dB.
const GAIN_UNIT: f64 = 1000.0;
/// Stored peaks are hundred-millionths of full scale.
const PEAK_UNIT: f64 = 100_000_000.0;

/// Converts a gain for storage; an integer takes about four bytes less than a float.
pub(crate) fn gain_to_stored(gain: f64) -> i32 {
    (gain * GAIN_UNIT).round() as i32
}

/// Converts a peak for storage.
pub(crate) fn peak_to_stored(peak: f64) -> i64 {
    (peak * PEAK_UNIT).round() as i64
}

impl From<TrackRow> for Track {
    fn from(row: TrackRow) -> Self {
        let id = MusicTrackId::from(row.track_id);
        Self {
            id,
            title: row.title,
            sort_title: row.sort_title,
            track_number: row.track_number,
            disc_number: row.disc_number,
            duration_ms: row.duration_ms,
            bitrate: row.bitrate,
            sample_rate: row.sample_rate,
            bit_depth: row.bit_depth,
            channels: row.channels,
            codec: row.codec,
            size: row.size,
            artists: Vec::new(),
            release: row.release_id.map(MusicReleaseId::from).zip(row.release_title),
            genres: Vec::new(),
            year: row.year,
            isrc: row.isrc,
            mb_recording_id: row.mb_recording_id,
            replay_gain: ReplayGain {
                track_gain: row.track_gain.map(|gain| f64::from(gain) / GAIN_UNIT),
                track_peak: row.track_peak.map(|peak| peak as f64 / PEAK_UNIT),
                album_gain: row.album_gain.map(|gain| f64::from(gain) / GAIN_UNIT),
                album_peak: row.album_peak.map(|peak| peak as f64 / PEAK_UNIT),
            },
            has_picture: row.has_picture,
            created_at: id.created_at(),
            missing: row.missing,
            user_data: UserData::default(),
        }
    }
}

impl MediaFilter for TrackFilter {
    type Order = TrackOrder;

    const ROWS: MediaRows = TRACKS;

    fn item_filter(&self) -> &ItemFilter {
        &self.items
    }

    fn where_clause(&self, scope: &MediaScope) -> WhereClause<'_> {
        let mut tracks = WhereClause::of_media(AccessFilter::Tracks, "t.track_id", scope);
        tracks.push("t.release_id = ", self.release.map(MusicReleaseId::get), "");
        tracks.push(
            "t.track_id IN (SELECT track_id FROM track_artists WHERE artist_id = ",
            self.artist.map(MusicArtistId::get),
            ")",
        );
        tracks.push(
            "t.track_id IN (SELECT l.track_id FROM track_genres l JOIN music_genres g ON g.genre_id = l.genre_id \
             WHERE g.key = ",
            self.genre.as_deref().map(fold),
            ")",
        );
        tracks.push("t.year >= ", self.year_from, "");
        tracks.push("t.year <= ", self.year_to, "");
        self.items.restrict_to(&mut tracks, FILTERED, scope);
        tracks
    }
}

impl MusicRepository {
    /// Tracks, missing ones included.
    pub async fn list_tracks(
        &self,
        scope: &MediaScope,
        filter: &TrackFilter,
        request: &ListRequest<TrackOrder>,
    ) -> Result<Listing<Track>> {
        let (_, page) = self.db.page_of_media(scope, filter, request).await?;
        let tracks = self.tracks_by_id(&page.items).await?;
        Ok(page.with_items(tracks))
    }

    /// A track in the scope.
    pub async fn track(&self, scope: &MediaScope, id: MusicTrackId) -> Result<Option<Track>> {
        let access_condition = AccessFilter::Tracks.and("t.track_id", scope);
        Ok(self.tracks(&[id.get()], &access_condition).await?.pop())
    }

    /// The tracks of a release by disc and number; tracks without come last in both directions.
    pub async fn release_tracks(
        &self,
        scope: &MediaScope,
        id: MusicReleaseId,
        part: OrderedPagination,
    ) -> Result<Listing<Track>> {
        let access_condition = AccessFilter::Tracks.and("t.track_id", scope);
        let order = direction(part.order, IN_RELEASE, FROM_LAST);
        let sql = format!(
            "SELECT t.track_id FROM music_tracks t WHERE t.release_id = $1{access_condition} {order}"
        );
        let ids: Vec<(i64,)> = self
            .db
            .pools()
            .fetch_page(AssertSqlSafe(sql), &args![id.get()])
            .await?;
        let listed = part.page.of(ids.into_iter().map(|(id,)| id).collect());
        let tracks = self.tracks_by_id(&listed.items).await?;
        Ok(listed.with_items(tracks))
    }

    /// These tracks, in this order, without an access check.
    pub(crate) async fn tracks_by_id(&self, ids: &[i64]) -> Result<Vec<Track>> {
        Ok(in_order(ids, self.tracks(ids, "").await?, |track| track.id.get()))
    }

    async fn tracks(&self, ids: &[i64], access_condition: &str) -> Result<Vec<Track>> {
        let queries = [
            (BY_ID, access_condition),
            (ARTISTS, BY_POSITION),
            (GENRES, BY_POSITION),
        ];
        let (rows, artists, genres) = self.db.rows_of_three_listed(queries, ids).await?;
        let mut tracks: Vec<Track> = rows.into_iter().map(|row: TrackRow| row.into()).collect();
        let (mut artists, mut genres) = (super::credits(artists)?, super::genres(genres));
        for track in &mut tracks {
            track.artists = artists.remove(&track.id.get()).unwrap_or_default();
            track.genres = genres.remove(&track.id.get()).unwrap_or_default();
        }
        Ok(tracks)
    }

    /// The tracks of search hits.
    pub async fn tracks_of_hits(&self, hits: Hits) -> Result<Listing<Track>> {
        let tracks = self.tracks_by_id(&hits.items).await?;
        Ok(hits.with_items(tracks))
    }
}

/// The statements that read a page, one per order.
#[cfg(test)]
pub(crate) fn order_cases() -> Vec<OrderCase> {
    let orders = [
        TrackOrder::Title,
        TrackOrder::CreatedAt,
        TrackOrder::Year,
        TrackOrder::Duration,
    ];
    orders
        .into_iter()
        .flat_map(|by| order_cases_of(TRACKS, by.sort()))
        .collect()
}
