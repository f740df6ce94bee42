//! Releases.

use crate::domain::id::{MusicArtistId, MusicReleaseId};
use crate::domain::library::MediaScope;
use crate::domain::list::{Listing, Order, Page};
use crate::domain::music::Release;
use crate::domain::text::fold;
use crate::domain::time::Timestamp;
use crate::store::Store;
use crate::store::args::{Arg, args};
use crate::store::error::Result;
use crate::store::select::{Conditions, direction, joined};
use crate::store::visibility::Visible;

/// Which releases.
#[derive(Debug, Clone, Default)]
pub struct ReleaseFilter {
    /// Credited to this artist.
    pub artist: Option<MusicArtistId>,
    /// With a track of this genre, case and diacritics aside.
    pub genre: Option<String>,
    /// Of this year or later.
    pub year_from: Option<i32>,
    /// Of this year or earlier.
    pub year_to: Option<i32>,
    /// First indexed at this moment or later.
    pub added_since: Option<Timestamp>,
}

/// What a list of releases is ordered by. Releases without a year are the first in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseOrder {
    /// Sort title.
    Title,
    /// First indexed.
    CreatedAt,
    /// Year of this release.
    Year,
}

impl ReleaseOrder {
    fn sql(self, order: Order) -> &'static str {
        match self {
            Self::Title => direction(
                order,
                "r.sort_title ASC, r.release_id ASC",
                "r.sort_title DESC, r.release_id DESC",
            ),
            Self::CreatedAt => direction(order, "r.release_id ASC", "r.release_id DESC"),
            Self::Year => direction(
                order,
                "r.year ASC NULLS FIRST, r.release_id ASC",
                "r.year DESC NULLS LAST, r.release_id DESC",
            ),
        }
    }
}

const PAGE: &str = "SELECT r.release_id AS id FROM music_releases r";
const ROWS: &str = "SELECT r.release_id, r.title, r.sort_title, r.release_type, r.year, r.original_year, \
    r.disc_count, r.track_count, r.duration_ms, r.artwork_track_id, r.mb_release_id, r.mb_release_group_id";
const JOINS: &str = "JOIN music_releases r ON r.release_id = page.id";
const ARTISTS: &str = "SELECT l.release_id AS item_id, l.artist_id, l.role, a.name FROM release_artists l \
    JOIN music_artists a ON a.artist_id = l.artist_id WHERE l.release_id";
const BY_POSITION: &str = "ORDER BY l.release_id, l.position";
const GENRES: &str = "SELECT t.release_id, g.name FROM music_tracks t \
    JOIN track_genres l ON l.track_id = t.track_id JOIN music_genres g ON g.genre_id = l.genre_id \
    WHERE t.release_id";
const BY_GENRE: &str = " GROUP BY t.release_id, g.key, g.name ORDER BY t.release_id, g.key";

// As `scan_writer/settle.rs` stores them for all tracks.
const COUNTS: &str = "SELECT t.release_id, count(*), CAST(coalesce(sum(t.duration_ms), 0) AS BIGINT), \
    CAST(coalesce(max(t.disc_number), 1) AS BIGINT) FROM music_tracks t WHERE t.release_id";
const PICTURES: &str =
    "SELECT t.release_id, t.track_id FROM music_tracks t WHERE t.picture_index IS NOT NULL AND t.release_id";
const BY_PLACE: &str =
    "ORDER BY t.release_id, t.disc_number ASC NULLS FIRST, t.track_number ASC NULLS FIRST, t.track_id";

#[derive(sqlx::FromRow)]
struct ReleaseRow {
    release_id: i64,
    title: String,
    sort_title: String,
    release_type: Option<String>,
    year: Option<i32>,
    original_year: Option<i32>,
    disc_count: i64,
    track_count: i64,
    duration_ms: i64,
    artwork_track_id: Option<i64>,
    mb_release_id: Option<String>,
    mb_release_group_id: Option<String>,
}

impl From<ReleaseRow> for Release {
    fn from(row: ReleaseRow) -> Self {
        Self {
            id: row.release_id.into(),
            title: row.title,
            sort_title: row.sort_title,
            release_type: row.release_type,
            year: row.year,
            original_year: row.original_year,
            artists: Vec::new(),
            genres: Vec::new(),
            disc_count: row.disc_count,
            track_count: row.track_count,
            duration_ms: row.duration_ms,
            artwork_track: row.artwork_track_id.map(Into::into),
            mb_release_id: row.mb_release_id,
            mb_release_group_id: row.mb_release_group_id,
        }
    }
}

fn conditions<'a>(scope: &MediaScope, filter: &'a ReleaseFilter) -> Conditions<'a> {
    let mut releases = Conditions::of_media(Visible::Releases, "r.release_id", scope);
    releases.push(
        "r.release_id IN (SELECT release_id FROM release_artists WHERE artist_id = ",
        filter.artist.map(MusicArtistId::get),
        ")",
    );
    releases.push_within(
        "r.release_id IN (SELECT t.release_id FROM music_tracks t JOIN track_genres l ON l.track_id = t.track_id \
         JOIN music_genres g ON g.genre_id = l.genre_id WHERE g.key = ",
        filter.genre.as_deref().map(fold),
        (Visible::Tracks, "t.track_id"),
        scope,
    );
    releases.push("r.year >= ", filter.year_from, "");
    releases.push("r.year <= ", filter.year_to, "");
    let first = filter
        .added_since
        .map(|moment| MusicReleaseId::first_at(moment).get());
    releases.push("r.release_id >= ", first, "");
    releases
}

impl Store {
    /// Releases.
    pub async fn list_releases(
        &self,
        scope: &MediaScope,
        filter: &ReleaseFilter,
        by: ReleaseOrder,
        order: Order,
        page: Page,
    ) -> Result<Listing<Release>> {
        let releases = conditions(scope, filter);
        let (sql, values) = releases.count("music_releases r");
        let total = self.pools().count(sql, values).await?;
        let (sql, values) = releases.page(PAGE, by.sql(order), page);
        Ok(Listing {
            items: self.releases(scope, &sql, by.sql(order), &values).await?,
            total,
        })
    }

    /// The releases credited to an artist.
    pub async fn artist_releases(
        &self,
        scope: &MediaScope,
        artist: MusicArtistId,
        by: ReleaseOrder,
        order: Order,
        page: Page,
    ) -> Result<Listing<Release>> {
        let filter = ReleaseFilter {
            artist: Some(artist),
            ..ReleaseFilter::default()
        };
        self.list_releases(scope, &filter, by, order, page).await
    }

    /// A release.
    pub async fn release(&self, scope: &MediaScope, id: MusicReleaseId) -> Result<Option<Release>> {
        let seen = Visible::Releases.and("r.release_id", scope);
        let page = format!("{PAGE} WHERE r.release_id = $1{seen}");
        Ok(self
            .releases(scope, &page, "r.release_id ASC", &args![id.get()])
            .await?
            .pop())
    }

    async fn releases(
        &self,
        scope: &MediaScope,
        page: &str,
        order: &'static str,
        values: &[Arg<'_>],
    ) -> Result<Vec<Release>> {
        let rows: Vec<ReleaseRow> = self
            .pools()
            .fetch_all(joined(page, ROWS, JOINS, order), values)
            .await?;
        let mut releases: Vec<Release> = rows.into_iter().map(Release::from).collect();
        let ids: Vec<i64> = releases.iter().map(|release| release.id.get()).collect();
        let mut artists = super::credits(self.pools(), ARTISTS, BY_POSITION, &ids).await?;
        let by_genre = Visible::Tracks.and("t.track_id", scope) + BY_GENRE;
        let mut genres = super::genres(self.pools(), GENRES, &by_genre, &ids).await?;
        for release in &mut releases {
            release.artists = artists.remove(&release.id.get()).unwrap_or_default();
            release.genres = genres.remove(&release.id.get()).unwrap_or_default();
        }
        if *scope != MediaScope::All {
            self.count_visible_tracks(scope, &ids, &mut releases).await?;
        }
        Ok(releases)
    }

    /// Replaces what is stored of all tracks by what the tracks that are seen make.
    async fn count_visible_tracks(
        &self,
        scope: &MediaScope,
        ids: &[i64],
        releases: &mut [Release],
    ) -> Result<()> {
        let seen = Visible::Tracks.and("t.track_id", scope);
        let counts: Vec<(i64, i64, i64, i64)> = self
            .visible_rows(COUNTS, ids, &format!("{seen} GROUP BY t.release_id"))
            .await?;
        let pictures: Vec<(i64, i64)> = self
            .visible_rows(PICTURES, ids, &format!("{seen} {BY_PLACE}"))
            .await?;
        for release in releases {
            let id = release.id.get();
            let count = counts.iter().find(|(release, ..)| *release == id);
            let (_, tracks, duration, discs) = count.copied().unwrap_or_default();
            release.track_count = tracks;
            release.duration_ms = duration;
            release.disc_count = discs;
            let picture = pictures.iter().find(|(release, _)| *release == id);
            release.artwork_track = picture.map(|(_, track)| (*track).into());
        }
        Ok(())
    }
}

/// The statement that reads a page, for each order.
#[cfg(test)]
pub(in crate::store) fn order_cases() -> Vec<(String, Vec<Arg<'static>>)> {
    let orders = [ReleaseOrder::Title, ReleaseOrder::CreatedAt, ReleaseOrder::Year];
    let both = |by: ReleaseOrder| [by.sql(Order::Ascending), by.sql(Order::Descending)];
    let page = |order| Conditions::default().page(PAGE, order, Page::default());
    orders.into_iter().flat_map(both).map(page).collect()
}
