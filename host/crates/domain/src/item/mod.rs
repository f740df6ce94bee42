//! Items of kinds that plugins define, as the store returns them. `file_content` has the metadata of one file, `content`
//! makes an item from those of its files, `record` is what the scan stores of a file, `value` orders and compares the
//! values of declared fields.

mod content;
mod file_content;
mod record;
mod value;

pub use content::{ItemContent, item_chapters, item_fields};
pub use file_content::{CHAPTERS, FileContent, PAGE_COUNT, RecordPicture};
pub use record::{ItemIdentity, ItemRecord};
pub use value::{DeclaredValues, FieldValue, ValueUse};

use serde_json::{Map, Value as Json};

use crate::id::{FileId, ItemId};
use crate::kind::MediaKind;
use crate::time::Timestamp;
use crate::user_data::UserData;

/// An item.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Id.
    pub id: ItemId,
    /// The kind.
    pub kind: MediaKind,
    /// Title.
    pub title: String,
    /// Sort key.
    pub sort_title: String,
    /// Playing time of all accessible files in milliseconds.
    pub duration_ms: Option<i64>,
    /// Pages of all accessible files.
    pub page_count: Option<i64>,
    /// Files that the caller may access.
    pub part_count: i64,
    /// Values of the declared fields.
    pub fields: Map<String, Json>,
    /// A file that the caller may access has a picture.
    pub has_picture: bool,
    /// The last scan found none of the files.
    pub missing: bool,
    /// Of the requesting user; filled in by the service.
    pub user_data: UserData,
}

impl Item {
    /// When it was first indexed.
    pub fn created_at(&self) -> Timestamp {
        self.id.created_at()
    }
}

/// A file of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemPart {
    /// The file.
    pub file: FileId,
    /// Position within the item, from 1. Files that the caller may not access leave gaps.
    pub number: i64,
    /// Without its folder.
    pub file_name: String,
    /// Bytes.
    pub size: i64,
    /// The last scan did not find the file.
    pub missing: bool,
    /// Its metadata.
    pub content: FileContent,
}

/// A value of a facet with the number of items that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FacetCount {
    /// As in the first indexed file that has it.
    pub value: String,
    /// Items with the value.
    pub count: i64,
}
