//! Stores the schemas of kinds.

use sqlx::AssertSqlSafe;

use crate::kinds::{KindRepository, StoredKind, kinds_within};
use svc_database::Tx;
use svc_database::args::args;
use svc_database::dialect::lift_statement_timeout;
use svc_database::write_queue::WritePriority;
use svc_database::{Result, StoreError};
use svc_domain::item::ValueUse;
use svc_domain::item_kind::{FieldSchema, FieldType, KindSchema};

const STORE_KIND: &str = "INSERT INTO kinds (kind_ref, kind, plugin_id, plugin_version, schema) \
    SELECT coalesce(max(kind_ref), 0) + 1, $1, $2, $3, $4 FROM kinds WHERE TRUE \
    ON CONFLICT (kind) DO UPDATE SET plugin_id = excluded.plugin_id, plugin_version = excluded.plugin_version, \
    schema = excluded.schema RETURNING kind_ref";
const ADD_FIELD: &str = "INSERT INTO kind_fields (field_ref, kind_ref, key, used_for) \
    SELECT coalesce(max(field_ref), 0) + 1, $1, $2, $3 FROM kind_fields WHERE TRUE \
    ON CONFLICT (kind_ref, key, used_for) DO UPDATE SET key = excluded.key RETURNING field_ref";
const DELETE_FIELD: &str = "DELETE FROM kind_fields WHERE field_ref = $1";
const DELETE_VALUES: &str = "DELETE FROM item_values WHERE field_ref = $1";
/// Until its files are extracted again, an item has no value of a new field, but a place in the order.
const ADD_PLACES: &str = "INSERT INTO item_values (item_id, field_ref, position, value, label) \
    SELECT i.item_id, CAST($2 AS SMALLINT), 0, NULL, NULL FROM items i WHERE i.kind_ref = $1 \
    AND NOT EXISTS (SELECT 1 FROM item_values v WHERE v.item_id = i.item_id AND v.field_ref = $2)";

/// Items are filled from their records when the scan recomputes items, whether or not their files are extracted again.
const MARK_ITEMS: &str = "UPDATE items SET dirty = TRUE WHERE kind_ref = $1 AND NOT dirty";

/// The fields of a schema for each of their uses, and whether the use orders lists.
fn uses(schema: &KindSchema) -> impl Iterator<Item = (&FieldSchema, ValueUse, bool)> {
    schema.fields.iter().flat_map(|field| {
        let (sort, facet) = (field.sort_use(), field.facet_use());
        let facet_only = facet.filter(|facet| Some(*facet) != sort);
        let sorts = sort.map(|used_for| (field, used_for, true));
        sorts
            .into_iter()
            .chain(facet_only.map(|used_for| (field, used_for, false)))
    })
}

/// What decides which values an item has.
fn declared(schema: &KindSchema) -> Vec<(&str, FieldType, ValueUse)> {
    let declared = uses(schema).map(|(field, used_for, _)| (field.key.as_str(), field.field_type, used_for));
    declared.collect()
}

impl KindRepository {
    /// Stores the schema of a kind that a plugin defines. Values of fields that it no longer declares, or with
    /// another type, are deleted; those of new fields are stored by the next scan, from the records of the files.
    pub async fn store_kind(&self, schema: &KindSchema, plugin_id: &str, plugin_version: &str) -> Result<()> {
        let json = serde_json::to_string(schema).map_err(|_| StoreError::InvalidValue("schema of a kind"))?;
        let mut tx = self.db.write(WritePriority::Interactive).await?;
        let known = kinds_within(&mut tx).await?;
        let before = known.iter().find(|known| known.schema.kind == schema.kind);
        let is_same = before.is_some_and(|before| {
            before.schema == *schema
                && before.plugin_id == plugin_id
                && before.plugin_version == plugin_version
        });
        if is_same {
            return Ok(());
        }
        lift_statement_timeout(&mut tx).await?;
        let values = args![schema.kind.as_str(), plugin_id, plugin_version, json];
        let rows: Vec<(i64,)> = tx.fetch_all(STORE_KIND, &values).await?;
        let number = rows.first().ok_or(StoreError::InvalidValue("kind"))?.0;
        if let Some(before) = before {
            delete_outdated(&mut tx, before, schema).await?;
        }
        for (field, used_for, sorts) in uses(schema) {
            let values = args![number, field.key.as_str(), used_for as i16];
            let rows: Vec<(i16,)> = tx.fetch_all(ADD_FIELD, &values).await?;
            let field = rows.first().ok_or(StoreError::InvalidValue("field of a kind"))?.0;
            if sorts {
                tx.execute(ADD_PLACES, &args![number, field]).await?;
            }
        }
        if before.is_some_and(|before| declared(&before.schema) != declared(schema)) {
            tx.execute(MARK_ITEMS, &args![number]).await?;
        }
        tx.commit().await
    }

    /// Number of items of a kind.
    pub async fn count_items(&self, kind: &StoredKind) -> Result<u64> {
        let sql = "SELECT count(*) FROM items i WHERE i.kind_ref = $1";
        self.db.pools().count(sql, &args![kind.number]).await
    }

    /// Number of items with values that lists sort or filter by, and that are deleted when this schema takes the place
    /// of the stored one.
    pub async fn count_items_losing_values(&self, kind: &StoredKind, schema: &KindSchema) -> Result<u64> {
        let fields = outdated(kind, schema).into_iter();
        let fields: Vec<String> = fields.map(|(field, _)| field.to_string()).collect();
        if fields.is_empty() {
            return Ok(0);
        }
        let sql = AssertSqlSafe(format!(
            "SELECT count(DISTINCT v.item_id) FROM item_values v WHERE v.field_ref IN ({}) AND v.value IS NOT NULL",
            fields.join(", ")
        ));
        self.db.pools().count(sql, &[]).await
    }
}

/// The stored fields whose values a schema does not keep, and whether it still uses them, with another type.
fn outdated(before: &StoredKind, schema: &KindSchema) -> Vec<(i16, bool)> {
    let fields = before.fields.iter().filter_map(|((key, used_for), field)| {
        let is_used = uses(schema).any(|(now, used, _)| now.key == *key && used == *used_for);
        let type_of = |schema: &KindSchema| schema.field(key).map(|field| field.field_type);
        let is_kept = is_used && type_of(schema) == type_of(&before.schema);
        (!is_kept).then_some((*field, is_used))
    });
    fields.collect()
}

async fn delete_outdated(tx: &mut Tx, before: &StoredKind, schema: &KindSchema) -> Result<()> {
    for (field, is_used) in outdated(before, schema) {
        tx.execute(DELETE_VALUES, &args![field]).await?;
        if !is_used {
            tx.execute(DELETE_FIELD, &args![field]).await?;
        }
    }
    Ok(())
}
