//! Shared by the tests of the movies and TV plugins: sources over generated files, and fields as text.
#![cfg(not(target_arch = "wasm32"))]

use svc_fixtures::video::{Clip, VideoFormat};
use svc_plugin_api::{Extraction, Source, Value};

/// A Matroska file of one minute with this title.
pub fn matroska(title: &str) -> Vec<u8> {
    Clip::movie(title, 60_000).encode(VideoFormat::Matroska)
}

/// A [`matroska`] file with this title as a source, with this name in these folders, outermost first.
pub fn source(name: &str, title: &str, folders: &[&str]) -> Source {
    Source::from_bytes(name, matroska(title)).with_folders(folders.iter().copied())
}

/// A field as text: `-` if it is missing, several texts joined by `|`, a date as `year-month-day`.
pub fn value(extraction: &Extraction, key: &str) -> String {
    match extraction.value(key) {
        None => "-".to_owned(),
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Texts(texts)) => texts.join("|"),
        Some(Value::Integer(integer)) => integer.to_string(),
        Some(Value::Real(real)) => real.to_string(),
        Some(Value::Date(date)) => format!("{}-{:?}-{:?}", date.year, date.month, date.day),
        Some(other) => format!("{other:?}"),
    }
}

/// The source of a field according to `field-sources`; `-` if it is missing.
pub fn origin(extraction: &Extraction, key: &str) -> String {
    let sources = value(extraction, "field-sources");
    let found = sources
        .split('|')
        .find_map(|source| source.strip_prefix(&format!("{key}=")));
    found.unwrap_or("-").to_owned()
}
