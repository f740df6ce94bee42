//! The tables `[[kinds.fields]]` of a manifest: what lists, filters, facets and search may use.

use std::ops::RangeInclusive;

use crate::keys;
use crate::manifest::problem::Problems;
use crate::manifest::table::{Table, Value};
use svc_domain::item_kind::{FieldSchema, FieldType, MAX_FACET_FIELDS, MAX_FIELDS, MAX_SORT_FIELDS};

/// Reads the fields of a kind.
pub(super) fn read(value: &Value<'_>, plugin_id: &str, problems: &mut Problems<'_>) -> Vec<FieldSchema> {
    let mut fields: Vec<FieldSchema> = Vec::new();
    for item in value.items(problems, 0..=MAX_FIELDS) {
        let Some(field) = item
            .table(problems)
            .and_then(|table| read_field(table, plugin_id, problems))
        else {
            continue;
        };
        if fields.iter().any(|other| other.key == field.key) {
            item.fail(problems, format!("declares `{}` a second time", field.key));
        }
        fields.push(field);
    }
    for (use_name, most, count) in [
        (
            "sort",
            MAX_SORT_FIELDS,
            fields.iter().filter(|field| field.sort).count(),
        ),
        (
            "facet",
            MAX_FACET_FIELDS,
            fields.iter().filter(|field| field.facet).count(),
        ),
    ] {
        if count > most {
            value.fail(
                problems,
                format!("has {count} fields with `{use_name} = true`: at most {most} are allowed"),
            );
        }
    }
    fields
}

fn read_field(mut table: Table<'_>, plugin_id: &str, problems: &mut Problems<'_>) -> Option<FieldSchema> {
    let key = table.require("key", problems);
    let key = key.and_then(|value| read_key(&value, plugin_id, problems));
    let label = table.require("label", problems);
    let label = label.and_then(|value| value.labels(problems, None));
    let type_value = table.require("type", problems);
    let field_type = type_value.as_ref().and_then(|value| {
        let expected = format!("one of {}", FieldType::ALL.map(FieldType::as_str).join(", "));
        value.parsed(problems, FieldType::from_name, &expected)
    });
    if let (Some(key), Some(field_type), Some(value)) = (&key, field_type, &type_value)
        && let Some(known) = keys::type_of(key)
        && known != value_type(field_type)
    {
        value.fail(
            problems,
            format!("does not fit to `{key}`, whose values are {known}"),
        );
    }
    let mut uses = [("search", false), ("sort", false), ("facet", false)];
    for (name, set) in &mut uses {
        let Some(value) = table.get(name) else { continue };
        *set = value.boolean(problems).unwrap_or_default();
        let Some(field_type) = field_type.filter(|_| *set) else {
            continue;
        };
        let is_text = matches!(field_type, FieldType::Text | FieldType::Texts);
        match *name {
            "search" if !is_text => value.fail(problems, "is for text and texts only"),
            "sort" if field_type == FieldType::Texts => {
                value.fail(problems, "is not for texts: several values have no order");
            }
            "facet" if field_type == FieldType::Real => {
                value.fail(problems, "is not for real: hardly two items have the same value");
            }
            _ => {}
        }
    }
    table.finish(problems);
    let [(_, search), (_, sort), (_, facet)] = uses;
    Some(FieldSchema {
        key: key?,
        label: label?.0,
        field_type: field_type?,
        search,
        sort,
        facet,
    })
}

/// Reads an array of keys that identify or order items; each has values that can be compared.
pub(super) fn keys(
    value: &Value<'_>,
    plugin_id: &str,
    fields: &[FieldSchema],
    count: RangeInclusive<usize>,
    problems: &mut Problems<'_>,
) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for item in value.items(problems, count) {
        let Some(key) = read_key(&item, plugin_id, problems) else {
            continue;
        };
        let declared = fields.iter().find(|field| field.key == key);
        let type_name = declared.map(|field| value_type(field.field_type));
        match type_name.or_else(|| keys::type_of(&key)) {
            Some("rational" | "bytes-at" | "blob") => {
                item.fail(problems, "has values that cannot be compared");
            }
            _ if keys.contains(&key) => item.fail(problems, "is listed twice"),
            _ => keys.push(key),
        }
    }
    keys
}

/// A key of the plugin or of the common list.
fn read_key(value: &Value<'_>, plugin_id: &str, problems: &mut Problems<'_>) -> Option<String> {
    let is_valid =
        |key: &str| keys::is_key(key) && (keys::is_own(key, plugin_id) || keys::type_of(key).is_some());
    let expected = format!(
        "a common key such as `music.genres`, or one of the plugin's own such as `x.{plugin_id}.series`"
    );
    value.text(problems, is_valid, &expected)
}

/// The type of the values that a plugin returns for a field, as in `docs/plugin-keys.md`.
pub(crate) fn value_type(field_type: FieldType) -> &'static str {
    match field_type {
        FieldType::Duration => FieldType::Integer.as_str(),
        other => other.as_str(),
    }
}
