//! Kinds that plugins define.

use svc_domain::item_kind::{FieldSchema, FieldType, Grouping, KindApp, KindSchema};

/// A field that is searched, sorted and counted.
pub fn field(key: &str, field_type: FieldType) -> FieldSchema {
    FieldSchema {
        key: key.to_owned(),
        label: [("en".to_owned(), key.to_owned())].into(),
        field_type,
        search: true,
        sort: true,
        facet: true,
    }
}

/// The kind `books`, of groups of files by the fields `x.books.author` and `x.books.book`.
pub fn books(fields: Vec<FieldSchema>) -> KindSchema {
    KindSchema {
        kind: "books".parse().unwrap(),
        label: [("en".to_owned(), "Books".to_owned())].into(),
        item_label: "Book".to_owned(),
        app: KindApp::Music,
        grouping: Grouping::Group {
            by: vec!["x.books.author".to_owned(), "x.books.book".to_owned()],
            part_order: vec!["x.books.track".to_owned()],
        },
        fields,
    }
}
