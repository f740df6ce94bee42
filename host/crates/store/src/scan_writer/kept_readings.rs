//! Keeps what the version before the one in use read from a file, when another version reads the file again: after a
//! rollback, the scan takes it from the database instead of opening the file.

use std::collections::{BTreeMap, HashSet};

use crate::scan_writer::ids::{for_ids, select_ids};
use crate::scan_writer::{ScanWriter, StoredFile};
use crate::user_items::delete_abandoned_user_items;
use svc_database::args::args;
use svc_database::version_counters::Invalidation;
use svc_database::{Result, Tx};

/// Versions in use before the current ones, as far as files refer to them.
const PREVIOUS: &str = "SELECT s.plugin_ref, s.plugin_id, s.digest, s.component FROM plugins_seen s \
    JOIN plugins p ON p.plugin_id = s.plugin_id AND p.previous_digest = s.component WHERE s.digest <> ''";
const ADD_VERSION: &str = "INSERT INTO kept_versions (version_ref, plugin_id, digest, component) \
    SELECT coalesce(max(version_ref), 0) + 1, $1, $2, $3 FROM kept_versions WHERE TRUE \
    ON CONFLICT (plugin_id, digest) DO UPDATE SET component = excluded.component RETURNING version_ref";

const COPY_PICTURE: &str = "x.picture_index, x.picture_offset, x.picture_length, x.record";
/// The kept reading has the record that the file has in the index.
const NO_COPY: &str = "NULL, NULL, NULL, NULL";
const KEEP_TAIL: &str = "ON CONFLICT (file_id) DO UPDATE SET version_ref = excluded.version_ref, size = excluded.size, \
    mtime_ns = excluded.mtime_ns, related_stamp = excluded.related_stamp, record_digest = excluded.record_digest, \
    group_id = excluded.group_id, picture_index = excluded.picture_index, picture_offset = excluded.picture_offset, \
    picture_length = excluded.picture_length, record = excluded.record";
/// Another record is about to replace the one in the index that the kept reading shares.
const COPY_SHARED: &str = "UPDATE kept_readings SET (picture_index, picture_offset, picture_length, record) = \
    (SELECT x.picture_index, x.picture_offset, x.picture_length, x.record FROM item_files x \
    WHERE x.file_id = kept_readings.file_id) WHERE record IS NULL AND file_id";
/// Readings of a file that changed, and of the version that has now read it.
const FORGET: &str = "DELETE FROM kept_readings WHERE EXISTS (SELECT 1 FROM files f, kept_versions v, plugins_seen s \
    WHERE f.file_id = kept_readings.file_id AND v.version_ref = kept_readings.version_ref \
    AND s.plugin_ref = f.plugin_ref AND (f.size <> kept_readings.size OR f.mtime_ns <> kept_readings.mtime_ns \
    OR coalesce(f.related_stamp, -1) <> coalesce(kept_readings.related_stamp, -1) \
    OR (s.plugin_id = v.plugin_id AND s.component = v.component))) AND file_id";

/// Versions that are neither in use nor the one before it, and those without readings.
const UNUSABLE: &str = "SELECT v.version_ref FROM kept_versions v WHERE NOT EXISTS (SELECT 1 FROM plugins p \
    WHERE p.plugin_id = v.plugin_id AND v.component IN (p.current_digest, p.previous_digest)) \
    OR NOT EXISTS (SELECT 1 FROM kept_readings k WHERE k.version_ref = v.version_ref)";

/// Kept readings per transaction of a deletion.
const DELETED_AT_ONCE: i64 = 1000;

/// The versions whose readings are kept, as this scan found them.
#[derive(Debug, Default)]
pub(super) struct KeptVersions {
    is_loaded: bool,
    /// References in `plugins_seen` and `kept_versions` of the versions before those in use. Empty unless a plugin was
    /// upgraded and its files are not all read again.
    previous: Vec<(i64, i64)>,
    /// Whether there are kept readings.
    any: bool,
}

impl KeptVersions {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    async fn load(&mut self, tx: &mut Tx) -> Result<()> {
        if self.is_loaded {
            return Ok(());
        }
        let found: Vec<(i64, String, String, String)> = tx.fetch_all(PREVIOUS, &[]).await?;
        self.previous.clear();
        for (plugin, id, digest, component) in found {
            let added: Vec<(i64,)> = tx.fetch_all(ADD_VERSION, &args![id, digest, component]).await?;
            self.previous
                .extend(added.into_iter().map(|(version,)| (plugin, version)));
        }
        let kept: Vec<(i64,)> = tx
            .fetch_all("SELECT version_ref FROM kept_versions LIMIT 1", &[])
            .await?;
        self.any = !kept.is_empty();
        self.is_loaded = true;
        Ok(())
    }
}

impl ScanWriter {
    /// Keeps readings that are about to be replaced. Called before the files are stored; `forget_readings` follows.
    pub(super) async fn keep_readings(&mut self, tx: &mut Tx, files: &[StoredFile]) -> Result<()> {
        let of = |unchanged: bool| -> Vec<i64> {
            let files = files.iter().filter(|stored| stored.file.known);
            let files = files.filter(|stored| stored.unchanged == unchanged);
            files.map(|stored| stored.file.id.get()).collect()
        };
        let (changed, unchanged) = (of(false), of(true));
        if changed.is_empty() && unchanged.is_empty() {
            return Ok(());
        }
        self.kept.load(tx).await?;
        if !self.kept.any {
            return Ok(());
        }
        for_ids(tx, COPY_SHARED, &changed, "").await?;
        for (plugin, version) in &self.kept.previous {
            for (files, copied) in [(&changed, COPY_PICTURE), (&unchanged, NO_COPY)] {
                // The text holds numbers and constants only: the values of the list come first.
                let head = format!(
                    "INSERT INTO kept_readings (file_id, version_ref, size, mtime_ns, related_stamp, record_digest, \
                     group_id, picture_index, picture_offset, picture_length, record) \
                     SELECT f.file_id, {version}, f.size, f.mtime_ns, f.related_stamp, f.record_digest, \
                     CASE WHEN x.item_id = f.file_id THEN NULL ELSE x.item_id END, {copied} \
                     FROM files f JOIN item_files x ON x.file_id = f.file_id \
                     WHERE f.plugin_ref = {plugin} AND f.failure_code IS NULL AND f.record_digest IS NOT NULL \
                     AND f.file_id"
                );
                for_ids(tx, &head, files, KEEP_TAIL).await?;
            }
        }
        Ok(())
    }

    /// Deletes the kept readings of these files that are no longer of use.
    pub(super) async fn forget_readings(&self, tx: &mut Tx, files: &[StoredFile]) -> Result<()> {
        if !self.kept.any {
            return Ok(());
        }
        let known = files.iter().filter(|stored| stored.file.known);
        let known: Vec<i64> = known.map(|stored| stored.file.id.get()).collect();
        for_ids(tx, FORGET, &known, "").await
    }

    /// Gives groups that kept readings name their keys, so that restored files find the items that they were in, with
    /// their ids and user data. Returns the ids of those that no longer exist, by kind and key.
    pub(super) async fn reclaim_groups(
        &self,
        tx: &mut Tx,
        groups: &BTreeMap<i64, (i64, String)>,
    ) -> Result<BTreeMap<(i64, String), i64>> {
        let ids: Vec<i64> = groups.keys().copied().collect();
        let existing = select_ids(tx, "SELECT item_id FROM items WHERE item_id", &ids, "").await?;
        let mut gone = BTreeMap::new();
        for (item, (kind, key)) in groups {
            if existing.contains(item) {
                let sql = "UPDATE items SET group_key = $3, dirty = TRUE WHERE item_id = $1 AND kind_ref = $2 \
                           AND group_key <> $3 AND NOT EXISTS \
                           (SELECT 1 FROM items o WHERE o.kind_ref = $2 AND o.group_key = $3)";
                tx.execute(sql, &args![*item, *kind, key.clone()]).await?;
            } else {
                gone.insert((*kind, key.clone()), *item);
            }
        }
        Ok(gone)
    }

    /// The items that a rollback may bring back, of these: their user data is kept as well.
    pub(super) async fn items_that_may_return(&mut self, tx: &mut Tx, items: &[i64]) -> Result<HashSet<i64>> {
        self.kept.load(tx).await?;
        if !self.kept.any {
            return Ok(HashSet::new());
        }
        let groups = "SELECT group_id FROM kept_readings WHERE group_id";
        let mut found: HashSet<i64> = select_ids(tx, groups, items, "").await?.into_iter().collect();
        let files = "SELECT file_id FROM kept_readings WHERE group_id IS NULL AND file_id";
        found.extend(select_ids(tx, files, items, "").await?);
        Ok(found)
    }

    /// Deletes kept readings that no rollback can use, with the user data of items that only a rollback would have
    /// brought back.
    pub async fn delete_unusable_readings(&mut self) -> Result<()> {
        let versions: Vec<(i64,)> = self.db.pools().fetch_all(UNUSABLE, &[]).await?;
        for (version,) in versions {
            while self.delete_readings(version).await? {}
        }
        Ok(())
    }

    /// Deletes some kept readings of a version, and the version with the last; whether some are left.
    async fn delete_readings(&mut self, version: i64) -> Result<bool> {
        let mut tx = self.begin().await?;
        // The versions that this scan knows may be deleted.
        self.kept.clear();
        let some = "SELECT file_id, group_id FROM kept_readings WHERE version_ref = $1 LIMIT $2";
        let rows: Vec<(i64, Option<i64>)> = tx.fetch_all(some, &args![version, DELETED_AT_ONCE]).await?;
        let files: Vec<i64> = rows.iter().map(|(file, _)| *file).collect();
        for_ids(&mut tx, "DELETE FROM kept_readings WHERE file_id", &files, "").await?;
        let mut items: Vec<i64> = rows.iter().map(|(file, group)| group.unwrap_or(*file)).collect();
        items.sort_unstable();
        items.dedup();
        delete_abandoned_user_items(&mut tx, &items).await?;
        if rows.is_empty() {
            let sql = "DELETE FROM kept_versions WHERE version_ref = $1";
            tx.execute(sql, &args![version]).await?;
        }
        self.commit(tx.invalidating(Invalidation::Nothing)).await?;
        Ok(!rows.is_empty())
    }
}
