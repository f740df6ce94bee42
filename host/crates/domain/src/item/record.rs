//! The record of a file of a kind that a plugin defines: what the scan stores.

use serde_json::{Value as Json, json};

use crate::extraction::{Extraction, Picture};
use crate::item::content::ItemContent;
use crate::item::file_content::FileContent;
use crate::item::value::{integer_key, natural_key, real_key};
use crate::item_kind::{Grouping, KindSchema};
use crate::kind::MediaKind;
use crate::path::RelativePath;
use crate::text::fold;

/// Separates the parts of a composed key.
const SEPARATOR: char = '\u{1}';
/// Sorts after all values: the part order of a file without a value.
const LAST: char = '\u{10fffd}';
/// The item that a file belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemIdentity {
    /// The file is the item, with the same id.
    File,
    /// The item of all files of the kind with this key.
    Group(String),
    /// Files of the kind are grouped, but this one lacks the values: an item of its own.
    Alone,
}

/// A file of a kind that a plugin defines, ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemRecord {
    /// The kind.
    pub kind: MediaKind,
    /// The item that the file belongs to.
    pub identity: ItemIdentity,
    /// Orders the files of an item; empty if the file is the item.
    pub part_order: String,
    /// The front cover or the first picture, with its index in the file.
    pub picture: Option<(u32, Picture)>,
    /// The metadata of the file as JSON, a [`FileContent`].
    pub record: String,
    /// The item, if it has no other file.
    pub content: ItemContent,
}

impl ItemRecord {
    /// Interprets the extraction of the file `name` in `folder`, of the kind that `schema` describes.
    pub fn from_extraction(
        extraction: &Extraction,
        schema: &KindSchema,
        folder: &RelativePath,
        name: &str,
    ) -> Self {
        let pictures = &extraction.pictures;
        let front = pictures
            .iter()
            .position(|picture| picture.purpose == "front")
            .unwrap_or(0);
        let picture = u32::try_from(front).ok().zip(pictures.get(front).cloned());
        let file = FileContent::from_extraction(extraction, name);
        Self::from_content(file, picture, schema, folder, name)
    }

    /// The record of the file `name` in `folder` with this metadata.
    pub fn from_content(
        file: FileContent,
        picture: Option<(u32, Picture)>,
        schema: &KindSchema,
        folder: &RelativePath,
        name: &str,
    ) -> Self {
        let part_order = part_order(schema, &file).map_or_else(String::new, |order| {
            order + &natural_key(folder.join_text(name).as_str())
        });
        Self {
            kind: schema.kind.clone(),
            identity: identity(schema, &file),
            part_order,
            picture,
            record: json!(file).to_string(),
            content: ItemContent::of_files(schema, &[file]),
        }
    }
}

fn identity(schema: &KindSchema, file: &FileContent) -> ItemIdentity {
    let Grouping::Group { by, .. } = &schema.grouping else {
        return ItemIdentity::File;
    };
    let values: Vec<String> = by
        .iter()
        .map(|key| file.fields.get(key).map_or_else(String::new, group_value))
        .collect();
    if values.iter().all(String::is_empty) {
        ItemIdentity::Alone
    } else {
        ItemIdentity::Group(values.join(&SEPARATOR.to_string()))
    }
}

/// Equal for values that differ in nothing but case and diacritics.
fn group_value(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => fold(text),
        Json::Array(values) => values.iter().map(group_value).collect::<Vec<_>>().join("\u{2}"),
        other => other.to_string(),
    }
}

fn part_order(schema: &KindSchema, file: &FileContent) -> Option<String> {
    let Grouping::Group { part_order, .. } = &schema.grouping else {
        return None;
    };
    let mut order = String::new();
    for key in part_order {
        match file.fields.get(key).and_then(order_value) {
            Some(value) => order.push_str(&value),
            None => order.push(LAST),
        }
        order.push(SEPARATOR);
    }
    Some(order)
}

fn order_value(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(natural_key(text)),
        Json::Number(number) => number
            .as_i64()
            .map(integer_key)
            .or_else(|| number.as_f64().and_then(real_key)),
        Json::Bool(yes) => Some(u8::from(*yes).to_string()),
        Json::Array(values) => values.first().and_then(order_value),
        Json::Null | Json::Object(_) => None,
    }
}
