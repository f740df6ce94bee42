//! Kinds that plugins define, and their items. `items.rs` lists items, `facets.rs` counts their values, `files.rs`
//! finds their files, `schema.rs` stores the schemas.

mod facets;
mod files;
mod items;
mod schema;

use std::collections::{HashMap, HashSet};

use crate::db::Database;
use crate::text::bounded_key;
use svc_database::Tx;
use svc_database::{Result, StoreError};
use svc_domain::item::ValueUse;
use svc_domain::item_kind::{FieldType, Grouping, KindSchema};
use svc_domain::kind::MediaKind;

#[cfg(test)]
pub(super) use items::order_cases;
pub use items::{FacetFilter, KindItemFilter, KindItemOrder};

const KINDS: &str = "SELECT kind_ref, plugin_id, plugin_version, schema FROM kinds ORDER BY kind";
const FIELDS: &str = "SELECT kind_ref, field_ref, key, used_for FROM kind_fields";

type KindRow = (i64, String, String, String);
type FieldRow = (i64, i16, String, i16);

/// A kind that a plugin defines, with the numbers of its fields in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKind {
    /// Number in the store.
    pub number: i64,
    /// The plugin that defines it, or did when it was loaded last.
    pub plugin_id: String,
    /// Version of that plugin.
    pub plugin_version: String,
    /// As that version declares it.
    pub schema: KindSchema,
    fields: HashMap<(String, ValueUse), i16>,
}

/// A declared field that orders, filters or counts items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredField {
    number: i16,
    field_type: FieldType,
    /// The value of an item can follow from some of its files only, to which a caller may have no access.
    differs: bool,
}

impl StoredField {
    /// The key of a value that a client filters by; `None` if the text is not a value of the field's type.
    pub fn facet_key(self, text: &str) -> Option<String> {
        self.field_type.facet_key(text).map(bounded_key)
    }
}

impl StoredKind {
    /// The field that orders lists by this key; `None` if it is not declared for that.
    pub fn sort_field(&self, key: &str) -> Option<StoredField> {
        let field = self.schema.field(key)?;
        self.stored(key, field.field_type, field.sort_use()?)
    }

    /// The field that filters by this key; `None` if it is not declared for that.
    pub fn facet_field(&self, key: &str) -> Option<StoredField> {
        let field = self.schema.field(key)?;
        self.stored(key, field.field_type, field.facet_use()?)
    }

    fn stored(&self, key: &str, field_type: FieldType, used_for: ValueUse) -> Option<StoredField> {
        let number = self.number_of(key, used_for)?;
        let differs = match &self.schema.grouping {
            Grouping::File => false,
            Grouping::Group { by, .. } => !by.iter().any(|agreed| agreed == key),
        };
        Some(StoredField {
            number,
            field_type,
            differs,
        })
    }

    /// The number of a field for one use.
    pub(crate) fn number_of(&self, key: &str, used_for: ValueUse) -> Option<i16> {
        self.fields.get(&(key.to_owned(), used_for)).copied()
    }
}

fn assemble(kinds: Vec<KindRow>, fields: Vec<FieldRow>) -> Result<Vec<StoredKind>> {
    let mut stored = Vec::with_capacity(kinds.len());
    for (number, plugin_id, plugin_version, schema) in kinds {
        let own = fields.iter().filter(|(kind, ..)| *kind == number);
        let field = |(_, field, key, used_for): &FieldRow| -> Result<_> {
            let used_for =
                ValueUse::from_number(*used_for).ok_or(StoreError::InvalidValue("use of a field"))?;
            Ok(((key.clone(), used_for), *field))
        };
        stored.push(StoredKind {
            number,
            plugin_id,
            plugin_version,
            schema: serde_json::from_str(&schema)
                .map_err(|_| StoreError::InvalidValue("schema of a kind"))?,
            fields: own.map(field).collect::<Result<_>>()?,
        });
    }
    Ok(stored)
}

/// All kinds, within a transaction.
pub(crate) async fn kinds_within(tx: &mut Tx) -> Result<Vec<StoredKind>> {
    let kinds = tx.fetch_all(KINDS, &[]).await?;
    assemble(kinds, tx.fetch_all(FIELDS, &[]).await?)
}

/// Kinds that plugins define, and their items.
#[derive(Debug, Clone)]
pub struct KindRepository {
    pub(crate) db: Database,
}

impl KindRepository {
    /// All kinds that were ever stored, by name.
    pub async fn kinds(&self) -> Result<Vec<StoredKind>> {
        let queries = [KINDS.to_owned(), FIELDS.to_owned()];
        let (kinds, fields) = self.db.pools().fetch_pages_of_two(queries, &[]).await?;
        assemble(kinds, fields)
    }

    /// The kind with this name.
    pub async fn kind(&self, kind: &MediaKind) -> Result<Option<StoredKind>> {
        let kinds = self.kinds().await?.into_iter();
        Ok(kinds.into_iter().find(|stored| stored.schema.kind == *kind))
    }

    /// The subset of these items whose kinds are played.
    pub async fn playable_items(&self, ids: &[i64]) -> Result<HashSet<i64>> {
        let played: HashSet<i64> = (self.kinds().await?.into_iter())
            .filter(|kind| kind.schema.is_played())
            .map(|kind| kind.number)
            .collect();
        let select = "SELECT i.item_id, i.kind_ref FROM items i WHERE i.item_id";
        let rows: Vec<(i64, i64)> = self.db.rows_of_listed(select, ids, "").await?;
        let playable = rows.into_iter().filter(|(_, kind)| played.contains(kind));
        Ok(playable.map(|(id, _)| id).collect())
    }
}
