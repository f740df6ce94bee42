//! The metadata of an item, made from the records of its files.

use serde_json::{Map, Value as Json};

use crate::item::file_content::{CHAPTERS, FileContent};
use crate::item::value::DeclaredValues;
use crate::item_kind::{FieldType, Grouping, KindSchema};
use crate::text::{fold, search_words, sort_key};
use crate::video::{Chapter, chapters};

/// The metadata of an item that lists, filters and search use.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemContent {
    /// Of the only file, or the group's name.
    pub title: String,
    /// Sort key.
    pub sort_title: String,
    /// Playing time of all files in milliseconds; `None` if no file has one.
    pub duration_ms: Option<i64>,
    /// Pages of all files; `None` if no file has any.
    pub page_count: Option<i64>,
    /// Words of the search index: the title and the declared fields for search.
    pub words: String,
    /// Values of the declared fields for orders and facets.
    pub values: Vec<DeclaredValues>,
    /// Values of all declared fields.
    pub fields: Map<String, Json>,
}

impl ItemContent {
    /// The item of these files, which are in the order of its parts. The first file with a value of a field
    /// determines it; several texts are collected from all files.
    pub fn of_files(schema: &KindSchema, files: &[FileContent]) -> Self {
        let (title, sort_title) = titles(schema, files);
        let mut fields = Map::new();
        for field in &schema.fields {
            let values = files.iter().filter_map(|file| file.fields.get(&field.key));
            if let Some(value) = merged(field.field_type, values) {
                fields.insert(field.key.clone(), value);
            }
        }
        let mut words = title.clone();
        for field in schema.fields.iter().filter(|field| field.search) {
            push_words(&mut words, fields.get(&field.key));
        }
        let values = schema.fields.iter();
        Self {
            words: search_words(&words),
            values: values
                .flat_map(|field| field.declared_values(fields.get(&field.key)))
                .collect(),
            duration_ms: sum(files.iter().map(|file| file.duration_ms)),
            page_count: sum(files.iter().map(FileContent::page_count)),
            title,
            sort_title,
            fields,
        }
    }
}

/// The fields of all files, declared or not, for one item's details. Chapters are left out: see [`item_chapters`].
pub fn item_fields(schema: &KindSchema, files: &[FileContent]) -> Map<String, Json> {
    let mut fields = Map::new();
    for key in files.iter().flat_map(|file| file.fields.keys()) {
        if key == CHAPTERS || fields.contains_key(key) {
            continue;
        }
        let field_type = schema
            .field(key)
            .map_or(FieldType::Text, |field| field.field_type);
        let values = files.iter().filter_map(|file| file.fields.get(key));
        fields.extend(merged(field_type, values).map(|value| (key.clone(), value)));
    }
    fields
}

/// The chapters of an item over all its files: their times count from the start of the first file. A file of several
/// that states no chapters is one chapter with its title. Chapters after a file of unknown duration are left out.
pub fn item_chapters(files: &[FileContent]) -> Vec<Chapter> {
    let (mut all, mut start) = (Vec::new(), 0_i64);
    for file in files {
        let texts = file.fields.get(CHAPTERS).and_then(Json::as_array);
        let texts = texts
            .map_or(&[][..], Vec::as_slice)
            .iter()
            .filter_map(Json::as_str);
        // Each text is a JSON object; one that is not is skipped by itself.
        let stated: Vec<Chapter> = texts.flat_map(|text| chapters(&format!("[{text}]"))).collect();
        let end = file.duration_ms.map(|duration| start.saturating_add(duration));
        if stated.is_empty() && files.len() > 1 {
            all.push(Chapter {
                start_ms: start,
                end_ms: end,
                title: Some(file.title.clone()),
            });
        }
        all.extend(stated.into_iter().map(|chapter| Chapter {
            start_ms: chapter.start_ms.saturating_add(start),
            end_ms: chapter.end_ms.map(|end| end.saturating_add(start)),
            title: chapter.title,
        }));
        match end {
            Some(end) => start = end,
            None => break,
        }
    }
    all
}

/// The title of a group is the last text that its files agree in: the book, not its author. Without any it is the last
/// number.
fn titles(schema: &KindSchema, files: &[FileContent]) -> (String, String) {
    let Some(first) = files.first() else {
        return Default::default();
    };
    if let Grouping::Group { by, .. } = &schema.grouping {
        let agreed = || by.iter().rev().filter_map(move |key| first.fields.get(key));
        // The title of one file would name the item for those who may access its other files only.
        if let Some(title) = agreed().find_map(text).or_else(|| agreed().find_map(other)) {
            let sort = sort_key(&title);
            return (title, sort);
        }
    }
    let sort = first.fields.get("title-sort").and_then(Json::as_str);
    let sort = sort.map_or_else(|| sort_key(&first.title), fold);
    (first.title.clone(), sort)
}

fn text(value: &Json) -> Option<String> {
    let texts: Vec<&str> = match value {
        Json::String(text) => vec![text.as_str()],
        Json::Array(values) => values.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let title = texts.join(", ");
    (!title.trim().is_empty()).then_some(title)
}

fn other(value: &Json) -> Option<String> {
    let is_shown = matches!(value, Json::Number(_) | Json::Bool(_) | Json::Object(_));
    is_shown.then(|| value.to_string())
}

fn merged<'a>(field_type: FieldType, mut values: impl Iterator<Item = &'a Json>) -> Option<Json> {
    let mut first = values.next()?.clone();
    if let (FieldType::Texts, Json::Array(texts)) = (field_type, &mut first) {
        for text in values.filter_map(Json::as_array).flatten() {
            if !texts.contains(text) {
                texts.push(text.clone());
            }
        }
    }
    Some(first)
}

fn push_words(words: &mut String, value: Option<&Json>) {
    match value {
        Some(Json::String(text)) => {
            words.push(' ');
            words.push_str(text);
        }
        Some(Json::Array(values)) => values.iter().for_each(|value| push_words(words, Some(value))),
        Some(Json::Number(number)) => {
            words.push(' ');
            words.push_str(&number.to_string());
        }
        _ => {}
    }
}

fn sum(values: impl Iterator<Item = Option<i64>>) -> Option<i64> {
    values.flatten().reduce(i64::saturating_add)
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
