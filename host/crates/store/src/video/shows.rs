//! Shows and seasons: lists of shows with filters and orders, single shows, the seasons of a show.

use sqlx::AssertSqlSafe;

use crate::query::access_filter::AccessFilter;
use crate::query::item_filter::{Filtered, ItemFilter};
use crate::query::media_list::{MediaFilter, MediaOrder};
use crate::query::pages::{MediaRows, Sort, in_order};
#[cfg(test)]
use crate::query::pages::{OrderCase, order_cases_of};
use crate::query::where_clause::{WhereClause, direction};
use crate::search::Hits;
use crate::video::TvRepository;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::change::ItemType;
use svc_domain::id::{TvSeasonId, TvShowId};
use svc_domain::library::MediaScope;
use svc_domain::list::{ListRequest, Listing, OrderedPagination};
use svc_domain::text::fold;
use svc_domain::video::{Season, Show, external_ids, texts};

/// Filter of shows.
#[derive(Debug, Clone, Default)]
pub struct ShowFilter {
    /// Of this genre, ignoring case and diacritics.
    pub genre: Option<String>,
    /// Of this year or later.
    pub year_from: Option<i32>,
    /// Of this year or earlier.
    pub year_to: Option<i32>,
    /// Filters that all lists of items share.
    pub items: ItemFilter,
}

/// Order of a list of shows. Shows without a year come last in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShowOrder {
    /// Sort title.
    Title,
    /// Time at which the item was first indexed.
    CreatedAt,
    /// Year of the first episode.
    Year,
}

impl MediaOrder for ShowOrder {
    fn sort(self) -> Sort {
        match self {
            Self::Title => Sort::text("title", "w.sort_title"),
            Self::CreatedAt => Sort::key("createdAt"),
            Self::Year => Sort::number("year", "w.year").nullable(),
        }
    }
}

const SHOWS: MediaRows = MediaRows {
    from: "tv_shows w",
    key: "w.show_id",
};
const FILTERED: Filtered = Filtered {
    item: ItemType::TvShow,
    access: AccessFilter::Shows,
    key: SHOWS.key,
    first_at: |moment| TvShowId::first_at(moment).get(),
};
const BY_ID: &str = "SELECT w.show_id, w.title, w.sort_title, w.year, w.overview, w.content_rating, w.genres, \
    w.external_ids, w.season_count, w.episode_count, w.has_artwork FROM tv_shows w WHERE w.show_id";
const SEASONS: &str =
    "SELECT n.season_id, n.show_id, n.season_number, n.episode_count, n.has_artwork FROM tv_seasons n WHERE";
/// Episodes of an unknown season come last in both directions.
const BY_NUMBER: &str = "ORDER BY n.season_number ASC NULLS LAST, n.season_id ASC";
const FROM_LAST: &str = "ORDER BY n.season_number DESC NULLS LAST, n.season_id DESC";

// The same aggregates as `scan_writer/video_aggregates.rs` stores for all episodes.
const SHOW_COUNTS: &str =
    "SELECT e.show_id, count(DISTINCT e.season_id), count(*) FROM tv_episodes e WHERE e.show_id";
const SHOW_PICTURES: &str = "SELECT e.show_id, count(*) FROM tv_episodes e \
    JOIN video_sources s ON s.episode_id = e.episode_id \
    WHERE (s.artwork LIKE '%\"show-poster\"%' OR s.artwork LIKE '%\"show-backdrop\"%') AND e.show_id";
const SEASON_COUNTS: &str = "SELECT e.season_id, count(*) FROM tv_episodes e WHERE e.season_id";
const SEASON_PICTURES: &str = "SELECT e.season_id, count(*) FROM tv_episodes e \
    JOIN video_sources s ON s.episode_id = e.episode_id \
    WHERE s.artwork LIKE '%\"season-poster\"%' AND e.season_id";

#[derive(sqlx::FromRow, serde::Deserialize)]
struct ShowRow {
    show_id: i64,
    title: String,
    sort_title: String,
    year: Option<i32>,
    overview: Option<String>,
    content_rating: Option<String>,
    genres: String,
    external_ids: String,
    season_count: i64,
    episode_count: i64,
    has_artwork: bool,
}

impl From<ShowRow> for Show {
    fn from(row: ShowRow) -> Self {
        Self {
            id: row.show_id.into(),
            title: row.title,
            sort_title: row.sort_title,
            year: row.year,
            overview: row.overview,
            content_rating: row.content_rating,
            genres: texts(&row.genres),
            external_ids: external_ids(&row.external_ids),
            season_count: row.season_count,
            episode_count: row.episode_count,
            has_artwork: row.has_artwork,
        }
    }
}

#[derive(sqlx::FromRow, serde::Deserialize)]
struct SeasonRow {
    season_id: i64,
    show_id: i64,
    season_number: Option<i32>,
    episode_count: i64,
    has_artwork: bool,
}

impl From<SeasonRow> for Season {
    fn from(row: SeasonRow) -> Self {
        Self {
            id: row.season_id.into(),
            show: row.show_id.into(),
            number: row.season_number,
            episode_count: row.episode_count,
            has_artwork: row.has_artwork,
        }
    }
}

impl MediaFilter for ShowFilter {
    type Order = ShowOrder;

    const ROWS: MediaRows = SHOWS;

    fn item_filter(&self) -> &ItemFilter {
        &self.items
    }

    fn where_clause(&self, scope: &MediaScope) -> WhereClause<'_> {
        let mut shows = WhereClause::of_media(AccessFilter::Shows, "w.show_id", scope);
        shows.push(
            "w.show_id IN (SELECT show_id FROM tv_show_genres WHERE key = ",
            self.genre.as_deref().map(fold),
            ")",
        );
        shows.push("w.year >= ", self.year_from, "");
        shows.push("w.year <= ", self.year_to, "");
        self.items.restrict_to(&mut shows, FILTERED, scope);
        shows
    }
}

impl TvRepository {
    /// Shows in the scope.
    pub async fn list_shows(
        &self,
        scope: &MediaScope,
        filter: &ShowFilter,
        request: &ListRequest<ShowOrder>,
    ) -> Result<Listing<Show>> {
        let (scope, page) = self.db.page_of_media(scope, filter, request).await?;
        let shows = self.shows_by_id(&scope, &page.items).await?;
        Ok(page.with_items(shows))
    }

    /// A show in the scope.
    pub async fn show(&self, scope: &MediaScope, id: TvShowId) -> Result<Option<Show>> {
        let access_condition = AccessFilter::Shows.and("w.show_id", scope);
        let rows = self
            .db
            .rows_of_listed(BY_ID, &[id.get()], &access_condition)
            .await?;
        Ok(self.shows(scope, rows).await?.pop())
    }

    /// These shows, in this order, without an access check.
    pub(crate) async fn shows_by_id(&self, scope: &MediaScope, ids: &[i64]) -> Result<Vec<Show>> {
        let rows = self.db.rows_of_listed(BY_ID, ids, "").await?;
        let shows = self.shows(scope, rows).await?;
        Ok(in_order(ids, shows, |show| show.id.get()))
    }

    /// The seasons of a show by number.
    pub async fn show_seasons(
        &self,
        scope: &MediaScope,
        id: TvShowId,
        part: OrderedPagination,
    ) -> Result<Listing<Season>> {
        let access_condition = AccessFilter::Seasons.and("n.season_id", scope);
        let order = direction(part.order, BY_NUMBER, FROM_LAST);
        let sql = format!("{SEASONS} n.show_id = $1{access_condition} {order}");
        Ok(part.page.of(self.seasons(scope, sql, id.get()).await?))
    }

    /// A season in the scope.
    pub async fn season(&self, scope: &MediaScope, id: TvSeasonId) -> Result<Option<Season>> {
        let access_condition = AccessFilter::Seasons.and("n.season_id", scope);
        let sql = format!("{SEASONS} n.season_id = $1{access_condition}");
        Ok(self.seasons(scope, sql, id.get()).await?.pop())
    }

    async fn shows(&self, scope: &MediaScope, rows: Vec<ShowRow>) -> Result<Vec<Show>> {
        let mut shows: Vec<Show> = rows.into_iter().map(Show::from).collect();
        if *scope != MediaScope::All {
            self.count_accessible_episodes(scope, &mut shows).await?;
        }
        Ok(shows)
    }

    /// Replaces stored aggregates by those of the accessible episodes.
    async fn count_accessible_episodes(&self, scope: &MediaScope, shows: &mut [Show]) -> Result<()> {
        let ids: Vec<i64> = shows.iter().map(|show| show.id.get()).collect();
        let counts = AccessFilter::Episodes.and("e.episode_id", scope) + " GROUP BY e.show_id";
        let counts: Vec<(i64, i64, i64)> = self.db.rows_of_listed(SHOW_COUNTS, &ids, &counts).await?;
        let pictures = AccessFilter::Sources.and("s.source_id", scope) + " GROUP BY e.show_id";
        let pictures = self.db.counts_of_listed(SHOW_PICTURES, &ids, &pictures).await?;
        for show in shows {
            let id = show.id.get();
            let count = counts.iter().find(|(show, ..)| *show == id);
            let (_, seasons, episodes) = count.copied().unwrap_or_default();
            show.season_count = seasons;
            show.episode_count = episodes;
            show.has_artwork = pictures.contains_key(&id);
        }
        Ok(())
    }

    async fn seasons(&self, scope: &MediaScope, sql: String, id: i64) -> Result<Vec<Season>> {
        let rows: Vec<SeasonRow> = self.db.pools().fetch_page(AssertSqlSafe(sql), &args![id]).await?;
        let mut seasons: Vec<Season> = rows.into_iter().map(Season::from).collect();
        if *scope != MediaScope::All {
            let ids: Vec<i64> = seasons.iter().map(|season| season.id.get()).collect();
            let counts = AccessFilter::Episodes.and("e.episode_id", scope) + " GROUP BY e.season_id";
            let counts = self.db.counts_of_listed(SEASON_COUNTS, &ids, &counts).await?;
            let pictures = AccessFilter::Sources.and("s.source_id", scope) + " GROUP BY e.season_id";
            let pictures = self.db.counts_of_listed(SEASON_PICTURES, &ids, &pictures).await?;
            for season in &mut seasons {
                season.episode_count = counts.get(&season.id.get()).copied().unwrap_or_default();
                season.has_artwork = pictures.contains_key(&season.id.get());
            }
        }
        Ok(seasons)
    }

    /// The shows of search hits.
    pub async fn shows_of_hits(&self, scope: &MediaScope, hits: Hits) -> Result<Listing<Show>> {
        let shows = self.shows_by_id(scope, &hits.items).await?;
        Ok(hits.with_items(shows))
    }
}

/// The statements that read a page, one per order.
#[cfg(test)]
pub(crate) fn order_cases() -> Vec<OrderCase> {
    let orders = [ShowOrder::Title, ShowOrder::CreatedAt, ShowOrder::Year];
    orders
        .into_iter()
        .flat_map(|by| order_cases_of(SHOWS, by.sort()))
        .collect()
}
