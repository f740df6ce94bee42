//! Tests of items made from the records of files.

use serde_json::json;

use super::*;
use crate::extraction::{Extraction, Field, PartialDate, Picture, PictureData, Value};
use crate::item::record::{ItemIdentity, ItemRecord};
use crate::item_kind::{FieldSchema, KindApp};
use crate::path::RelativePath;

fn field(key: &str, field_type: FieldType) -> FieldSchema {
    FieldSchema {
        key: key.to_owned(),
        label: [("en".to_owned(), key.to_owned())].into(),
        field_type,
        search: true,
        sort: true,
        facet: true,
    }
}

fn books() -> KindSchema {
    KindSchema {
        kind: "books".parse().unwrap(),
        label: [("en".to_owned(), "Books".to_owned())].into(),
        item_label: "Book".to_owned(),
        app: KindApp::Music,
        grouping: Grouping::Group {
            by: vec!["x.b.author".to_owned(), "x.b.book".to_owned()],
            part_order: vec!["x.b.disc".to_owned(), "x.b.track".to_owned()],
        },
        fields: vec![
            field("x.b.author", FieldType::Text),
            field("x.b.narrators", FieldType::Texts),
            field("x.b.published", FieldType::Date),
        ],
    }
}

fn extraction(fields: &[(&str, Value)]) -> Extraction {
    let field = |(key, value): &(&str, Value)| Field {
        key: (*key).to_owned(),
        value: value.clone(),
    };
    Extraction {
        duration_ms: Some(1000),
        fields: fields.iter().map(field).collect(),
        ..Extraction::default()
    }
}

fn record(fields: &[(&str, Value)], path: &str) -> ItemRecord {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = RelativePath::from_stored(folder.to_owned());
    ItemRecord::from_extraction(&extraction(fields), &books(), &folder, name)
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn files_with_equal_values_are_one_item_in_natural_order() {
    let part = |track: i64, path: &str| {
        let fields = [
            ("x.b.author", text("Ann Ö")),
            ("x.b.book", text("The Book")),
            ("x.b.track", Value::Integer(track)),
        ];
        record(&fields, path)
    };
    let first = part(2, "a/one.mp3");
    assert!(matches!(first.identity, ItemIdentity::Group(_)));
    let other_case = record(
        &[("x.b.author", text("ANN O")), ("x.b.book", text("the book"))],
        "b/x 2.mp3",
    );
    assert_eq!(first.identity, other_case.identity);
    let mut parts = [
        part(10, "b.mp3"),
        other_case,
        part(2, "b 10.mp3"),
        part(2, "b 9.mp3"),
        first,
    ];
    parts.sort_by(|a, b| a.part_order.cmp(&b.part_order));
    let orders: Vec<&str> = parts.iter().map(|part| part.part_order.as_str()).collect();
    assert!(orders[0].ends_with("a/one.mp3".replace('3', "13").as_str()));
    assert!(orders[1].contains("b 19") && orders[2].contains("b 210"));
    assert!(orders[4].contains("x 12"), "a file without a number comes last");
    assert_eq!(first_title(&parts[0]), ("The Book".to_owned(), "book".to_owned()));
}

fn first_title(record: &ItemRecord) -> (String, String) {
    (record.content.title.clone(), record.content.sort_title.clone())
}

#[test]
fn group_without_a_common_text_is_named_by_its_number() {
    let mut schema = books();
    schema.grouping = Grouping::Group {
        by: vec!["x.b.number".to_owned()],
        part_order: Vec::new(),
    };
    let mut extraction = extraction(&[("x.b.number", Value::Integer(7))]);
    extraction.title = Some("Title of one file".to_owned());
    let record = ItemRecord::from_extraction(&extraction, &schema, &RelativePath::root(), "x.mp3");
    assert_eq!(first_title(&record), ("7".to_owned(), "7".to_owned()));
}

#[test]
fn file_without_the_values_is_an_item_of_its_own() {
    let alone = record(&[], "a/Some File.mp3");
    assert_eq!(alone.identity, ItemIdentity::Alone);
    assert_eq!(
        first_title(&alone),
        ("Some File".to_owned(), "some file".to_owned())
    );
    let mut schema = books();
    schema.grouping = Grouping::File;
    let file = ItemRecord::from_extraction(&extraction(&[]), &schema, &RelativePath::root(), "x.mp3");
    assert_eq!(file.identity, ItemIdentity::File);
}

#[test]
fn item_collects_the_values_of_its_files() {
    let date = PartialDate {
        year: 1999,
        month: Some(3),
        day: None,
        time_ms: None,
        offset_minutes: None,
    };
    let texts = |names: &[&str]| Value::Texts(names.iter().map(|&name| name.to_owned()).collect());
    let files = [
        record(&[("x.b.book", text("B")), ("x.b.narrators", texts(&["N1"]))], "1"),
        record(
            &[
                ("x.b.narrators", texts(&["N2", "N1"])),
                ("x.b.published", Value::Date(date)),
                ("x.other", Value::Integer(3)),
            ],
            "2",
        ),
    ];
    let files = files.map(|file| FileContent::parse(&file.record));
    let item = ItemContent::of_files(&books(), &files);
    assert_eq!(
        item.fields.get("x.b.narrators"),
        Some(&serde_json::json!(["N1", "N2"]))
    );
    assert_eq!(
        item.fields.get("x.b.published"),
        Some(&serde_json::json!("1999-03"))
    );
    assert_eq!(item.fields.get("x.other"), None, "is not declared");
    assert_eq!(
        item_fields(&books(), &files).get("x.other"),
        Some(&serde_json::json!(3))
    );
    assert_eq!((item.duration_ms, item.page_count), (Some(2000), None));
    assert_eq!(item.words, "b n1 n2 1999 03");
}

#[test]
fn chapters_count_from_the_start_of_the_first_file() {
    let chapter = |text: &str| Value::Texts(vec![text.to_owned(), "no json".to_owned()]);
    let file = |fields: &[(&str, Value)], name| FileContent::parse(&record(fields, name).record);
    let files = [
        file(&[], "One.mp3"),
        file(
            &[("item.chapters", chapter(r#"{"startMs":200,"title":"Two"}"#))],
            "2.mp3",
        ),
        file(&[], "3.mp3"),
    ];
    let chapters: Vec<_> = item_chapters(&files)
        .into_iter()
        .map(|chapter| (chapter.start_ms, chapter.end_ms, chapter.title.unwrap()))
        .collect();
    let expected = [
        (0, Some(1000), "One".to_owned()),
        (1200, None, "Two".to_owned()),
        (2000, Some(3000), "3".to_owned()),
    ];
    assert_eq!(chapters, expected);
    assert!(
        item_chapters(&files[..1]).is_empty(),
        "a single file is no chapter"
    );
}

#[test]
fn record_keeps_everything_but_bytes() {
    let mut full = extraction(&[("x.a", Value::Blob(vec![1])), ("x.c", Value::Boolean(true))]);
    full.title = Some("T".to_owned());
    full.pictures = vec![Picture {
        purpose: "back".to_owned(),
        mime: "image/png".to_owned(),
        data: PictureData::OnRequest,
    }];
    full.warnings = vec!["odd".to_owned()];
    let item = ItemRecord::from_extraction(&full, &books(), &RelativePath::root(), "n.mp3");
    let record: serde_json::Value = serde_json::from_str(&item.record).unwrap();
    let pictures = json!([{"purpose": "back", "mime": "image/png"}]);
    assert_eq!(
        record,
        json!({"title": "T", "durationMs": 1000, "fields": {"x.c": true}, "pictures": pictures, "warnings": ["odd"]})
    );
    assert_eq!(FileContent::parse(&item.record).title, "T");
    assert_eq!(item.picture.map(|(index, _)| index), Some(0));
}
