//! Kinds that plugins define.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use svc_domain::item_kind::{FieldSchema, FieldType, Grouping, KindSchema, Labels};
use svc_domain::kind::MediaKind;
use svc_library::item_kinds::KindDetails;

/// The plugin that defines a kind.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "KindPlugin"))]
#[serde(rename_all = "camelCase")]
struct KindPluginView {
    plugin_id: String,
    /// Version of the plugin when it was loaded last.
    version: String,
}

/// Why the items of a kind cannot be read at the moment. They stay in the index.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[salvo(schema(name = "Unavailable"))]
pub struct UnavailableView {
    reason: String,
}

impl From<String> for UnavailableView {
    fn from(reason: String) -> Self {
        Self { reason }
    }
}

/// A kind that a plugin defines.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Kind"))]
#[serde(rename_all = "camelCase")]
pub struct KindView {
    /// Name of the kind, such as `comics`.
    #[salvo(schema(value_type = String))]
    kind: MediaKind,
    /// Names of the kind by language.
    label: BTreeMap<String, String>,
    /// Name of one item, such as `Comic`.
    item_label: String,
    /// The app that shows the kind: `music`, `photos` or `cinema`.
    app: &'static str,
    plugin: KindPluginView,
    /// `active`, or why its files are not read: `no_plugin`, `plugin_disabled`, `plugin_waiting`, `plugin_quarantined`,
    /// `plugin_incompatible` or `plugin_failed`.
    state: &'static str,
    /// Absent if the plugin is active.
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<UnavailableView>,
    /// Items are played, and can be added to playback queues.
    playable: bool,
    /// Items have pages, which can be listed and fetched.
    pages: bool,
    /// An item may consist of several files.
    grouped: bool,
    /// JSON Schema of `fields` of an item. In each property, `x-sort` says whether lists can be ordered by the field,
    /// `x-facet` whether they can be filtered by its values, `x-search` whether search finds its words, `x-type` is its
    /// type in the plugin's manifest, and `x-label` its names by language.
    #[salvo(schema(value_type = Object))]
    schema: Json,
}

impl From<KindDetails> for KindView {
    fn from(details: KindDetails) -> Self {
        let KindDetails {
            kind,
            state,
            has_pages,
        } = details;
        let schema = json_schema(&kind.schema);
        let KindSchema {
            label,
            item_label,
            app,
            grouping,
            ..
        } = &kind.schema;
        Self {
            label: label.clone(),
            item_label: item_label.clone(),
            app: app.as_str(),
            state: state.code(),
            unavailable: state.reason().map(|reason| reason.to_owned().into()),
            playable: kind.schema.is_played(),
            pages: has_pages,
            grouped: *grouping != Grouping::File,
            schema,
            plugin: KindPluginView {
                plugin_id: kind.plugin_id,
                version: kind.plugin_version,
            },
            kind: kind.schema.kind,
        }
    }
}

/// A name in English, or in the first language.
pub(super) fn title(label: &Labels) -> Option<&String> {
    label.get("en").or_else(|| label.values().next())
}

/// JSON Schema of the fields of items.
pub(super) fn json_schema(schema: &KindSchema) -> Json {
    let properties: Map<String, Json> = schema
        .fields
        .iter()
        .map(|field| (field.key.clone(), property(field)))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "title": schema.item_label,
        "properties": properties,
    })
}

fn property(field: &FieldSchema) -> Json {
    let mut property = json!({
        "title": title(&field.label),
        "x-label": field.label,
        "x-type": field.field_type.as_str(),
        "x-sort": field.sort,
        "x-facet": field.facet,
        "x-search": field.search,
    });
    let constraints = match field.field_type {
        FieldType::Text => json!({ "type": "string" }),
        FieldType::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        FieldType::Integer => json!({ "type": "integer" }),
        FieldType::Real => json!({ "type": "number" }),
        FieldType::Boolean => json!({ "type": "boolean" }),
        FieldType::Date => json!({ "type": "string", "description": "ISO 8601, as far as it is known" }),
        FieldType::Duration => json!({ "type": "integer", "description": "milliseconds" }),
    };
    if let (Json::Object(property), Json::Object(constraints)) = (&mut property, constraints) {
        property.extend(constraints);
    }
    property
}
