//! Episodes: the episodes of a show or season, and single episodes.

use sqlx::AssertSqlSafe;

use crate::query::access_filter::{AccessFilter, and_in_folder};
use crate::query::item_filter::{Filtered, ItemFilter};
use crate::query::pages::in_order;
use crate::query::where_clause::{WhereClause, direction};
use crate::search::Hits;
use crate::video::TvRepository;
use crate::video::{OF_EPISODES, SourceRow};
use svc_database::Result;
use svc_domain::change::ItemType;
use svc_domain::id::{TvEpisodeId, TvSeasonId, TvShowId};
use svc_domain::library::MediaScope;
use svc_domain::list::{Listing, OrderedPagination};
use svc_domain::user_data::UserData;
use svc_domain::video::{Episode, external_ids, people};

const EPISODES: &str = "SELECT e.episode_id, e.show_id, w.title AS show_title, e.season_id, n.season_number, \
    e.episode_number, e.episode_number_end, e.absolute_number, e.air_date, e.title, e.sort_title, e.overview, \
    e.people, e.external_ids FROM tv_episodes e JOIN tv_seasons n ON n.season_id = e.season_id \
    JOIN tv_shows w ON w.show_id = e.show_id";
const FILTERED: Filtered = Filtered {
    item: ItemType::TvEpisode,
    access: AccessFilter::Episodes,
    key: "e.episode_id",
    first_at: |moment| TvEpisodeId::first_at(moment).get(),
};
/// Viewing order: specials first, unknown seasons last; episodes without a number by air date.
const IN_SHOW: &str = "n.season_number ASC NULLS LAST, e.episode_number ASC NULLS LAST, \
    e.absolute_number ASC NULLS LAST, e.air_date ASC NULLS LAST, e.episode_id ASC";
/// Reverse order; episodes without a number still come last.
const FROM_LAST: &str = "n.season_number DESC NULLS LAST, e.episode_number DESC NULLS LAST, \
    e.absolute_number DESC NULLS LAST, e.air_date DESC NULLS LAST, e.episode_id DESC";

#[derive(sqlx::FromRow, serde::Deserialize)]
struct EpisodeRow {
    episode_id: i64,
    show_id: i64,
    show_title: String,
    season_id: i64,
    season_number: Option<i32>,
    episode_number: Option<i32>,
    episode_number_end: Option<i32>,
    absolute_number: Option<i32>,
    air_date: Option<String>,
    title: String,
    sort_title: String,
    overview: Option<String>,
    people: String,
    external_ids: String,
}

impl From<EpisodeRow> for Episode {
    fn from(row: EpisodeRow) -> Self {
        Self {
            id: row.episode_id.into(),
            show: row.show_id.into(),
            show_title: row.show_title,
            season: row.season_id.into(),
            season_number: row.season_number,
            number: row.episode_number,
            number_end: row.episode_number_end,
            absolute: row.absolute_number,
            air_date: row.air_date,
            title: row.title,
            sort_title: row.sort_title,
            overview: row.overview,
            people: people(&row.people),
            external_ids: external_ids(&row.external_ids),
            sources: Vec::new(),
            user_data: UserData::default(),
        }
    }
}

impl TvRepository {
    /// Episodes of a show in viewing order, including missing ones.
    pub async fn show_episodes(
        &self,
        scope: &MediaScope,
        id: TvShowId,
        filter: &ItemFilter,
        part: OrderedPagination,
    ) -> Result<Listing<Episode>> {
        self.episodes_of(scope, ("e.show_id = ", id.get()), filter, part)
            .await
    }

    /// Episodes of a season by number, including missing ones.
    pub async fn season_episodes(
        &self,
        scope: &MediaScope,
        id: TvSeasonId,
        filter: &ItemFilter,
        part: OrderedPagination,
    ) -> Result<Listing<Episode>> {
        self.episodes_of(scope, ("e.season_id = ", id.get()), filter, part)
            .await
    }

    async fn episodes_of(
        &self,
        scope: &MediaScope,
        (belong, id): (&'static str, i64),
        filter: &ItemFilter,
        part: OrderedPagination,
    ) -> Result<Listing<Episode>> {
        let mut episodes = WhereClause::of_media(AccessFilter::Episodes, "e.episode_id", scope);
        episodes.push(belong, Some(id), "");
        filter.restrict_to(&mut episodes, FILTERED, scope);
        let (sql, values) = episodes.count("tv_episodes e");
        let total = self.db.pools().count(sql, values).await?;
        let order = direction(part.order, IN_SHOW, FROM_LAST);
        let (sql, values) = episodes.page(EPISODES, order, part.page);
        let rows: Vec<EpisodeRow> = self.db.pools().fetch_page(AssertSqlSafe(sql), &values).await?;
        let ids: Vec<i64> = rows.iter().map(|row| row.episode_id).collect();
        let sources = self
            .db
            .rows_of_listed(OF_EPISODES, &ids, &and_in_folder(scope))
            .await?;
        Ok(Listing::new(episodes_with(rows, sources), total))
    }

    /// An episode in the scope.
    pub async fn episode(&self, scope: &MediaScope, id: TvEpisodeId) -> Result<Option<Episode>> {
        let access_condition = AccessFilter::Episodes.and("e.episode_id", scope);
        Ok(self.episodes(scope, &[id.get()], &access_condition).await?.pop())
    }

    /// These episodes, in this order, without an access check.
    pub(crate) async fn episodes_by_id(&self, scope: &MediaScope, ids: &[i64]) -> Result<Vec<Episode>> {
        let episodes = self.episodes(scope, ids, "").await?;
        Ok(in_order(ids, episodes, |episode| episode.id.get()))
    }

    async fn episodes(
        &self,
        scope: &MediaScope,
        ids: &[i64],
        access_condition: &str,
    ) -> Result<Vec<Episode>> {
        let (head, seen_files) = (format!("{EPISODES} WHERE e.episode_id"), and_in_folder(scope));
        let queries = [
            (head.as_str(), access_condition),
            (OF_EPISODES, seen_files.as_str()),
        ];
        let (rows, sources) = self.db.rows_of_two_listed(queries, ids).await?;
        Ok(episodes_with(rows, sources))
    }

    /// The episodes of search hits.
    pub async fn episodes_of_hits(&self, scope: &MediaScope, hits: Hits) -> Result<Listing<Episode>> {
        let episodes = self.episodes_by_id(scope, &hits.items).await?;
        Ok(hits.with_items(episodes))
    }
}

/// Attaches the files to episodes.
fn episodes_with(rows: Vec<EpisodeRow>, sources: Vec<SourceRow>) -> Vec<Episode> {
    let mut sources = super::sources(sources);
    let episode = |row: EpisodeRow| Episode {
        sources: sources.remove(&row.episode_id).unwrap_or_default(),
        ..Episode::from(row)
    };
    rows.into_iter().map(episode).collect()
}
