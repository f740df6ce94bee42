//! Items of any type: access checks, and summaries for history, ratings and queues.

use std::collections::{HashMap, HashSet};

use crate::db::Database;
use crate::kinds::KindRepository;
use crate::query::access_filter::AccessFilter;
use svc_database::Result;
use svc_domain::change::ItemType;
use svc_domain::library::MediaScope;
use svc_domain::user_data::{ItemKey, ItemSummary};

/// The query for the summaries of a type, up to the `IN` list, and the id column.
fn rows(item: ItemType) -> (&'static str, AccessFilter, &'static str) {
    match item {
        ItemType::MusicTrack => (
            "SELECT i.track_id AS id, i.title, i.duration_ms, i.release_id AS parent_id, r.title AS parent_title, \
             CAST(NULL AS INTEGER) AS season, CAST(NULL AS INTEGER) AS episode, f.status = 2 AS missing \
             FROM music_tracks i JOIN files f ON f.file_id = i.track_id \
             LEFT JOIN music_releases r ON r.release_id = i.release_id WHERE i.track_id",
            AccessFilter::Tracks,
            "i.track_id",
        ),
        ItemType::MusicRelease => (
            "SELECT i.release_id AS id, i.title, i.duration_ms, CAST(NULL AS BIGINT) AS parent_id, \
             CAST(NULL AS TEXT) AS parent_title, CAST(NULL AS INTEGER) AS season, CAST(NULL AS INTEGER) AS episode, \
             FALSE AS missing FROM music_releases i WHERE i.release_id",
            AccessFilter::Releases,
            "i.release_id",
        ),
        ItemType::MusicArtist => (
            "SELECT i.artist_id AS id, i.name AS title, CAST(NULL AS BIGINT) AS duration_ms, \
             CAST(NULL AS BIGINT) AS parent_id, CAST(NULL AS TEXT) AS parent_title, \
             CAST(NULL AS INTEGER) AS season, CAST(NULL AS INTEGER) AS episode, FALSE AS missing \
             FROM music_artists i WHERE i.artist_id",
            AccessFilter::Artists,
            "i.artist_id",
        ),
        ItemType::Photo => (
            "SELECT i.photo_id AS id, f.name AS title, CAST(NULL AS BIGINT) AS duration_ms, \
             CAST(NULL AS BIGINT) AS parent_id, CAST(NULL AS TEXT) AS parent_title, \
             CAST(NULL AS INTEGER) AS season, CAST(NULL AS INTEGER) AS episode, f.status = 2 AS missing \
             FROM photos i JOIN files f ON f.file_id = i.photo_id WHERE i.photo_id",
            AccessFilter::Photos,
            "i.photo_id",
        ),
        ItemType::Movie => (
            "SELECT i.movie_id AS id, i.title, i.runtime_ms AS duration_ms, CAST(NULL AS BIGINT) AS parent_id, \
             CAST(NULL AS TEXT) AS parent_title, CAST(NULL AS INTEGER) AS season, CAST(NULL AS INTEGER) AS episode, \
             NOT EXISTS (SELECT 1 FROM video_sources s JOIN files f ON f.file_id = s.source_id \
             WHERE s.movie_id = i.movie_id AND f.status <> 2) AS missing FROM movies i WHERE i.movie_id",
            AccessFilter::Movies,
            "i.movie_id",
        ),
        ItemType::TvShow => (
            "SELECT i.show_id AS id, i.title, CAST(NULL AS BIGINT) AS duration_ms, CAST(NULL AS BIGINT) AS parent_id, \
             CAST(NULL AS TEXT) AS parent_title, CAST(NULL AS INTEGER) AS season, CAST(NULL AS INTEGER) AS episode, \
             FALSE AS missing FROM tv_shows i WHERE i.show_id",
            AccessFilter::Shows,
            "i.show_id",
        ),
        ItemType::TvEpisode => (
            "SELECT i.episode_id AS id, i.title, i.runtime_ms AS duration_ms, i.show_id AS parent_id, \
             w.title AS parent_title, n.season_number AS season, i.episode_number AS episode, \
             NOT EXISTS (SELECT 1 FROM video_sources s JOIN files f ON f.file_id = s.source_id \
             WHERE s.episode_id = i.episode_id AND f.status <> 2) AS missing FROM tv_episodes i \
             JOIN tv_shows w ON w.show_id = i.show_id JOIN tv_seasons n ON n.season_id = i.season_id \
             WHERE i.episode_id",
            AccessFilter::Episodes,
            "i.episode_id",
        ),
        ItemType::Item => (
            "SELECT i.item_id AS id, i.title, i.duration_ms, CAST(NULL AS BIGINT) AS parent_id, \
             CAST(NULL AS TEXT) AS parent_title, CAST(NULL AS INTEGER) AS season, CAST(NULL AS INTEGER) AS episode, \
             NOT EXISTS (SELECT 1 FROM item_files s JOIN files f ON f.file_id = s.file_id \
             WHERE s.item_id = i.item_id AND f.status <> 2) AS missing FROM items i WHERE i.item_id",
            AccessFilter::Items,
            "i.item_id",
        ),
    }
}

const ARTISTS: &str = "SELECT l.track_id, a.name FROM track_artists l \
    JOIN music_artists a ON a.artist_id = l.artist_id WHERE l.role = 0 AND l.track_id";
const BY_POSITION: &str = "ORDER BY l.track_id, l.position";
const KINDS: &str = "SELECT i.item_id, k.kind, i.page_count FROM items i JOIN kinds k ON k.kind_ref = i.kind_ref \
    WHERE i.item_id";

#[derive(sqlx::FromRow, serde::Deserialize)]
struct SummaryRow {
    id: i64,
    title: String,
    duration_ms: Option<i64>,
    parent_id: Option<i64>,
    parent_title: Option<String>,
    season: Option<i32>,
    episode: Option<i32>,
    missing: bool,
}

impl From<SummaryRow> for ItemSummary {
    fn from(row: SummaryRow) -> Self {
        Self {
            title: row.title,
            duration_ms: row.duration_ms,
            artists: Vec::new(),
            parent: row.parent_id.zip(row.parent_title),
            season: row.season,
            episode: row.episode,
            kind: None,
            page_count: None,
            missing: row.missing,
        }
    }
}

/// Items of any type.
#[derive(Debug, Clone)]
pub struct ItemRepository {
    pub(crate) db: Database,
}

impl ItemRepository {
    /// Summaries of the items that exist and that the scope may access.
    pub async fn item_summaries(
        &self,
        scope: &MediaScope,
        items: impl IntoIterator<Item = ItemKey>,
    ) -> Result<HashMap<ItemKey, ItemSummary>> {
        let mut by_type: HashMap<ItemType, Vec<i64>> = HashMap::new();
        for (item, id) in items {
            by_type.entry(item).or_default().push(id);
        }
        let mut found = HashMap::new();
        for (item, ids) in by_type {
            let (select, access, key) = rows(item);
            let rows: Vec<SummaryRow> = self
                .db
                .rows_of_listed(select, &ids, &access.and(key, scope))
                .await?;
            found.extend(
                rows.into_iter()
                    .map(|row| ((item, row.id), ItemSummary::from(row))),
            );
            if item == ItemType::MusicTrack {
                let names: Vec<(i64, String)> = self.db.rows_of_listed(ARTISTS, &ids, BY_POSITION).await?;
                for (track, name) in names {
                    if let Some(summary) = found.get_mut(&(item, track)) {
                        summary.artists.push(name);
                    }
                }
            }
            if item == ItemType::Item {
                let kinds: Vec<(i64, String, Option<i64>)> = self.db.rows_of_listed(KINDS, &ids, "").await?;
                for (id, kind, page_count) in kinds {
                    if let Some(summary) = found.get_mut(&(item, id)) {
                        summary.kind = kind.parse().ok();
                        summary.page_count = page_count;
                    }
                }
                let kinds = KindRepository { db: self.db.clone() };
                for item in kinds.partly_accessible(scope, &ids).await? {
                    if let Some(summary) = found.get_mut(&(ItemType::Item, item.id.get())) {
                        summary.title = item.title;
                        summary.duration_ms = item.duration_ms;
                        summary.page_count = item.page_count;
                        summary.missing = item.missing;
                    }
                }
            }
        }
        Ok(found)
    }

    /// The subset of these items that exists and that the scope may access.
    pub async fn accessible_items_of(
        &self,
        scope: &MediaScope,
        items: &[ItemKey],
    ) -> Result<HashSet<ItemKey>> {
        accessible_items_of(&self.db, scope, items).await
    }
}

/// Those of the items that exist and that the scope may access.
pub(crate) async fn accessible_items_of(
    db: &Database,
    scope: &MediaScope,
    items: &[ItemKey],
) -> Result<HashSet<ItemKey>> {
    let mut by_type: HashMap<ItemType, Vec<i64>> = HashMap::new();
    for (item, id) in items {
        by_type.entry(*item).or_default().push(*id);
    }
    let mut access = HashSet::with_capacity(items.len());
    for (item, ids) in by_type {
        let (kind, select, key) = AccessFilter::of(item);
        let rows: Vec<(i64,)> = db.rows_of_listed(select, &ids, &kind.and(key, scope)).await?;
        access.extend(rows.into_iter().map(|(id,)| (item, id)));
    }
    Ok(access)
}
