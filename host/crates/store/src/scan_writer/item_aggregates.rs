//! Recomputes items whose files changed after the files of a scan, and deletes those without files.

use std::collections::{BTreeMap, HashMap};

use crate::changes::NewChanges;
use crate::db::search_index::SearchIndex;
use crate::scan_writer::ids::{for_ids, ids};
use crate::scan_writer::item_content::NewContents;
use crate::scan_writer::items::record;
use crate::scan_writer::{ItemChange, ScanWriter};
use crate::text::bounded_sort;
use crate::user_items::delete_user_items;
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_database::bulk::in_lists;
use svc_database::{Result, StoreError};
use svc_domain::change::{ChangeKind, ItemType};
use svc_domain::id::ItemId;
use svc_domain::item::{FileContent, ItemContent};
use svc_domain::item_kind::Grouping;

/// Items per transaction: each may have some hundred files, whose records are read.
const DIRTY: &str = "SELECT i.item_id FROM items i WHERE i.dirty LIMIT 32";
const KINDS: &str = "SELECT i.item_id, i.kind_ref FROM items i WHERE i.item_id";
const RECORDS: &str = "SELECT x.item_id, x.record FROM item_files x WHERE x.item_id";
const IN_ORDER: &str = "ORDER BY x.item_id, x.part_order, x.file_id";
const STORE: &str = "UPDATE items SET dirty = FALSE, title = $2, sort_title = $3, duration_ms = $4, page_count = $5, \
    part_count = $6, fields = $7 WHERE item_id = $1";

impl ScanWriter {
    /// Recomputes some dirty items; returns their number.
    pub(super) async fn recompute_items(
        &mut self,
        tx: &mut Tx,
        changes: &mut NewChanges,
        outcome: &mut Vec<ItemChange>,
    ) -> Result<u64> {
        let dirty = ids(tx, DIRTY).await?;
        if dirty.is_empty() {
            return Ok(0);
        }
        self.kinds.load(tx).await?;
        let mut removed = Vec::new();
        for &item in &dirty {
            let heirs = self.renamed_items.heirs.get(&item);
            let mut heirs = heirs.filter(|heirs| heirs.len() == 1).into_iter().flatten();
            if let Some(&heir) = heirs.next().filter(|heir| self.renamed_items.new.contains(*heir))
                && let Some(kind) = take_over_files(tx, item, heir).await?
            {
                removed.push((heir, kind));
            }
        }
        let kinds: HashMap<i64, i64> = pairs(tx, KINDS, &dirty, "").await?.into_iter().collect();
        let mut files: HashMap<i64, Vec<FileContent>> = HashMap::new();
        for (item, record) in pairs::<String>(tx, RECORDS, &dirty, IN_ORDER).await? {
            files.entry(item).or_default().push(FileContent::parse(&record));
        }
        let (mut contents, mut updated) = (NewContents::default(), BTreeMap::new());
        for (item, number) in kinds {
            let kind = self.kinds.by_number(number);
            let kind = kind.ok_or(StoreError::InvalidValue("kind of an item"))?;
            let Some(files) = files.get(&item) else {
                removed.push((item, number));
                continue;
            };
            let content = ItemContent::of_files(&kind.schema, files);
            tx.execute(
                STORE,
                &item_values(item, &kind.schema.grouping, files.len(), &content),
            )
            .await?;
            contents.add(&kind, item, false, &content);
            updated.insert(item, ChangeKind::Updated);
        }
        // A new group that was taken over may be dirty itself.
        removed.sort_unstable();
        removed.dedup();
        contents.store(tx, &mut self.texts).await?;
        record(tx, &updated, changes, outcome).await?;
        self.remove_items(tx, &removed, changes, outcome).await?;
        Ok(dirty.len() as u64)
    }

    /// Deletes items, given with the numbers of their kinds.
    async fn remove_items(
        &mut self,
        tx: &mut Tx,
        items: &[(i64, i64)],
        changes: &mut NewChanges,
        outcome: &mut Vec<ItemChange>,
    ) -> Result<()> {
        let ids: Vec<i64> = items.iter().map(|(id, _)| *id).collect();
        for_ids(tx, SearchIndex::ITEMS.remove(tx.engine()), &ids, "").await?;
        for_ids(tx, "DELETE FROM items WHERE item_id", &ids, "").await?;
        let returning = self.items_that_may_return(tx, &ids).await?;
        let lost: Vec<i64> = ids.iter().copied().filter(|id| !returning.contains(id)).collect();
        delete_user_items(tx, ItemType::Item, &lost).await?;
        for (id, number) in items {
            changes.push(ItemType::Item, ChangeKind::Removed, *id);
            outcome.extend(self.kinds.by_number(*number).map(|kind| ItemChange {
                id: ItemId::from(*id),
                kind: kind.schema.kind.clone(),
                change: ChangeKind::Removed,
                access_classes: Vec::new(),
            }));
        }
        Ok(())
    }
}

fn item_values(item: i64, grouping: &Grouping, files: usize, content: &ItemContent) -> [Arg<'static>; 7] {
    let fields = match grouping {
        Grouping::File => None,
        Grouping::Group { .. } => Some(serde_json::Value::Object(content.fields.clone()).to_string()),
    };
    [
        item.into(),
        content.title.clone().into(),
        bounded_sort(&content.sort_title).to_owned().into(),
        content.duration_ms.into(),
        content.page_count.into(),
        i64::try_from(files).unwrap_or(i64::MAX).into(),
        Arg::Text(fields.map(Into::into)),
    ]
}

async fn pairs<T>(tx: &mut Tx, head: &str, items: &[i64], tail: &str) -> Result<Vec<(i64, T)>>
where
    (i64, T): svc_database::Record,
{
    let mut found = Vec::new();
    for (sql, values) in in_lists(tx.engine(), head, items, tail) {
        found.extend(tx.fetch_all::<(i64, T)>(sql, &values).await?);
    }
    Ok(found)
}

/// An item whose files all moved to one new group was renamed: it keeps its id and takes over the key and files of
/// the new one, whose kind is returned; the caller deletes it. `None` if the item has files of its own.
async fn take_over_files(tx: &mut Tx, item: i64, heir: i64) -> Result<Option<i64>> {
    let own = "SELECT count(*) FROM item_files WHERE item_id = $1";
    let own: Vec<(i64,)> = tx.fetch_all(own, &args![item]).await?;
    let new = "SELECT i.kind_ref, i.group_key FROM items i WHERE i.item_id = $1 \
               AND EXISTS (SELECT 1 FROM item_files x WHERE x.item_id = i.item_id)";
    let new: Vec<(i64, Option<String>)> = tx.fetch_all(new, &args![heir]).await?;
    let Some((kind, key)) = new.into_iter().next().filter(|_| own.first() == Some(&(0,))) else {
        return Ok(None);
    };
    for sql in [
        "UPDATE item_files SET item_id = $1 WHERE item_id = $2",
        // The key is unique, and the new group is deleted only later.
        "UPDATE items SET group_key = NULL WHERE item_id = $2 AND item_id <> $1",
    ] {
        tx.execute(sql, &args![item, heir]).await?;
    }
    let sql = "UPDATE items SET kind_ref = $2, group_key = $3 WHERE item_id = $1";
    tx.execute(sql, &[item.into(), kind.into(), Arg::Text(key.map(Into::into))])
        .await?;
    Ok(Some(kind))
}
