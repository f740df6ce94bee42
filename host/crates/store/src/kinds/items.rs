//! Lists of items of kinds that plugins define.

use std::collections::HashMap;

use crate::db::search_index::{SearchIndex, search_query};
use crate::kinds::{KindRepository, StoredField, StoredKind};
use crate::query::access_filter::{AccessFilter, and_in_folder, and_outside};
use crate::query::item_filter::{Filtered, ItemFilter};
use crate::query::pages::{MediaRows, Sort, in_order};
#[cfg(test)]
use crate::query::pages::{OrderCase, order_cases_within};
use crate::query::where_clause::WhereClause;
use crate::search::Hits;
use svc_database::Engine;
use svc_database::args::Arg;
use svc_database::{Result, StoreError};
use svc_domain::change::ItemType;
use svc_domain::id::ItemId;
use svc_domain::item::{FileContent, Item, ItemContent};
use svc_domain::item_kind::KindSchema;
use svc_domain::library::MediaScope;
use svc_domain::list::{ListRequest, Listing};
use svc_domain::text::query_words;
use svc_domain::user_data::UserData;

/// Items with one of several values of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetFilter {
    /// The field.
    pub field: StoredField,
    /// From [`StoredField::facet_key`]; an item with any of them passes.
    pub keys: Vec<String>,
}

/// Filter of items of one kind.
#[derive(Debug, Clone, Default)]
pub struct KindItemFilter {
    /// An item has to pass all of them.
    pub facets: Vec<FacetFilter>,
    /// Items that have, for each word of this text, a word with that prefix.
    pub query: Option<String>,
    /// Filters that all lists of items share.
    pub items: ItemFilter,
}

/// Order of a list of items. Items without a value come last in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindItemOrder {
    /// Sort title.
    Title,
    /// Time at which the item was first indexed.
    CreatedAt,
    /// A field that is declared for it, by [`StoredKind::sort_field`].
    Field(StoredField),
}

const ITEMS: MediaRows = MediaRows {
    from: "items i",
    key: "i.item_id",
};
/// Every item has a row of every field that orders lists.
pub(super) const VALUES: MediaRows = MediaRows {
    from: "item_values v",
    key: "v.item_id",
};
const BY_ID: &str = "SELECT i.item_id, i.kind_ref, i.title, i.sort_title, i.duration_ms, i.page_count, i.part_count, \
    i.fields, i.dirty, x.record FROM items i LEFT JOIN item_files x ON x.file_id = i.item_id WHERE i.item_id";
const RECORDS: &str = "SELECT x.item_id, x.record FROM item_files x JOIN files f ON f.file_id = x.file_id \
    JOIN folders o ON o.folder_id = f.folder_id WHERE x.item_id";

/// Condition that the title of the item `key` has a word that matches the pattern `$number`.
fn in_title(key: &str, number: usize) -> String {
    format!(
        "EXISTS (SELECT 1 FROM items ti WHERE ti.item_id = {key} AND (' ' || ti.sort_title) LIKE ${number})"
    )
}

const OUTSIDE: &str = "SELECT DISTINCT x.item_id FROM item_files x JOIN files f ON f.file_id = x.file_id \
    JOIN folders o ON o.folder_id = f.folder_id WHERE x.item_id";

impl KindItemOrder {
    fn sort(self) -> Sort {
        match self {
            Self::Title => Sort::text("title", "i.sort_title"),
            Self::CreatedAt => Sort::key("createdAt"),
            Self::Field(field) => Sort::text("field", "v.value").nullable().numbered(field.number),
        }
    }

    fn rows(self) -> MediaRows {
        match self {
            Self::Title | Self::CreatedAt => ITEMS,
            Self::Field(_) => VALUES,
        }
    }

    /// The rows of a kind in this order, without other conditions.
    fn base(self, kind: &StoredKind) -> WhereClause<'static> {
        match self {
            Self::Title | Self::CreatedAt => WhereClause::of(&format!("i.kind_ref = {}", kind.number)),
            Self::Field(field) => of_field(field),
        }
    }
}

pub(super) fn of_field(field: StoredField) -> WhereClause<'static> {
    WhereClause::of(&format!("v.field_ref = {}", field.number))
}

/// What a list may show, and what may be used of the items in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListAccess<'s> {
    /// The caller's scope within the libraries of the request.
    pub(super) listed: &'s MediaScope,
    pub(super) caller: &'s MediaScope,
}

impl ListAccess<'_> {
    /// Condition under which the stored values of a field may be used for the item `key`; `None` for all items.
    pub(super) fn to_values_of(self, field: StoredField, key: &str) -> Option<String> {
        if !field.differs {
            return None;
        }
        AccessFilter::Items.wholly(key, self.caller)
    }
}

impl KindItemFilter {
    /// Adds the filters to the conditions of a list, except the one on a field whose values are counted. What is
    /// stored of an item follows from all its files: values and words that not all of them have match only for callers
    /// who may access all of them.
    pub(super) fn restrict_to(
        &self,
        items: &mut WhereClause<'_>,
        (engine, key): (Engine, &'static str),
        access: ListAccess<'_>,
        counted: Option<StoredField>,
    ) {
        let scope = access.listed;
        if let Some(condition) = AccessFilter::Items.condition(key, scope) {
            items.push_condition(&condition);
        }
        for FacetFilter { field, keys } in &self.facets {
            if counted != Some(*field) {
                let before = format!(
                    "{key} IN (SELECT w.item_id FROM item_values w WHERE w.field_ref = {} AND w.value IN (",
                    field.number
                );
                items.push_in_list(&before, keys.iter().map(|key| Arg::from(key.clone())), "))");
                if let Some(condition) = access.to_values_of(*field, key) {
                    items.push_condition(&condition);
                }
            }
        }
        if let Some(text) = &self.query {
            let words = query_words(text);
            let query = search_query(engine, &words);
            if query.is_empty() {
                items.push_condition("FALSE");
            } else {
                items.push_numbered(Arg::from(query), |number| {
                    SearchIndex::ITEMS.condition(engine, key, number)
                });
                if let Some(wholly) = AccessFilter::Items.wholly(key, access.caller) {
                    // The files of an item agree in its title. Words have no wildcards.
                    let patterns = words.iter().map(|word| Arg::from(format!("% {word}%")));
                    items.push_or_all_numbered(&wholly, patterns, |number| in_title(key, number));
                }
            }
        }
        let filtered = Filtered {
            item: ItemType::Item,
            access: AccessFilter::Items,
            key,
            first_at: |moment| ItemId::first_at(moment).get(),
        };
        self.items.restrict_to(items, filtered, scope);
    }
}

#[derive(sqlx::FromRow, serde::Deserialize)]
struct ItemRow {
    item_id: i64,
    kind_ref: i64,
    title: String,
    sort_title: String,
    duration_ms: Option<i64>,
    page_count: Option<i64>,
    part_count: i64,
    fields: Option<String>,
    dirty: bool,
    record: Option<String>,
}

impl ItemRow {
    fn into_item(self, schema: &KindSchema) -> Result<Item> {
        let fields = match (self.fields, self.record) {
            (Some(fields), _) => {
                serde_json::from_str(&fields).map_err(|_| StoreError::InvalidValue("fields of an item"))?
            }
            (None, Some(record)) => {
                let mut fields = FileContent::parse(&record).fields;
                fields.retain(|key, _| schema.field(key).is_some());
                fields
            }
            (None, None) => Default::default(),
        };
        Ok(Item {
            id: self.item_id.into(),
            kind: schema.kind.clone(),
            title: self.title,
            sort_title: self.sort_title,
            duration_ms: self.duration_ms,
            page_count: self.page_count,
            part_count: self.part_count,
            fields,
            has_picture: false,
            missing: true,
            user_data: UserData::default(),
        })
    }
}

impl KindRepository {
    /// Items of a kind, missing ones included.
    pub async fn list_items(
        &self,
        scope: &MediaScope,
        kind: &StoredKind,
        filter: &KindItemFilter,
        request: &ListRequest<KindItemOrder>,
    ) -> Result<Listing<Item>> {
        let listed = &self.db.restricted_to_libraries(scope, &request.libraries).await?;
        let access = ListAccess {
            listed,
            caller: scope,
        };
        let rows = request.by.rows();
        let mut items = request.by.base(kind);
        filter.restrict_to(&mut items, (self.db.pools().engine(), rows.key), access, None);
        if let KindItemOrder::Field(field) = request.by
            && let Some(condition) = access.to_values_of(field, rows.key)
        {
            items.hide_values_unless(condition);
        }
        let order = (request.by.sort(), filter.items.shuffle);
        let page = self.db.page_in_order(rows, &items, order, request).await?;
        let items = self
            .items_by_id(listed, std::slice::from_ref(kind), &page.items)
            .await?;
        Ok(page.with_items(items))
    }

    /// An item in the scope, with its kind.
    pub async fn item(&self, scope: &MediaScope, id: ItemId) -> Result<Option<(Item, StoredKind)>> {
        let kinds = self.kinds().await?;
        let access_condition = AccessFilter::Items.and("i.item_id", scope);
        let item = self
            .items(scope, &kinds, &[id.get()], &access_condition)
            .await?
            .pop();
        Ok(item.and_then(|item| {
            let kind = kinds.into_iter().find(|kind| kind.schema.kind == item.kind)?;
            Some((item, kind))
        }))
    }

    /// The items of search hits.
    pub async fn items_of_hits(
        &self,
        scope: &MediaScope,
        kind: &StoredKind,
        hits: Hits,
    ) -> Result<Listing<Item>> {
        let items = self
            .items_by_id(scope, std::slice::from_ref(kind), &hits.items)
            .await?;
        Ok(hits.with_items(items))
    }

    /// Those of these items of which the scope may access some files only, as these files describe them.
    pub(crate) async fn partly_accessible(&self, scope: &MediaScope, ids: &[i64]) -> Result<Vec<Item>> {
        let Some(outside) = and_outside(scope) else {
            return Ok(Vec::new());
        };
        let ids: Vec<(i64,)> = self.db.rows_of_listed(OUTSIDE, ids, &outside).await?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<i64> = ids.into_iter().map(|(id,)| id).collect();
        let access_condition = AccessFilter::Items.and("i.item_id", scope);
        self.items(scope, &self.kinds().await?, &ids, &access_condition)
            .await
    }

    /// These items, in this order, without an access check.
    async fn items_by_id(&self, scope: &MediaScope, kinds: &[StoredKind], ids: &[i64]) -> Result<Vec<Item>> {
        let items = self.items(scope, kinds, ids, "").await?;
        Ok(in_order(ids, items, |item| item.id.get()))
    }

    async fn items(
        &self,
        scope: &MediaScope,
        kinds: &[StoredKind],
        ids: &[i64],
        access_condition: &str,
    ) -> Result<Vec<Item>> {
        let in_folder = and_in_folder(scope);
        let files = "SELECT x.item_id, count(*), \
             CAST(sum(CASE WHEN x.picture_index IS NOT NULL THEN 1 ELSE 0 END) AS BIGINT), \
             CAST(sum(CASE WHEN f.status <> 2 THEN 1 ELSE 0 END) AS BIGINT) \
             FROM item_files x JOIN files f ON f.file_id = x.file_id \
             JOIN folders o ON o.folder_id = f.folder_id WHERE x.item_id";
        let by_item = format!("{in_folder} GROUP BY x.item_id");
        let queries = [(BY_ID, access_condition), (files, by_item.as_str())];
        let (rows, files): (Vec<ItemRow>, Vec<(i64, i64, i64, i64)>) =
            self.db.rows_of_two_listed(queries, ids).await?;
        let mut counts: HashMap<i64, (i64, i64, i64)> = files
            .into_iter()
            .map(|(id, files, pictures, present)| (id, (files, pictures, present)))
            .collect();
        let mut items = Vec::with_capacity(rows.len());
        let mut partial = Vec::new();
        for row in rows {
            let Some(kind) = kinds.iter().find(|kind| kind.number == row.kind_ref) else {
                continue;
            };
            let is_outdated = row.dirty;
            let mut item = row.into_item(&kind.schema)?;
            let (files, pictures, present) = counts.remove(&item.id.get()).unwrap_or_default();
            (item.has_picture, item.missing) = (pictures > 0, present == 0);
            if (files != item.part_count || is_outdated) && *scope != MediaScope::All {
                partial.push(item.id.get());
            }
            items.push(item);
        }
        if !partial.is_empty() {
            self.keep_accessible(&in_folder, kinds, &partial, &mut items)
                .await?;
        }
        Ok(items)
    }

    /// Replaces what is stored of items by what follows from their accessible files.
    async fn keep_accessible(
        &self,
        in_folder: &str,
        kinds: &[StoredKind],
        ids: &[i64],
        items: &mut [Item],
    ) -> Result<()> {
        let tail = format!("{in_folder} ORDER BY x.item_id, x.part_order, x.file_id");
        let rows: Vec<(i64, String)> = self.db.rows_of_listed(RECORDS, ids, &tail).await?;
        let mut files: HashMap<i64, Vec<FileContent>> = HashMap::new();
        for (id, record) in rows {
            files.entry(id).or_default().push(FileContent::parse(&record));
        }
        for item in items {
            let kind = kinds.iter().find(|kind| kind.schema.kind == item.kind);
            if let (Some(files), Some(kind)) = (files.get(&item.id.get()), kind) {
                let content = ItemContent::of_files(&kind.schema, files);
                (item.title, item.sort_title) = (content.title, content.sort_title);
                item.duration_ms = content.duration_ms;
                item.page_count = content.page_count;
                item.part_count = i64::try_from(files.len()).unwrap_or(i64::MAX);
                item.fields = content.fields;
            }
        }
        Ok(())
    }
}

/// The statements that read a page, one per order.
#[cfg(test)]
pub(crate) fn order_cases(kind: &StoredKind, field: StoredField) -> Vec<OrderCase> {
    let orders = [
        KindItemOrder::Title,
        KindItemOrder::CreatedAt,
        KindItemOrder::Field(field),
    ];
    orders
        .into_iter()
        .flat_map(|by| order_cases_within(by.rows(), by.sort(), &by.base(kind)))
        .collect()
}
