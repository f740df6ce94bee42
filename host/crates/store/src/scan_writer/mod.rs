//! Stores the results of a scan: batches of extracted files, each in few short transactions.
//!
//! A folder's digest is stored together with the last of its files, so after a crash no digest covers files that are
//! not stored. Releases, artists and genres whose tracks changed are marked as dirty in the same transaction;
//! `recompute_aggregates` recomputes them, including those that a crash left dirty.

mod aggregates;
mod batch;
mod digest;
mod ids;
mod item_aggregates;
mod item_content;
mod items;
mod kept_readings;
mod names;
mod photos;
mod purge_kind;
mod rows;
mod tracks;
mod upsert;
mod video_aggregates;
mod video_genres;
mod video_values;
mod videos;

use std::collections::HashMap;
use std::sync::Arc;

pub use aggregates::RecomputeOutcome;
pub use batch::{FolderDone, ItemChange, PersistOutcome, PluginVersion, ScanBatch, StoredFile};
pub use digest::digest_of;
pub use purge_kind::PurgedPart;

use crate::changes::NewChanges;
use crate::db::Database;
use crate::index::{IndexRepository, RECORD_SCHEMA};
use crate::text::bounded_reason;
use ids::{for_ids, select_ids};
use items::{KnownKinds, RenamedItems};
use kept_readings::KeptVersions;
use names::Names;
use svc_database::Result;
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_database::bulk::SqlTexts;
use svc_database::version_counters::Invalidation;
use svc_database::write_queue::WritePriority;
use svc_database::write_queue::WriteTx;
use svc_domain::change::{ChangeKind, ItemType};
use svc_domain::extraction::ExtractFailure;
use svc_domain::id::{FileId, IdGenerator};
use svc_domain::kind::CachePartition;
use svc_domain::scan::{FileRecord, FileStatus, RunLogEntry};
use videos::RenamedShows;

/// Files per transaction: about 30 ms, the longest that an interactive write waits. Larger transactions would share
/// more index pages.
const FILES_IN_TRANSACTION: usize = 1000;

/// Stores the results of a scan. A database has one scan at a time.
#[derive(Debug)]
pub struct ScanWriter {
    db: Database,
    texts: SqlTexts,
    ids: Arc<IdGenerator>,
    names: Names,
    renamed_shows: RenamedShows,
    renamed_items: RenamedItems,
    kinds: KnownKinds,
    kept: KeptVersions,
    plugins: HashMap<Arc<PluginVersion>, i64>,
    /// A transaction was begun and not confirmed: the name cache may be wrong.
    in_doubt: bool,
}

impl IndexRepository {
    /// A writer for one scan. `ids` generates the ids of releases, artists and genres.
    pub fn scan_writer(&self, ids: Arc<IdGenerator>) -> ScanWriter {
        ScanWriter {
            db: self.db.clone(),
            texts: SqlTexts::default(),
            names: Names::new(Arc::clone(&ids)),
            renamed_shows: RenamedShows::default(),
            renamed_items: RenamedItems::default(),
            kinds: KnownKinds::default(),
            kept: KeptVersions::default(),
            ids,
            plugins: HashMap::new(),
            in_doubt: false,
        }
    }
}

fn numbers(ids: &[FileId]) -> Vec<i64> {
    ids.iter().map(|id| id.get()).collect()
}

/// The cache partition of all these files; `None` if they are of several, or if some failed.
fn part_of(files: &[&StoredFile]) -> Option<CachePartition> {
    let mut parts = files.iter().map(|stored| match &stored.file.record {
        FileRecord::Track(_) => Some(CachePartition::Music),
        FileRecord::Photo(_) => Some(CachePartition::Photos),
        FileRecord::Video(_) => Some(CachePartition::Video),
        FileRecord::Item(_) => Some(CachePartition::Items),
        FileRecord::Failed(_) => None,
    });
    let first = parts.next()?;
    first.filter(|_| parts.all(|part| part == first))
}

/// Records the changes of tracks, photos, releases and artists in a batch.
fn record_changes(files: &[&StoredFile], added: &PersistOutcome, changes: &mut NewChanges) {
    for StoredFile { file, .. } in files {
        let item = match &file.record {
            FileRecord::Track(_) => ItemType::MusicTrack,
            FileRecord::Photo(_) => ItemType::Photo,
            FileRecord::Video(_) | FileRecord::Item(_) | FileRecord::Failed(_) => continue,
        };
        let kind = if file.known {
            ChangeKind::Updated
        } else {
            ChangeKind::Added
        };
        changes.push(item, kind, file.id.get());
    }
    let releases = added.added_releases.iter().map(|(id, _)| id.get());
    changes.extend(ItemType::MusicRelease, ChangeKind::Added, releases);
    let artists = added.added_artists.iter().map(|(id, _)| id.get());
    changes.extend(ItemType::MusicArtist, ChangeKind::Added, artists);
}

/// Records the changes of the items of files of the built-in kinds.
async fn record_file_changes(
    tx: &mut Tx,
    files: &[i64],
    kind: ChangeKind,
    changes: &mut NewChanges,
) -> Result<()> {
    let items = [
        (
            ItemType::MusicTrack,
            "SELECT track_id FROM music_tracks WHERE track_id",
            "",
        ),
        (ItemType::Photo, "SELECT photo_id FROM photos WHERE photo_id", ""),
        (
            ItemType::Movie,
            "SELECT DISTINCT movie_id FROM video_sources WHERE source_id",
            "AND movie_id IS NOT NULL",
        ),
        (
            ItemType::TvEpisode,
            "SELECT DISTINCT episode_id FROM video_sources WHERE source_id",
            "AND episode_id IS NOT NULL",
        ),
    ];
    for (item, head, tail) in items {
        changes.extend(item, kind, select_ids(tx, head, files, tail).await?);
    }
    Ok(())
}

impl ScanWriter {
    /// For the end of a scan that read many files: see [`Database::refresh_statistics`].
    pub async fn refresh_statistics(&self) -> Result<()> {
        self.db.refresh_statistics().await
    }

    /// Stores a batch. An error leaves none or whole transactions of it stored; it may be stored again.
    pub async fn persist(&mut self, batch: &ScanBatch) -> Result<PersistOutcome> {
        let mut outcome = PersistOutcome::default();
        let mut rest = batch.files.as_slice();
        while rest.len() > FILES_IN_TRANSACTION {
            let (part, later) = rest.split_at(FILES_IN_TRANSACTION);
            self.persist_part(batch, part, false, &mut outcome).await?;
            rest = later;
        }
        self.persist_part(batch, rest, true, &mut outcome).await?;
        Ok(outcome)
    }

    async fn persist_part(
        &mut self,
        batch: &ScanBatch,
        files: &[StoredFile],
        last: bool,
        outcome: &mut PersistOutcome,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        let mut added = PersistOutcome::default();
        let mut changes = NewChanges::default();
        let changed: Vec<&StoredFile> = files.iter().filter(|stored| !stored.unchanged).collect();
        self.keep_readings(&mut tx, files).await?;
        self.store_files(&mut tx, files).await?;
        self.forget_readings(&mut tx, files).await?;
        if !changed.is_empty() {
            self.store_tracks(&mut tx, &changed, batch.now, &mut added)
                .await?;
            self.store_photos(&mut tx, &changed, &mut added).await?;
            self.store_videos(&mut tx, &changed, batch.now, &mut changes)
                .await?;
            self.store_items(&mut tx, &changed, batch.now, &mut changes, &mut added)
                .await?;
            record_changes(&changed, &added, &mut changes);
        }
        if last {
            self.store_marks(&mut tx, batch, &mut changes, &mut added).await?;
        }
        changes.store(&mut tx, &mut self.texts, batch.now).await?;
        let has_marks = last && !(batch.restored.is_empty() && batch.missing.is_empty());
        if !has_marks {
            tx = tx.invalidating(match part_of(&changed) {
                // The media are unchanged, so cached responses stay valid.
                _ if changed.is_empty() => Invalidation::Nothing,
                part => self.db.invalidated_by_batch(part),
            });
        }
        self.commit(tx).await?;
        outcome.added_releases.append(&mut added.added_releases);
        outcome.added_artists.append(&mut added.added_artists);
        outcome.updated_photos.append(&mut added.updated_photos);
        outcome.items.append(&mut added.items);
        Ok(())
    }

    async fn begin(&mut self) -> Result<WriteTx> {
        if self.in_doubt {
            self.clear_caches();
        }
        let tx = self.db.write(WritePriority::Scan).await?;
        self.in_doubt = true;
        Ok(tx)
    }

    async fn commit(&mut self, tx: WriteTx) -> Result<()> {
        tx.commit().await?;
        self.in_doubt = false;
        Ok(())
    }

    fn clear_caches(&mut self) {
        self.names.clear();
        self.plugins.clear();
        self.kinds.clear();
        self.kept.clear();
    }

    async fn store_files(&mut self, tx: &mut Tx, files: &[StoredFile]) -> Result<()> {
        let mut values = Vec::with_capacity(files.len() * rows::FILES.columns);
        for StoredFile {
            file, plugin, digest, ..
        } in files
        {
            let plugin = match plugin {
                Some(plugin) => Some(self.plugin_ref(tx, plugin).await?),
                None => None,
            };
            let failure = match &file.record {
                FileRecord::Failed(failure) => Some(failure),
                FileRecord::Track(_) | FileRecord::Photo(_) | FileRecord::Video(_) | FileRecord::Item(_) => {
                    None
                }
            };
            let status = if failure.is_some() {
                FileStatus::Errored
            } else {
                FileStatus::Indexed
            };
            values.extend(args![
                file.id.get(),
                file.folder.get(),
                file.name.as_str(),
                file.size,
                file.mtime_ns,
                status as i16,
                plugin,
                file.fingerprint,
                file.sidecar_digest,
                *digest,
                failure.map(ExtractFailure::code),
            ]);
            values.push(Arg::Text(
                failure.map(|failure| bounded_reason(failure.to_string()).into()),
            ));
        }
        // A failed file keeps the record of an earlier extraction, because user data refers to its item.
        self.texts.execute(tx, &rows::FILES, &values).await
    }

    async fn plugin_ref(&mut self, tx: &mut Tx, plugin: &Arc<PluginVersion>) -> Result<i64> {
        if let Some(known) = self.plugins.get(plugin) {
            return Ok(*known);
        }
        let values = args![
            plugin.id.as_str(),
            plugin.version.as_str(),
            plugin.digest.as_str(),
            RECORD_SCHEMA,
            plugin.component.as_str()
        ];
        let found: Vec<(i64,)> = tx.fetch_all(rows::ADD_PLUGIN, &values).await?;
        let number = found.first().map_or(0, |(number,)| *number);
        self.plugins.insert(Arc::clone(plugin), number);
        Ok(number)
    }

    async fn store_marks(
        &mut self,
        tx: &mut Tx,
        batch: &ScanBatch,
        changes: &mut NewChanges,
        outcome: &mut PersistOutcome,
    ) -> Result<()> {
        let missing = numbers(&batch.missing);
        let head = "SELECT file_id FROM files WHERE status = 2 AND file_id";
        let restored = select_ids(tx, head, &numbers(&batch.restored), "").await?;
        for_ids(tx, rows::RESTORE_FILES, &restored, "").await?;
        record_file_changes(tx, &restored, ChangeKind::Restored, changes).await?;
        record_file_changes(tx, &missing, ChangeKind::Missing, changes).await?;
        for photos in [&restored, &missing] {
            outcome
                .updated_photos
                .extend(photos::with_class(tx, photos).await?);
        }
        let marks: Vec<_> = missing.iter().flat_map(|id| args![*id, batch.now]).collect();
        self.texts.execute(tx, &rows::MISSING, &marks).await?;
        for (files, kind) in [(&restored, ChangeKind::Restored), (&missing, ChangeKind::Missing)] {
            items::record_marks(tx, files, kind, changes, outcome).await?;
        }
        let folders: Vec<_> = batch.folders_done.iter().flat_map(folder_values).collect();
        self.texts.execute(tx, &rows::FOLDERS_DONE, &folders).await?;
        let logs: Vec<_> = batch.logs.iter().flat_map(log_values).collect();
        self.texts.execute(tx, &rows::RUN_LOGS, &logs).await
    }
}

fn folder_values(folder: &FolderDone) -> [Arg<'_>; 3] {
    [
        folder.id.get().into(),
        Arg::Bytes(folder.digest.as_ref().map(|digest| digest.as_slice())),
        folder.file_count.into(),
    ]
}

fn log_values(line: &RunLogEntry) -> [Arg<'_>; 8] {
    args![
        line.id.get(),
        line.run.get(),
        line.event.as_str(),
        line.kind.as_ref().map_or("", |kind| kind.as_str()),
        line.path.as_str(),
        line.plugin.as_deref(),
        line.reason.as_deref(),
        line.diff.as_deref(),
    ]
}
