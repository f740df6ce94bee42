//! Deletes everything that is indexed of a kind that a plugin defines, with what users added to it.

use crate::changes::{self, NewChanges};
use crate::db::search_index::SearchIndex;
use crate::index::IndexRepository;
use crate::scan_writer::ids::{for_ids, select_ids};
use crate::scan_writer::{ItemChange, ScanWriter, items};
use crate::user_items::{delete_abandoned_user_items, delete_user_items};
use svc_database::args::args;
use svc_database::{Result, Tx};
use svc_domain::change::{ChangeKind, ItemType};
use svc_domain::id::ItemId;
use svc_domain::kind::MediaKind;
use svc_domain::time::Timestamp;

// The items of built-in kinds are in other tables, so a statement that such a kind reached would leave them behind.
const FILES: &str = "SELECT f.file_id, f.folder_id FROM directories d \
    JOIN folders o ON o.directory_id = d.directory_id JOIN files f ON f.folder_id = o.folder_id \
    WHERE d.media_kind = $1 AND EXISTS (SELECT 1 FROM kinds k WHERE k.kind = $1) LIMIT 256";
/// Left by an interrupted scan.
const ITEMS_WITHOUT_FILES: &str = "SELECT i.item_id FROM items i JOIN kinds k ON k.kind_ref = i.kind_ref \
    WHERE k.kind = $1 AND NOT EXISTS (SELECT 1 FROM item_files x WHERE x.item_id = i.item_id) LIMIT 256";
const FOLDERS_WITHOUT_FILES: &str = "DELETE FROM folders WHERE folder_id IN (SELECT o.folder_id FROM directories d \
    JOIN folders o ON o.directory_id = d.directory_id \
    WHERE d.media_kind = $1 AND EXISTS (SELECT 1 FROM kinds k WHERE k.kind = $1) \
    AND NOT EXISTS (SELECT 1 FROM files f WHERE f.folder_id = o.folder_id) LIMIT 256)";
const COUNT_FILES: &str = "SELECT count(*) FROM directories d JOIN folders o ON o.directory_id = d.directory_id \
    JOIN files f ON f.folder_id = o.folder_id WHERE d.media_kind = $1";

const KEPT_GROUPS: &str =
    "SELECT DISTINCT group_id FROM kept_readings WHERE group_id IS NOT NULL AND file_id";
const ITEMS_OF_FILES: &str = "SELECT DISTINCT item_id FROM item_files WHERE file_id";
/// If the plugin comes back before the last file is deleted, the next scan has to find those of this folder.
const FORGET_DIGESTS: &str = "UPDATE folders SET stamp = NULL WHERE stamp IS NOT NULL AND folder_id";
const EMPTIED_FOLDERS: &str = "DELETE FROM folders WHERE NOT EXISTS \
    (SELECT 1 FROM files f WHERE f.folder_id = folders.folder_id) AND folder_id";
const EMPTIED_ITEMS: &str = "SELECT i.item_id FROM items i WHERE NOT EXISTS \
    (SELECT 1 FROM item_files x WHERE x.item_id = i.item_id) AND i.item_id";

/// What one transaction deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgedPart {
    /// Number of files.
    pub files: u64,
    /// Items that have no files left.
    pub items: Vec<ItemChange>,
    /// Nothing of the kind is left.
    pub is_last: bool,
}

impl IndexRepository {
    /// Number of files of a kind, including missing ones and those of directories that are no longer configured.
    pub async fn count_files_of_kind(&self, kind: &MediaKind) -> Result<u64> {
        self.db.pools().count(COUNT_FILES, &args![kind.as_str()]).await
    }
}

impl ScanWriter {
    /// Deletes some files of a kind that a plugin defines in one transaction, with their items and the user data of
    /// these. Playback queues keep their entries, as for missing files. The schema of the kind stays. No scan may run
    /// between the first and the last part.
    pub async fn purge_kind(&mut self, kind: &MediaKind, now: Timestamp) -> Result<PurgedPart> {
        let mut tx = self.begin().await?;
        let found: Vec<(i64, i64)> = tx.fetch_all(FILES, &args![kind.as_str()]).await?;
        let (files, folders): (Vec<i64>, Vec<i64>) = found.into_iter().unzip();
        let removed = if files.is_empty() {
            let rows: Vec<(i64,)> = tx.fetch_all(ITEMS_WITHOUT_FILES, &args![kind.as_str()]).await?;
            let left: Vec<i64> = rows.into_iter().map(|(id,)| id).collect();
            delete_items(&mut tx, &left).await?;
            left
        } else {
            delete_files(&mut tx, &files, folders).await?
        };
        let is_last = files.is_empty()
            && removed.is_empty()
            && tx.execute(FOLDERS_WITHOUT_FILES, &args![kind.as_str()]).await? == 0;
        let mut changes = NewChanges::default();
        changes.extend(ItemType::Item, ChangeKind::Removed, removed.iter().copied());
        changes.store(&mut tx, &mut self.texts, now).await?;
        if is_last {
            changes::prune(&mut tx).await?;
        }
        self.commit(tx).await?;
        if is_last {
            self.db.checkpoint().await?;
        }
        let item = |id: i64| ItemChange {
            id: ItemId::from(id),
            kind: kind.clone(),
            change: ChangeKind::Removed,
            access_classes: Vec::new(),
        };
        Ok(PurgedPart {
            files: files.len() as u64,
            items: removed.into_iter().map(item).collect(),
            is_last,
        })
    }
}

/// Deletes files of these folders; returns the items that have none left, which are deleted as well.
async fn delete_files(tx: &mut Tx, files: &[i64], mut folders: Vec<i64>) -> Result<Vec<i64>> {
    folders.sort_unstable();
    folders.dedup();
    let groups = select_ids(tx, KEPT_GROUPS, files, "").await?;
    let mut touched = select_ids(tx, ITEMS_OF_FILES, files, "").await?;
    touched.sort_unstable();
    touched.dedup();
    // An item with files left is counted again if the plugin comes back before they are deleted.
    items::unlink(tx, files).await?;
    for_ids(tx, FORGET_DIGESTS, &folders, "").await?;
    for_ids(tx, "DELETE FROM files WHERE file_id", files, "").await?;
    for_ids(tx, EMPTIED_FOLDERS, &folders, "").await?;
    let removed = select_ids(tx, EMPTIED_ITEMS, &touched, "").await?;
    delete_items(tx, &removed).await?;
    // User data that is kept for a rollback of the plugin: of files that were items, and of groups.
    delete_user_items(tx, ItemType::Item, files).await?;
    delete_abandoned_user_items(tx, &groups).await?;
    Ok(removed)
}

async fn delete_items(tx: &mut Tx, items: &[i64]) -> Result<()> {
    for_ids(tx, SearchIndex::ITEMS.remove(tx.engine()), items, "").await?;
    for_ids(tx, "DELETE FROM items WHERE item_id", items, "").await?;
    delete_user_items(tx, ItemType::Item, items).await
}
