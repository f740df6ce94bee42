//! Items that can be added to a queue: the parts of an item, and the pools of dynamic queues.

use std::collections::{HashMap, HashSet};

use sqlx::AssertSqlSafe;

use crate::playback_queues::PlaybackQueueRepository;
use crate::query::access_filter::AccessFilter;
use crate::user_items::favorite_of;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::change::ItemType;
use svc_domain::id::{PlaybackQueueId, UserId};
use svc_domain::library::MediaScope;
use svc_domain::playback_queue::PoolEntry;
use svc_domain::user_data::ItemKey;

const RELEASE: &str = "SELECT i.track_id FROM music_tracks i WHERE i.release_id = $1";
const IN_RELEASE: &str = " ORDER BY i.disc_number ASC NULLS LAST, i.track_number ASC NULLS LAST, i.track_id";
const ARTIST: &str = "SELECT i.track_id FROM music_tracks i LEFT JOIN music_releases r ON r.release_id = i.release_id \
    WHERE i.track_id IN (SELECT l.track_id FROM track_artists l WHERE l.artist_id = $1)";
const OF_ARTIST: &str = " ORDER BY r.year ASC NULLS LAST, r.sort_title ASC NULLS LAST, i.release_id, \
    i.disc_number ASC NULLS LAST, i.track_number ASC NULLS LAST, i.track_id";
const SHOW: &str = "SELECT i.episode_id FROM tv_episodes i JOIN tv_seasons n ON n.season_id = i.season_id \
    WHERE i.show_id = $1";
const IN_SHOW: &str = " ORDER BY CASE WHEN n.season_number = 0 THEN 1 ELSE 0 END, n.season_number ASC NULLS LAST, \
    i.episode_number ASC NULLS LAST, i.absolute_number ASC NULLS LAST, i.air_date ASC NULLS LAST, i.episode_id";

/// Tracks whose files were present and readable in the last scan.
const TRACKS: &str =
    "SELECT i.track_id FROM music_tracks i JOIN files f ON f.file_id = i.track_id WHERE f.status = 0";
const SAME_ARTIST: &str = "SELECT DISTINCT i.track_id FROM track_artists i JOIN files f ON f.file_id = i.track_id \
    WHERE f.status = 0 AND i.artist_id IN (SELECT l.artist_id FROM track_artists l WHERE l.track_id";
const SAME_GENRE: &str = "SELECT DISTINCT i.track_id FROM track_genres i JOIN files f ON f.file_id = i.track_id \
    WHERE f.status = 0 AND i.genre_id IN (SELECT l.genre_id FROM track_genres l WHERE l.track_id";
/// Weight of a common artist, relative to a common genre.
const NEARER: u32 = 2;

impl PlaybackQueueRepository {
    /// The parts of an item in playing order: the tracks of a release or artist, the episodes of a show. `None` for
    /// other items.
    pub async fn playable_items_of(
        &self,
        scope: &MediaScope,
        (item, id): ItemKey,
    ) -> Result<Option<Vec<ItemKey>>> {
        let (select, order, part) = match item {
            ItemType::MusicRelease => (RELEASE, IN_RELEASE, ItemType::MusicTrack),
            ItemType::MusicArtist => (ARTIST, OF_ARTIST, ItemType::MusicTrack),
            ItemType::TvShow => (SHOW, IN_SHOW, ItemType::TvEpisode),
            ItemType::MusicTrack
            | ItemType::Photo
            | ItemType::Movie
            | ItemType::TvEpisode
            | ItemType::Item => return Ok(None),
        };
        let access_condition = match part {
            ItemType::TvEpisode => AccessFilter::Episodes.and("i.episode_id", scope),
            _ => AccessFilter::Tracks.and("i.track_id", scope),
        };
        let sql = AssertSqlSafe(format!("{select}{access_condition}{order}"));
        let rows: Vec<(i64,)> = self.db.pools().fetch_all(sql, &args![id]).await?;
        Ok(Some(rows.into_iter().map(|(id,)| (part, id)).collect()))
    }

    /// The tracks of a queue.
    pub async fn tracks_in_queue(&self, id: PlaybackQueueId) -> Result<HashSet<i64>> {
        let sql = "SELECT DISTINCT item_id FROM playback_queue_items WHERE queue_id = $1 AND item_type = $2";
        let values = args![id.get(), ItemType::MusicTrack as i16];
        let rows: Vec<(i64,)> = self.db.pools().fetch_all(sql, &values).await?;
        Ok(rows.into_iter().map(|(id,)| id).collect())
    }

    /// All accessible, present and readable tracks.
    pub async fn pool_tracks(&self, scope: &MediaScope) -> Result<Vec<PoolEntry>> {
        let access_condition = AccessFilter::Tracks.and("i.track_id", scope);
        let sql = AssertSqlSafe(format!("{TRACKS}{access_condition}"));
        let rows: Vec<(i64,)> = self.db.pools().fetch_all(sql, &[]).await?;
        Ok(rows.into_iter().map(|(id,)| (id, 0)).collect())
    }

    /// The favorites of a user among them.
    pub async fn pool_favorites(&self, scope: &MediaScope, user: UserId) -> Result<Vec<PoolEntry>> {
        let access_condition = AccessFilter::Tracks.and("i.track_id", scope);
        let favorite = favorite_of!("i.track_id", 0);
        let sql = AssertSqlSafe(format!("{TRACKS} AND {favorite}$1){access_condition}"));
        let rows: Vec<(i64,)> = self.db.pools().fetch_all(sql, &args![user.get()]).await?;
        Ok(rows.into_iter().map(|(id,)| (id, 0)).collect())
    }

    /// Those that share an artist or genre with one of `tracks`.
    pub async fn pool_similar(&self, scope: &MediaScope, tracks: &[i64]) -> Result<Vec<PoolEntry>> {
        let tail = format!("){}", AccessFilter::Tracks.and("i.track_id", scope));
        let mut near = HashMap::new();
        for (head, by) in [(SAME_GENRE, 0), (SAME_ARTIST, NEARER)] {
            let rows: Vec<(i64,)> = self.db.rows_of_listed(head, tracks, &tail).await?;
            near.extend(rows.into_iter().map(|(id,)| (id, by)));
        }
        let mut similar: Vec<PoolEntry> = near.into_iter().collect();
        similar.sort_unstable();
        Ok(similar)
    }
}
