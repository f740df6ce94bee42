//! The record of a file of a kind that a plugin defines: what the scan stores.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::extraction::{Extraction, PartialDate, Picture, Value};
use crate::item::content::ItemContent;
use crate::item::value::{integer_key, natural_key, real_key};
use crate::item_kind::{Grouping, KindSchema};
use crate::kind::MediaKind;
use crate::path::{RelativePath, stem};
use crate::text::fold;

/// Separates the parts of a composed key.
const SEPARATOR: char = '\u{1}';
/// Sorts after all values: the part order of a file without a value.
const LAST: char = '\u{10fffd}';
/// Number of pages of a file.
pub const PAGE_COUNT: &str = "item.page-count";
/// Chapters of a file, as JSON objects like those of `video.chapters`.
pub const CHAPTERS: &str = "item.chapters";

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

/// A picture of a file, as the record tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordPicture {
    /// Such as `front`.
    pub purpose: String,
    /// MIME type.
    pub mime: String,
}

/// All metadata of a file, as the store keeps it as JSON and the API shows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FileContent {
    /// From the file, or its name without extension.
    pub title: String,
    /// Playing time in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// Coded pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
    /// Coded pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Values by key; dates are texts with their known parts, bytes are left out.
    pub fields: Map<String, Json>,
    /// In the order of the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<RecordPicture>,
    /// Problems that did not prevent reading.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl FileContent {
    /// The content of the file `name`.
    pub fn from_extraction(extraction: &Extraction, name: &str) -> Self {
        let fields = extraction.fields.iter();
        let pictures = extraction.pictures.iter();
        Self {
            title: extraction.title.clone().unwrap_or_else(|| stem(name).to_owned()),
            duration_ms: extraction.duration_ms.and_then(|ms| i64::try_from(ms).ok()),
            width: extraction.width,
            height: extraction.height,
            fields: fields
                .filter_map(|field| Some((field.key.clone(), shown(&field.value)?)))
                .collect(),
            pictures: pictures
                .map(|picture| RecordPicture {
                    purpose: picture.purpose.clone(),
                    mime: picture.mime.clone(),
                })
                .collect(),
            warnings: extraction.warnings.clone(),
        }
    }

    /// Parses stored JSON; what is not a record is an empty one.
    pub fn parse(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Number of pages, if the plugin counted them.
    pub fn page_count(&self) -> Option<i64> {
        let pages = self.fields.get(PAGE_COUNT).and_then(Json::as_i64);
        pages.filter(|pages| *pages >= 0)
    }
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
        let file = FileContent::from_extraction(extraction, name);
        let pictures = &extraction.pictures;
        let front = pictures
            .iter()
            .position(|picture| picture.purpose == "front")
            .unwrap_or(0);
        let picture = u32::try_from(front).ok().zip(pictures.get(front).cloned());
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

/// A value as the API shows it; `None` for bytes.
fn shown(value: &Value) -> Option<Json> {
    match value {
        Value::Date(date) => Some(json!(date_text(*date))),
        Value::BytesAt(_) | Value::Blob(_) => None,
        other => Some(other.to_json()),
    }
}

/// The known parts of a date in ISO 8601: `2019`, `2019-07`, `2019-07-04`, `2019-07-04T16:15:12.345+02:00`.
fn date_text(date: PartialDate) -> String {
    let mut text = format!("{:04}", date.year);
    for part in [date.month, date.day].into_iter().map_while(|part| part) {
        text.push_str(&format!("-{part:02}"));
    }
    let Some(ms) = date.time_ms.filter(|_| date.day.is_some()) else {
        return text;
    };
    let (seconds, ms) = (ms / 1000, ms % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    text.push_str(&format!("T{hour:02}:{minute:02}:{second:02}.{ms:03}"));
    if let Some(offset) = date.offset_minutes {
        let sign = if offset < 0 { '-' } else { '+' };
        let (hours, minutes) = (offset.unsigned_abs() / 60, offset.unsigned_abs() % 60);
        text.push_str(&format!("{sign}{hours:02}:{minutes:02}"));
    }
    text
}
