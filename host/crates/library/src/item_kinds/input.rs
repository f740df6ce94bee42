//! Requests of lists, checked against the schema of their kind.

use crate::item_kinds::ItemFilter;
use svc_domain::id::LibraryId;
use svc_domain::item_kind::FieldSchema;
use svc_domain::list::{Cursor, ListRequest, Order, Pagination};
use svc_identity::error::{FieldError, Result, ServiceError};
use svc_store::{FacetFilter, KindItemFilter, KindItemOrder, StoredField, StoredKind};

/// Values of a filter, at most.
const MAX_VALUES: usize = 100;

/// The filter of a list, as the client sent it.
#[derive(Debug, Default)]
pub struct KindFilter {
    /// Name of the kind.
    pub kind: String,
    /// Values by the key of a field: an item must have one of the values of each.
    pub fields: Vec<(String, Vec<String>)>,
    /// Words that the item must have.
    pub query: Option<String>,
    /// Filters that all lists of items share.
    pub items: ItemFilter,
    /// Only items of these libraries; all if empty.
    pub libraries: Vec<LibraryId>,
}

/// Input of [`ItemKinds::list`](super::ItemKinds::list).
#[derive(Debug, Default)]
pub struct ItemListRequest {
    /// Which items.
    pub filter: KindFilter,
    /// `title`, `createdAt` or the key of a field; the title if `None`.
    pub order_by: Option<String>,
    /// The direction; the default of the order if `None`.
    pub order: Option<Order>,
    /// Offset and length.
    pub page: Pagination,
    /// Start after this cursor.
    pub after: Option<Cursor>,
}

/// Input of [`ItemKinds::facets`](super::ItemKinds::facets).
#[derive(Debug, Default)]
pub struct FacetRequest {
    /// Which items.
    pub filter: KindFilter,
    /// Key of the field whose values are counted.
    pub key: String,
    /// Offset and length.
    pub page: Pagination,
}

/// The keys of the declared fields of one use, for messages.
fn keys(kind: &StoredKind, is_used: impl Fn(&FieldSchema) -> bool) -> String {
    let fields = kind.schema.fields.iter().filter(|field| is_used(field));
    let keys: Vec<&str> = fields.map(|field| field.key.as_str()).collect();
    keys.join(", ")
}

fn facet_filter(
    kind: &StoredKind,
    key: &str,
    values: &[String],
) -> std::result::Result<FacetFilter, FieldError> {
    let fail = |message: String| FieldError::new(format!("filter[{key}]"), message);
    let field = kind.facet_field(key).ok_or_else(|| {
        let keys = keys(kind, |field| field.facet);
        fail(format!(
            "is not a field that filters items of this kind; those are: {keys}"
        ))
    })?;
    if values.len() > MAX_VALUES {
        return Err(fail(format!("must hold at most {MAX_VALUES} values")));
    }
    let keys: Option<Vec<String>> = values.iter().map(|value| field.facet_key(value)).collect();
    let field_type = kind
        .schema
        .field(key)
        .map_or("text", |field| field.field_type.as_str());
    let keys = keys.ok_or_else(|| fail(format!("must be values of the type {field_type}")))?;
    Ok(FacetFilter { field, keys })
}

impl KindFilter {
    /// Resolves the keys of the fields.
    pub(super) fn check(&self, kind: &StoredKind) -> Result<KindItemFilter> {
        let (mut facets, mut errors) = (Vec::with_capacity(self.fields.len()), Vec::new());
        for (key, values) in &self.fields {
            match facet_filter(kind, key, values) {
                Ok(facet) => facets.push(facet),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(ServiceError::Invalid(errors));
        }
        Ok(KindItemFilter {
            facets,
            query: self.query.clone(),
            items: self.items.clone(),
        })
    }
}

impl ItemListRequest {
    /// Resolves the order.
    pub(super) fn check(&self, kind: &StoredKind) -> Result<ListRequest<KindItemOrder>> {
        let (by, order) = match self.order_by.as_deref() {
            None | Some("title") => (KindItemOrder::Title, Order::Ascending),
            Some("createdAt") => (KindItemOrder::CreatedAt, Order::Descending),
            Some(key) => {
                let field = kind.sort_field(key).ok_or_else(|| {
                    let keys = keys(kind, |field| field.sort);
                    let message =
                        format!("must be title, createdAt or a field that orders items of this kind: {keys}");
                    ServiceError::invalid("orderBy", message)
                })?;
                (KindItemOrder::Field(field), Order::Ascending)
            }
        };
        Ok(ListRequest {
            by,
            order: self.order.unwrap_or(order),
            page: self.page,
            after: self.after.clone(),
            libraries: self.filter.libraries.clone(),
        })
    }
}

impl FacetRequest {
    /// Resolves the field.
    pub(super) fn check(&self, kind: &StoredKind) -> Result<StoredField> {
        kind.facet_field(&self.key).ok_or_else(|| {
            let keys = keys(kind, |field| field.facet);
            let message =
                format!("is not a field whose values are counted for items of this kind; those are: {keys}");
            ServiceError::invalid("key", message)
        })
    }
}
