//! Files of kinds that plugins define: their items, found or added, with the files that belong to each.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::changes::NewChanges;
use crate::kinds::{StoredKind, kinds_within};
use crate::scan_writer::ids::for_ids;
use crate::scan_writer::item_content::NewContents;
use crate::scan_writer::{ItemChange, PersistOutcome, ScanWriter, StoredFile, rows};
use crate::text::{bounded_key, bounded_sort};
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_database::bulk::in_lists;
use svc_database::{Result, StoreError};
use svc_domain::change::{ChangeKind, ItemType};
use svc_domain::extraction::{PictureData, Span};
use svc_domain::id::ItemId;
use svc_domain::item::{ItemIdentity, ItemRecord};
use svc_domain::kind::MediaKind;
use svc_domain::scan::FileRecord;
use svc_domain::time::Timestamp;

/// Groups that lost files to others in this scan: one that lost all to a single new group was renamed.
#[derive(Debug, Default)]
pub(super) struct RenamedItems {
    pub(super) heirs: HashMap<i64, HashSet<i64>>,
    pub(super) new: HashSet<i64>,
}

/// The kinds in the store, as this scan found them.
#[derive(Debug, Default)]
pub(super) struct KnownKinds(Vec<Arc<StoredKind>>);

impl KnownKinds {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) async fn load(&mut self, tx: &mut Tx) -> Result<()> {
        if self.0.is_empty() {
            self.0 = kinds_within(tx).await?.into_iter().map(Arc::new).collect();
        }
        Ok(())
    }

    pub(super) fn by_number(&self, number: i64) -> Option<Arc<StoredKind>> {
        self.0.iter().find(|kind| kind.number == number).cloned()
    }

    fn by_name(&self, name: &MediaKind) -> Result<Arc<StoredKind>> {
        let known = self.0.iter().find(|kind| kind.schema.kind == *name);
        // The composition root stores the schemas of all plugins before a scan can start.
        known.cloned().ok_or(StoreError::InvalidValue("kind of an item"))
    }
}

/// A file with its kind and the key of its group.
struct KeyedFile<'a> {
    file: i64,
    kind: Arc<StoredKind>,
    record: &'a ItemRecord,
    /// `None` if the file is the item.
    group: Option<String>,
    /// The group that it was in when a kept reading was made.
    kept_group: Option<i64>,
}

impl<'a> KeyedFile<'a> {
    fn new(stored: &StoredFile, kind: Arc<StoredKind>, record: &'a ItemRecord) -> Self {
        let file = stored.file.id.get();
        let group = match &record.identity {
            ItemIdentity::File => None,
            ItemIdentity::Group(key) => Some(bounded_key(format!("g/{key}"))),
            ItemIdentity::Alone => Some(format!("f/{file}")),
        };
        Self {
            file,
            kind,
            record,
            group,
            kept_group: stored.kept_group.map(ItemId::get),
        }
    }
}

/// Marks the items of deleted files as dirty.
pub(super) async fn unlink(tx: &mut Tx, files: &[i64]) -> Result<()> {
    let head = "UPDATE items SET dirty = TRUE WHERE NOT dirty AND item_id IN \
                (SELECT item_id FROM item_files WHERE file_id";
    for_ids(tx, head, files, ")").await
}

/// Records the changes of the items of files that went missing or are back.
pub(super) async fn record_marks(
    tx: &mut Tx,
    files: &[i64],
    kind: ChangeKind,
    changes: &mut NewChanges,
    outcome: &mut PersistOutcome,
) -> Result<()> {
    let head = "SELECT DISTINCT x.item_id, EXISTS (SELECT 1 FROM item_files y JOIN files f ON f.file_id = y.file_id \
                WHERE y.item_id = x.item_id AND f.status <> 2) FROM item_files x WHERE x.file_id";
    let mut changed = BTreeMap::new();
    for (sql, values) in in_lists(tx.engine(), head, files, "") {
        let found: Vec<(i64, bool)> = tx.fetch_all(sql, &values).await?;
        changed.extend(found.into_iter().map(|(id, present)| {
            // An item that lost one of several files is not missing.
            let is_missing = kind == ChangeKind::Missing && !present;
            let is_restored = kind == ChangeKind::Restored;
            (
                id,
                if is_missing || is_restored {
                    kind
                } else {
                    ChangeKind::Updated
                },
            )
        }));
    }
    record(tx, &changed, changes, &mut outcome.items).await
}

/// Adds changes of items, with their kinds and the access classes of their folders.
pub(super) async fn record(
    tx: &mut Tx,
    changed: &BTreeMap<i64, ChangeKind>,
    changes: &mut NewChanges,
    outcome: &mut Vec<ItemChange>,
) -> Result<()> {
    let ids: Vec<i64> = changed.keys().copied().collect();
    let head = "SELECT DISTINCT i.item_id, k.kind, o.access_class FROM items i JOIN kinds k ON k.kind_ref = i.kind_ref \
                JOIN item_files x ON x.item_id = i.item_id JOIN files f ON f.file_id = x.file_id \
                JOIN folders o ON o.folder_id = f.folder_id WHERE i.item_id";
    let mut classes: BTreeMap<i64, (String, Vec<i64>)> = BTreeMap::new();
    for (sql, values) in in_lists(tx.engine(), head, &ids, "") {
        let found: Vec<(i64, String, i64)> = tx.fetch_all(sql, &values).await?;
        for (id, kind, class) in found {
            classes
                .entry(id)
                .or_insert_with(|| (kind, Vec::new()))
                .1
                .push(class);
        }
    }
    for (id, change) in changed {
        changes.push(ItemType::Item, *change, *id);
        if let Some((kind, classes)) = classes.remove(id) {
            outcome.push(ItemChange {
                id: ItemId::from(*id),
                kind: kind.parse().map_err(|_| StoreError::InvalidValue("media kind"))?,
                change: *change,
                access_classes: classes,
            });
        }
    }
    Ok(())
}

impl ScanWriter {
    pub(super) async fn store_items(
        &mut self,
        tx: &mut Tx,
        files: &[&StoredFile],
        now: Timestamp,
        changes: &mut NewChanges,
        outcome: &mut PersistOutcome,
    ) -> Result<()> {
        if !files
            .iter()
            .any(|stored| matches!(stored.file.record, FileRecord::Item(_)))
        {
            return Ok(());
        }
        self.kinds.load(tx).await?;
        let (mut keyed, mut known) = (Vec::with_capacity(files.len()), Vec::new());
        for stored in files {
            let file = &stored.file;
            if let FileRecord::Item(record) = &file.record {
                let kind = self.kinds.by_name(&record.kind)?;
                keyed.push(KeyedFile::new(stored, kind, record));
                known.extend(file.known.then_some(file.id.get()));
            }
        }
        let before = items_before(tx, &known).await?;
        let mut changed = BTreeMap::new();
        let groups = self.store_groups(tx, &keyed, now, &mut changed).await?;
        self.store_file_items(tx, &keyed, &before, &mut changed).await?;
        let mut values = Vec::with_capacity(keyed.len() * rows::ITEM_FILES.columns);
        let mut left = Vec::new();
        for file in &keyed {
            let item = match &file.group {
                None => file.file,
                Some(key) => *groups
                    .get(&(file.kind.number, key.clone()))
                    .ok_or(StoreError::InvalidValue("item of a file"))?,
            };
            values.extend(file_values(file, item));
            if let Some(&old) = before.get(&file.file).filter(|old| **old != item) {
                left.push(old);
                self.renamed_items.heirs.entry(old).or_default().insert(item);
            }
        }
        for_ids(
            tx,
            "UPDATE items SET dirty = TRUE WHERE NOT dirty AND item_id",
            &left,
            "",
        )
        .await?;
        self.texts.execute(tx, &rows::ITEM_FILES, &values).await?;
        record(tx, &changed, changes, &mut outcome.items).await
    }

    /// Finds or adds the groups of files; all of them are dirty afterwards. Returns their ids by kind and key.
    async fn store_groups(
        &mut self,
        tx: &mut Tx,
        files: &[KeyedFile<'_>],
        now: Timestamp,
        changed: &mut BTreeMap<i64, ChangeKind>,
    ) -> Result<HashMap<(i64, String), i64>> {
        let mut firsts: BTreeMap<(i64, &str), &KeyedFile<'_>> = BTreeMap::new();
        let mut kept = BTreeMap::new();
        for file in files {
            if let Some(key) = &file.group {
                firsts.entry((file.kind.number, key.as_str())).or_insert(file);
                kept.extend(
                    file.kept_group
                        .map(|group| (group, (file.kind.number, key.clone()))),
                );
            }
        }
        let returning = self.reclaim_groups(tx, &kept).await?;
        let mut values = Vec::with_capacity(firsts.len() * rows::GROUP_ITEMS.columns);
        let mut proposed = HashMap::with_capacity(firsts.len());
        for ((kind, key), file) in &firsts {
            let known = returning.get(&(*kind, (*key).to_owned()));
            let id = known.map_or_else(|| self.ids.next::<ItemId>(now).get(), |known| *known);
            let content = &file.record.content;
            proposed.insert(id, *file);
            values.extend(args![
                id,
                *kind,
                *key,
                content.title.as_str(),
                bounded_sort(&content.sort_title),
                content.duration_ms,
                content.page_count,
                serde_json::Value::Object(content.fields.clone()).to_string(),
            ]);
        }
        let stored: Vec<(i64, i64, String)> = self.texts.fetch(tx, &rows::GROUP_ITEMS, &values).await?;
        let mut contents = NewContents::default();
        let mut ids = HashMap::with_capacity(stored.len());
        for (id, kind, key) in stored {
            // Until its files are counted, a new group says what its first file says.
            if let Some(file) = proposed.get(&id) {
                contents.add(&file.kind, id, true, &file.record.content);
                if !kept.contains_key(&id) {
                    self.renamed_items.new.insert(id);
                }
                changed.insert(id, ChangeKind::Added);
            } else {
                changed.insert(id, ChangeKind::Updated);
            }
            ids.insert((kind, key), id);
        }
        contents.store(tx, &mut self.texts).await?;
        Ok(ids)
    }

    async fn store_file_items(
        &mut self,
        tx: &mut Tx,
        files: &[KeyedFile<'_>],
        before: &HashMap<i64, i64>,
        changed: &mut BTreeMap<i64, ChangeKind>,
    ) -> Result<()> {
        let mut values = Vec::new();
        let mut contents = NewContents::default();
        for file in files.iter().filter(|file| file.group.is_none()) {
            let content = &file.record.content;
            values.extend(args![
                file.file,
                file.kind.number,
                content.title.as_str(),
                bounded_sort(&content.sort_title),
                content.duration_ms,
                content.page_count,
            ]);
            let is_new = before.get(&file.file) != Some(&file.file);
            contents.add(&file.kind, file.file, is_new, content);
            let change = if is_new {
                ChangeKind::Added
            } else {
                ChangeKind::Updated
            };
            changed.insert(file.file, change);
        }
        self.texts.execute(tx, &rows::FILE_ITEMS, &values).await?;
        contents.store(tx, &mut self.texts).await
    }
}

/// The items of known files, by file.
async fn items_before(tx: &mut Tx, files: &[i64]) -> Result<HashMap<i64, i64>> {
    let mut before = HashMap::new();
    let head = "SELECT file_id, item_id FROM item_files WHERE file_id";
    for (sql, values) in in_lists(tx.engine(), head, files, "") {
        before.extend(tx.fetch_all::<(i64, i64)>(sql, &values).await?);
    }
    Ok(before)
}

fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn file_values<'a>(file: &KeyedFile<'a>, item: i64) -> [Arg<'a>; 8] {
    let picture = file.record.picture.as_ref();
    let span = picture.and_then(|(_, picture)| match picture.data {
        PictureData::At(Span { offset, length }) => Some((stored(offset), stored(length))),
        PictureData::OnRequest => None,
    });
    args![
        file.file,
        item,
        bounded_key(file.record.part_order.clone()),
        picture.map(|(index, _)| i32::try_from(*index).unwrap_or(i32::MAX)),
        span.map(|(offset, _)| offset),
        span.map(|(_, length)| length),
        picture.map(|(_, picture)| picture.mime.as_str()),
        file.record.record.as_str(),
    ]
}
