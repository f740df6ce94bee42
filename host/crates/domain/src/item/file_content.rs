//! The metadata of one file of a kind that a plugin defines, as the store keeps it and the API shows it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};

use crate::extraction::{Extraction, PartialDate, Value};
use crate::path::stem;

/// Number of pages of a file.
pub const PAGE_COUNT: &str = "item.page-count";
/// Chapters of a file, as JSON objects like those of `video.chapters`.
pub const CHAPTERS: &str = "item.chapters";

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
