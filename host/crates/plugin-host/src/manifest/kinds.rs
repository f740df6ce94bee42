//! The tables `[[kinds]]` of a manifest: files of a media kind, and the schema of a kind that the plugin defines.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::manifest::fields;
use crate::manifest::files::MAX_FILE_TYPES;
use crate::manifest::names::{EXTENSION, MEDIA_TYPE, is_extension, is_media_type};
use crate::manifest::problem::Problems;
use crate::manifest::table::{Table, Value};
use svc_domain::item_kind::{Grouping, KindApp, KindSchema, Labels};
use svc_domain::kind::MediaKind;

/// Kinds of one plugin, at most.
const MAX_KINDS: usize = 32;
/// Keys of `group-by` and of `part-order`, at most.
const MAX_GROUP_KEYS: usize = 4;
/// The keys that define a kind. An entry that has one of them has all that are required.
const DEFINING: [&str; 6] = ["label", "app", "item", "group-by", "part-order", "fields"];

/// A media kind, and its files that the plugin reads.
#[derive(Debug, Clone)]
pub struct ManifestKind {
    /// Name of the kind such as `music`.
    pub kind: MediaKind,
    /// File extensions without the dot, in lower case.
    pub extensions: Vec<String>,
    /// Extensions of the sidecars that the plugin may read.
    pub related: Vec<String>,
    /// MIME types of the files by extension, for streams.
    pub media_types: BTreeMap<String, String>,
    /// What the plugin defines of the kind. `None` for a built-in kind and for one that another plugin defines.
    pub schema: Option<Arc<KindSchema>>,
}

/// Reads the array of kinds.
pub(super) fn read(value: &Value<'_>, plugin_id: &str, problems: &mut Problems<'_>) -> Vec<ManifestKind> {
    let mut kinds: Vec<ManifestKind> = Vec::new();
    for item in value.items(problems, 1..=MAX_KINDS) {
        let Some(kind) = item
            .table(problems)
            .and_then(|table| read_kind(table, plugin_id, problems))
        else {
            continue;
        };
        if kinds.iter().any(|other| other.kind == kind.kind) {
            item.fail(
                problems,
                format!("is a second entry for the kind `{}`", kind.kind),
            );
        }
        for field in kind.schema.iter().flat_map(|schema| &schema.fields) {
            let mut others = kinds.iter().filter_map(|other| other.schema.as_ref());
            let other = others.find_map(|schema| schema.field(&field.key));
            if other.is_some_and(|other| other.field_type != field.field_type) {
                item.fail(
                    problems,
                    format!("declares `{}` with another type than an earlier kind", field.key),
                );
            }
        }
        kinds.push(kind);
    }
    kinds
}

fn read_kind(mut table: Table<'_>, plugin_id: &str, problems: &mut Problems<'_>) -> Option<ManifestKind> {
    let kind = table.require("kind", problems);
    let kind = kind.and_then(|value| {
        let expected = "the name of a media kind: up to 32 lower-case letters and digits, a letter first";
        value.parsed(problems, |text| text.parse::<MediaKind>().ok(), expected)
    });
    let extensions = table.require("extensions", problems);
    let extensions =
        extensions.map(|value| value.texts(problems, 1..=MAX_FILE_TYPES, is_extension, EXTENSION));
    let extensions = extensions.unwrap_or_default();
    let related = table.get("related");
    let related = related.map(|value| value.texts(problems, 0..=MAX_FILE_TYPES, is_extension, EXTENSION));
    let media_types = table.get("media-types");
    let media_types = media_types.map(|value| media_types_of(&value, &extensions, problems));
    let schema = read_schema(&mut table, kind.as_ref(), plugin_id, problems);
    table.finish(problems);
    Some(ManifestKind {
        kind: kind?,
        extensions,
        related: related.unwrap_or_default(),
        media_types: media_types.unwrap_or_default(),
        schema: schema.map(Arc::new),
    })
}

fn media_types_of(
    value: &Value<'_>,
    extensions: &[String],
    problems: &mut Problems<'_>,
) -> BTreeMap<String, String> {
    let mut types = BTreeMap::new();
    let Some(table) = value.table(problems) else {
        return types;
    };
    for (extension, media_type) in table.entries() {
        if !extensions.iter().any(|known| known == extension) {
            media_type.fail(problems, "is not one of `extensions`");
        }
        let media_type = media_type.text(problems, is_media_type, MEDIA_TYPE);
        types.extend(media_type.map(|media_type| (extension.to_owned(), media_type)));
    }
    types
}

/// Reads what defines a kind; `None` if the entry defines none, or after an error.
fn read_schema(
    table: &mut Table<'_>,
    kind: Option<&MediaKind>,
    plugin_id: &str,
    problems: &mut Problems<'_>,
) -> Option<KindSchema> {
    let present = DEFINING.map(|key| table.get(key));
    let is_built_in = kind.is_some_and(|kind| MediaKind::BUILT_IN.contains(&kind.as_str()));
    if is_built_in {
        for value in present.iter().flatten() {
            let message = "does not belong to a built-in kind: the server defines its items";
            value.fail(problems, message);
        }
        return None;
    }
    if present.iter().all(Option::is_none) {
        return None;
    }
    let [label, app, item, group_by, part_order, fields] = present;
    for (key, value) in [("label", &label), ("app", &app), ("item", &item)] {
        if value.is_none() {
            table.missing(key, problems);
        }
    }
    let label: Option<(Labels, String)> = label.and_then(|value| value.labels(problems, Some("item")));
    let app = app.and_then(|value| {
        let expected = format!("one of {}", KindApp::ALL.map(KindApp::as_str).join(", "));
        value.parsed(problems, KindApp::from_name, &expected)
    });
    let fields = fields.map(|value| fields::read(&value, plugin_id, problems));
    let fields = fields.unwrap_or_default();
    let mut keys_of = |value: Option<Value<'_>>, least| {
        value.map(|value| fields::keys(&value, plugin_id, &fields, least..=MAX_GROUP_KEYS, problems))
    };
    let (by, part_order_at) = (
        group_by.as_ref().map(|value| (value.at, value.path.clone())),
        part_order.as_ref().map(|value| (value.at, value.path.clone())),
    );
    let (group_by, part_order) = (keys_of(group_by, 1), keys_of(part_order, 0));
    let grouping = match item.as_ref().and_then(Value::as_text) {
        Some("file") => {
            for (at, path) in [by, part_order_at].into_iter().flatten() {
                problems.add(at, &path, "is for `item = \"group\"` only");
            }
            Some(Grouping::File)
        }
        Some("group") => match group_by {
            Some(by) => Some(Grouping::Group {
                by,
                part_order: part_order.unwrap_or_default(),
            }),
            None => {
                let item = item.as_ref()?;
                item.fail(
                    problems,
                    "is \"group\": expected `group-by` with the keys that identify an item",
                );
                None
            }
        },
        _ => {
            if let Some(item) = &item {
                item.expect(
                    problems,
                    "`file` (each file is an item) or `group` (files with equal `group-by` are one)",
                );
            }
            None
        }
    };
    let (label, item_label) = label?;
    Some(KindSchema {
        kind: kind?.clone(),
        label,
        item_label,
        app: app?,
        grouping: grouping?,
        fields,
    })
}
