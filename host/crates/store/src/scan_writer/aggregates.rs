//! Recomputes aggregates after the files of a scan, and deletes music items without tracks.

use crate::changes;
use crate::changes::NewChanges;
use crate::db::search_index::SearchIndex;
use crate::scan_writer::ids::{for_ids, ids, select_ids};
use crate::scan_writer::names::mark_artists_of_releases;
use crate::scan_writer::{
    ItemChange, ScanWriter, items, photos, record_file_changes, tracks, video_aggregates, videos,
};
use crate::user_items::delete_user_items;
use svc_database::Result;
use svc_database::Tx;
use svc_database::args::args;
use svc_domain::change::{ChangeKind, ItemType};
use svc_domain::time::Timestamp;

/// Result of a recomputation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecomputeOutcome {
    /// Recomputed releases.
    pub releases: u64,
    /// Recomputed artists.
    pub artists: u64,
    /// Deleted releases, artists and genres.
    pub removed: u64,
    /// Changed items of kinds that plugins define.
    pub items: Vec<ItemChange>,
}

// Ids per transaction: one `IN` list, some milliseconds.
const DIRTY_RELEASES: &str = "SELECT release_id FROM music_releases WHERE dirty LIMIT 256";
const DIRTY_ARTISTS: &str = "SELECT artist_id FROM music_artists WHERE dirty LIMIT 256";
const DIRTY_GENRES: &str = "SELECT genre_id FROM music_genres WHERE dirty LIMIT 64";

const COUNT_RELEASES: (&str, &str) = (
    "UPDATE music_releases SET dirty = FALSE, track_count = s.tracks, duration_ms = s.duration, \
     disc_count = s.discs, artwork_track_id = (SELECT p.track_id FROM music_tracks p \
     WHERE p.release_id = music_releases.release_id AND p.picture_index IS NOT NULL \
     ORDER BY p.disc_number ASC NULLS LAST, p.track_number ASC NULLS LAST, p.track_id LIMIT 1) \
     FROM (SELECT t.release_id AS id, count(*) AS tracks, \
     CAST(coalesce(sum(t.duration_ms), 0) AS BIGINT) AS duration, \
     CAST(coalesce(max(t.disc_number), 1) AS BIGINT) AS discs FROM music_tracks t WHERE t.release_id",
    "GROUP BY t.release_id) AS s WHERE music_releases.release_id = s.id",
);
const COUNT_ARTISTS: &str = "UPDATE music_artists SET dirty = FALSE, \
    release_count = (SELECT count(DISTINCT l.release_id) FROM release_artists l \
    WHERE l.artist_id = music_artists.artist_id), \
    track_count = (SELECT count(DISTINCT l.track_id) FROM track_artists l \
    WHERE l.artist_id = music_artists.artist_id) WHERE artist_id";
const COUNT_GENRES: &str = "UPDATE music_genres SET dirty = FALSE, track_count = \
    (SELECT count(*) FROM track_genres l WHERE l.genre_id = music_genres.genre_id) WHERE genre_id";

/// Recomputes some dirty releases; returns how many, and how many of them were deleted for want of tracks.
async fn recompute_releases(tx: &mut Tx, changes: &mut NewChanges) -> Result<(u64, u64)> {
    let dirty = ids(tx, DIRTY_RELEASES).await?;
    let head = "SELECT r.release_id FROM music_releases r WHERE NOT EXISTS \
                (SELECT 1 FROM music_tracks t WHERE t.release_id = r.release_id) AND r.release_id";
    let empty = select_ids(tx, head, &dirty, "").await?;
    if !empty.is_empty() {
        mark_artists_of_releases(tx, &empty).await?;
        for_ids(tx, SearchIndex::Releases.remove(tx.engine()), &empty, "").await?;
        for_ids(tx, "DELETE FROM music_releases WHERE release_id", &empty, "").await?;
        delete_user_items(tx, ItemType::MusicRelease, &empty).await?;
    }
    for_ids(tx, COUNT_RELEASES.0, &dirty, COUNT_RELEASES.1).await?;
    let counts = (dirty.len() as u64, empty.len() as u64);
    changes.extend(ItemType::MusicRelease, ChangeKind::Removed, empty);
    Ok(counts)
}

async fn recompute_artists(tx: &mut Tx, changes: &mut NewChanges) -> Result<(u64, u64)> {
    let dirty = ids(tx, DIRTY_ARTISTS).await?;
    for_ids(tx, COUNT_ARTISTS, &dirty, "").await?;
    let head = "DELETE FROM music_artists WHERE release_count = 0 AND track_count = 0 AND artist_id";
    let removed = select_ids(tx, head, &dirty, "RETURNING artist_id").await?;
    for_ids(tx, SearchIndex::Artists.remove(tx.engine()), &removed, "").await?;
    delete_user_items(tx, ItemType::MusicArtist, &removed).await?;
    let counts = (dirty.len() as u64, removed.len() as u64);
    changes.extend(ItemType::MusicArtist, ChangeKind::Removed, removed);
    Ok(counts)
}

async fn recompute_genres(tx: &mut Tx) -> Result<(u64, u64)> {
    let dirty = ids(tx, DIRTY_GENRES).await?;
    for_ids(tx, COUNT_GENRES, &dirty, "").await?;
    let head = "DELETE FROM music_genres WHERE track_count = 0 AND genre_id";
    let removed = select_ids(tx, head, &dirty, "RETURNING genre_id").await?;
    Ok((dirty.len() as u64, removed.len() as u64))
}

/// One transaction: some items of the first type with dirty rows.
async fn recompute_some(
    tx: &mut Tx,
    moved: &videos::RenamedShows,
    changes: &mut NewChanges,
    outcome: &mut RecomputeOutcome,
) -> Result<bool> {
    // Artists after releases and shows after episodes: a deletion marks the parent as dirty.
    let (looked, removed) = recompute_releases(tx, changes).await?;
    outcome.releases += looked - removed;
    outcome.removed += removed;
    if looked > 0 {
        return Ok(true);
    }
    let (looked, removed) = recompute_artists(tx, changes).await?;
    outcome.artists += looked - removed;
    outcome.removed += removed;
    if looked > 0 {
        return Ok(true);
    }
    let (looked, removed) = recompute_genres(tx).await?;
    outcome.removed += removed;
    Ok(looked > 0
        || video_aggregates::recompute_movies(tx, changes).await? > 0
        || video_aggregates::recompute_episodes(tx, changes).await? > 0
        || video_aggregates::recompute_shows(tx, moved, changes).await? > 0)
}

/// The oldest missing files of available directories.
const LONG_MISSING: &str = "SELECT f.file_id FROM files f JOIN folders o ON o.folder_id = f.folder_id \
    JOIN directories d ON d.directory_id = o.directory_id \
    WHERE f.missing_since IS NOT NULL AND f.missing_since < $1 AND d.available AND d.configured \
    ORDER BY f.missing_since LIMIT 256";
/// Folders without any file, missing ones included.
const EMPTY_FOLDERS: &str = "DELETE FROM folders WHERE file_count = 0 \
    AND NOT EXISTS (SELECT 1 FROM files f WHERE f.folder_id = folders.folder_id)";

impl ScanWriter {
    /// Recomputes all dirty items in short transactions. May be cancelled and started again at any time.
    pub async fn recompute_aggregates(&mut self, now: Timestamp) -> Result<RecomputeOutcome> {
        // Cached names count as dirty in the database, which ends here.
        self.clear_caches();
        let mut outcome = RecomputeOutcome::default();
        loop {
            let mut tx = self.begin().await?;
            let mut changes = NewChanges::default();
            let more = recompute_some(&mut tx, &self.renamed_shows, &mut changes, &mut outcome).await?
                || self
                    .recompute_items(&mut tx, &mut changes, &mut outcome.items)
                    .await?
                    > 0;
            changes.store(&mut tx, &mut self.texts, now).await?;
            if !more {
                changes::prune(&mut tx).await?;
            }
            self.commit(tx).await?;
            if !more {
                self.renamed_shows = videos::RenamedShows::default();
                self.renamed_items = items::RenamedItems::default();
                self.db.checkpoint().await?;
                return Ok(outcome);
            }
        }
    }

    /// Deletes files missing since before `before`, with their items; returns their number. Aggregates must be
    /// recomputed afterwards.
    pub async fn purge_missing(&mut self, before: Timestamp, now: Timestamp) -> Result<u64> {
        let mut purged = 0;
        loop {
            let mut tx = self.begin().await?;
            let rows: Vec<(i64,)> = tx.fetch_all(LONG_MISSING, &args![before]).await?;
            let files: Vec<i64> = rows.into_iter().map(|(id,)| id).collect();
            if files.is_empty() {
                tx.execute(EMPTY_FOLDERS, &[]).await?;
                self.commit(tx).await?;
                return Ok(purged);
            }
            let mut changes = NewChanges::default();
            record_file_changes(&mut tx, &files, ChangeKind::Removed, &mut changes).await?;
            tracks::unlink(&mut tx, &files).await?;
            photos::remove_from_search(&mut tx, &files).await?;
            videos::unlink(&mut tx, &files).await?;
            items::unlink(&mut tx, &files).await?;
            for_ids(&mut tx, "DELETE FROM files WHERE file_id", &files, "").await?;
            // A track and a photo have the id of their file.
            delete_user_items(&mut tx, ItemType::MusicTrack, &files).await?;
            delete_user_items(&mut tx, ItemType::Photo, &files).await?;
            changes.store(&mut tx, &mut self.texts, now).await?;
            self.commit(tx).await?;
            purged += files.len() as u64;
        }
    }
}
