//! Releases: lists with filters and orders, single releases, counts and artwork as the caller may see them.

use crate::music::MusicRepository;
use crate::query::access_filter::AccessFilter;
use crate::query::item_filter::{Filtered, ItemFilter};
use crate::query::media_list::{MediaFilter, MediaOrder};
use crate::query::pages::{MediaRows, Sort, in_order};
#[cfg(test)]
use crate::query::pages::{OrderCase, order_cases_of};
use crate::query::where_clause::WhereClause;
use crate::search::Hits;
use svc_database::Result;
use svc_domain::change::ItemType;
use svc_domain::id::{MusicArtistId, MusicReleaseId};
use svc_domain::library::MediaScope;
use svc_domain::list::{ListRequest, Listing};
use svc_domain::music::Release;
use svc_domain::text::fold;

/// Filter of releases.
#[derive(Debug, Clone, Default)]
pub struct ReleaseFilter {
    /// Credited to this artist.
    pub artist: Option<MusicArtistId>,
    /// With a track of this genre, ignoring case and diacritics.
    pub genre: Option<String>,
    /// Of this year or later.
    pub year_from: Option<i32>,
    /// Of this year or earlier.
    pub year_to: Option<i32>,
    /// Filters that all lists of items share.
    pub items: ItemFilter,
}

/// Order of a list of releases. Releases without a year come last in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseOrder {
    /// Sort title.
    Title,
    /// Time at which the item was first indexed.
    CreatedAt,
    /// Year of this release.
    Year,
}

impl MediaOrder for ReleaseOrder {
    fn sort(self) -> Sort {
        match self {
            Self::Title => Sort::text("title", "r.sort_title"),
            Self::CreatedAt => Sort::key("createdAt"),
            Self::Year => Sort::number("year", "r.year").nullable(),
        }
    }
}

const RELEASES: MediaRows = MediaRows {
    from: "music_releases r",
    key: "r.release_id",
};
const FILTERED: Filtered = Filtered {
    item: ItemType::MusicRelease,
    access: AccessFilter::Releases,
    key: RELEASES.key,
    first_at: |moment| MusicReleaseId::first_at(moment).get(),
};
const BY_ID: &str = "SELECT r.release_id, r.title, r.sort_title, r.release_type, r.year, r.original_year, \
    r.disc_count, r.track_count, r.duration_ms, r.artwork_track_id, r.mb_release_id, r.mb_release_group_id \
    FROM music_releases r WHERE r.release_id";
const ARTISTS: &str = "SELECT l.release_id AS item_id, l.artist_id, l.role, a.name FROM release_artists l \
    JOIN music_artists a ON a.artist_id = l.artist_id WHERE l.release_id";
const BY_POSITION: &str = "ORDER BY l.release_id, l.position";
const GENRES: &str = "SELECT t.release_id, g.name FROM music_tracks t \
    JOIN track_genres l ON l.track_id = t.track_id JOIN music_genres g ON g.genre_id = l.genre_id \
    WHERE t.release_id";
const BY_GENRE: &str = " GROUP BY t.release_id, g.key, g.name ORDER BY t.release_id, g.key";

// The same aggregates as `scan_writer/aggregates.rs` stores for all tracks.
const COUNTS: &str = "SELECT t.release_id, count(*), CAST(coalesce(sum(t.duration_ms), 0) AS BIGINT), \
    CAST(coalesce(max(t.disc_number), 1) AS BIGINT) FROM music_tracks t WHERE t.release_id";
const PICTURES: &str =
    "SELECT t.release_id, t.track_id FROM music_tracks t WHERE t.picture_index IS NOT NULL AND t.release_id";
const BY_PLACE: &str =
    "ORDER BY t.release_id, t.disc_number ASC NULLS LAST, t.track_number ASC NULLS LAST, t.track_id";

#[derive(sqlx::FromRow, serde::Deserialize)]
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

impl MediaFilter for ReleaseFilter {
    type Order = ReleaseOrder;

    const ROWS: MediaRows = RELEASES;

    fn item_filter(&self) -> &ItemFilter {
        &self.items
    }

    fn where_clause(&self, scope: &MediaScope) -> WhereClause<'_> {
        let mut releases = WhereClause::of_media(AccessFilter::Releases, "r.release_id", scope);
        releases.push(
            "r.release_id IN (SELECT release_id FROM release_artists WHERE artist_id = ",
            self.artist.map(MusicArtistId::get),
            ")",
        );
        releases.push_accessible_subquery(
            "r.release_id IN (SELECT t.release_id FROM music_tracks t JOIN track_genres l ON l.track_id = t.track_id \
             JOIN music_genres g ON g.genre_id = l.genre_id WHERE g.key = ",
            self.genre.as_deref().map(fold),
            (AccessFilter::Tracks, "t.track_id"),
            scope,
        );
        releases.push("r.year >= ", self.year_from, "");
        releases.push("r.year <= ", self.year_to, "");
        self.items.restrict_to(&mut releases, FILTERED, scope);
        releases
    }
}

impl MusicRepository {
    /// Releases in the scope.
    pub async fn list_releases(
        &self,
        scope: &MediaScope,
        filter: &ReleaseFilter,
        request: &ListRequest<ReleaseOrder>,
    ) -> Result<Listing<Release>> {
        let (scope, page) = self.db.page_of_media(scope, filter, request).await?;
        let releases = self.releases_by_id(&scope, &page.items).await?;
        Ok(page.with_items(releases))
    }

    /// A release in the scope.
    pub async fn release(&self, scope: &MediaScope, id: MusicReleaseId) -> Result<Option<Release>> {
        let access_condition = AccessFilter::Releases.and("r.release_id", scope);
        Ok(self.releases(scope, &[id.get()], &access_condition).await?.pop())
    }

    /// These releases, in this order, without an access check.
    pub(crate) async fn releases_by_id(&self, scope: &MediaScope, ids: &[i64]) -> Result<Vec<Release>> {
        let releases = self.releases(scope, ids, "").await?;
        Ok(in_order(ids, releases, |release| release.id.get()))
    }

    async fn releases(
        &self,
        scope: &MediaScope,
        ids: &[i64],
        access_condition: &str,
    ) -> Result<Vec<Release>> {
        let by_genre = AccessFilter::Tracks.and("t.track_id", scope) + BY_GENRE;
        let queries = [
            (BY_ID, access_condition),
            (ARTISTS, BY_POSITION),
            (GENRES, by_genre.as_str()),
        ];
        let (rows, artists, genres) = self.db.rows_of_three_listed(queries, ids).await?;
        let mut releases: Vec<Release> = rows.into_iter().map(|row: ReleaseRow| row.into()).collect();
        let (mut artists, mut genres) = (super::credits(artists)?, super::genres(genres));
        for release in &mut releases {
            release.artists = artists.remove(&release.id.get()).unwrap_or_default();
            release.genres = genres.remove(&release.id.get()).unwrap_or_default();
        }
        if *scope != MediaScope::All {
            self.count_accessible_tracks(scope, ids, &mut releases).await?;
        }
        Ok(releases)
    }

    /// Replaces stored aggregates by those of the accessible tracks.
    async fn count_accessible_tracks(
        &self,
        scope: &MediaScope,
        ids: &[i64],
        releases: &mut [Release],
    ) -> Result<()> {
        let access_condition = AccessFilter::Tracks.and("t.track_id", scope);
        let counts: Vec<(i64, i64, i64, i64)> = self
            .db
            .rows_of_listed(COUNTS, ids, &format!("{access_condition} GROUP BY t.release_id"))
            .await?;
        let pictures: Vec<(i64, i64)> = self
            .db
            .rows_of_listed(PICTURES, ids, &format!("{access_condition} {BY_PLACE}"))
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

    /// The releases of search hits.
    pub async fn releases_of_hits(&self, scope: &MediaScope, hits: Hits) -> Result<Listing<Release>> {
        let releases = self.releases_by_id(scope, &hits.items).await?;
        Ok(hits.with_items(releases))
    }
}

/// The statements that read a page, one per order.
#[cfg(test)]
pub(crate) fn order_cases() -> Vec<OrderCase> {
    let orders = [ReleaseOrder::Title, ReleaseOrder::CreatedAt, ReleaseOrder::Year];
    orders
        .into_iter()
        .flat_map(|by| order_cases_of(RELEASES, by.sort()))
        .collect()
}
