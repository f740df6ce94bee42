//! Counts of the values of a field.

use sqlx::AssertSqlSafe;

use crate::kinds::items::{ListAccess, VALUES, of_field};
use crate::kinds::{KindItemFilter, KindRepository, StoredField};
use crate::query::access_filter::AccessFilter;
use svc_database::Result;
use svc_domain::id::LibraryId;
use svc_domain::item::{FacetCount, FieldValue};
use svc_domain::library::MediaScope;
use svc_domain::list::{Listing, Pagination};

/// The label of a value, as one of the accessible items with it has it.
const LABEL: &str = "(SELECT w.label FROM item_values w WHERE w.field_ref = ";

impl KindRepository {
    /// The values of a field with the number of items that have each, most frequent first. The filter on the field
    /// itself is ignored: several of its values can be chosen. A value that some files of an item do not have counts
    /// for callers who may access all of them.
    pub async fn item_facets(
        &self,
        scope: &MediaScope,
        field: StoredField,
        filter: &KindItemFilter,
        libraries: &[LibraryId],
        page: Pagination,
    ) -> Result<Listing<FacetCount>> {
        let listed = &self.db.restricted_to_libraries(scope, libraries).await?;
        let access = ListAccess {
            listed,
            caller: scope,
        };
        let mut values = of_field(field);
        values.push_condition("v.value IS NOT NULL");
        if let Some(condition) = access.to_values_of(field, VALUES.key) {
            values.push_condition(&condition);
        }
        let engine = self.db.pools().engine();
        filter.restrict_to(&mut values, (engine, VALUES.key), access, Some(field));
        let (sql, arguments) = values.all("SELECT count(DISTINCT v.value) FROM item_values v");
        let sql = AssertSqlSafe(sql);
        let total = if values.is_personal() {
            self.db.pools().count(sql, arguments).await?
        } else {
            self.db.cached_count(sql, arguments).await?
        };
        let select = "SELECT v.value, count(*) AS items FROM item_values v";
        let (counted, arguments) = values.grouped_page(select, "v.value", "items DESC, v.value", page);
        let (number, mut labels) = (field.number, AccessFilter::Items.and("w.item_id", scope));
        if let Some(condition) = access.to_values_of(field, "w.item_id") {
            labels = format!("{labels} AND {condition}");
        }
        let sql = format!(
            "SELECT c.value, {LABEL}{number} AND w.value = c.value{labels} ORDER BY w.item_id LIMIT 1) AS label, \
             c.items FROM ({counted}) AS c ORDER BY c.items DESC, c.value"
        );
        let rows: Vec<(String, Option<String>, i64)> =
            self.db.pools().fetch_page(AssertSqlSafe(sql), &arguments).await?;
        let facets = rows.into_iter().map(|(key, label, count)| FacetCount {
            value: field.field_type.facet_text(&FieldValue { key, label }),
            count,
        });
        Ok(Listing::new(facets.collect(), total))
    }
}
