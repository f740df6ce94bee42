//! Items of kinds that plugins define, their parts and facets.

use salvo::oapi::ToSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::views::items::ProgressView;
use crate::views::kinds::UnavailableView;
use crate::views::seconds;
use crate::views::video::ChapterView;
use svc_domain::id::ItemId;
use svc_domain::kind::MediaKind;
use svc_domain::time::Timestamp;
use svc_library::item_kinds::{self, FacetCount, ItemDetails, ItemPart};

/// An item of a kind that a plugin defines.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Item"))]
#[serde(rename_all = "camelCase")]
pub struct ItemView {
    #[salvo(schema(value_type = String))]
    item_id: ItemId,
    #[salvo(schema(value_type = String))]
    kind: MediaKind,
    title: String,
    sort_title: String,
    /// Duration of all files in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
    /// Number of pages of all files.
    #[serde(skip_serializing_if = "Option::is_none")]
    page_count: Option<i64>,
    /// Number of files that the caller has access to.
    part_count: i64,
    /// Values by the key of the field. Lists contain the fields of the kind's schema; the item itself contains all fields.
    #[salvo(schema(value_type = Object))]
    fields: Map<String, Json>,
    /// URL path of its artwork; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    artwork: Option<String>,
    /// Progress of the caller; absent if the caller never played or read it. In an item with pages, `seconds` is the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressView>,
    /// Rating by the caller, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<f64>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    /// All its files were missing in the last run of the indexer.
    missing: bool,
    /// The plugin of the kind is not active; absent if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<UnavailableView>,
}

impl From<item_kinds::ItemView> for ItemView {
    fn from(view: item_kinds::ItemView) -> Self {
        let item = view.item;
        let artwork = || format!("/api/v1/items/{}/artwork", item.id);
        Self {
            created_at: item.created_at(),
            artwork: item.has_picture.then(artwork),
            item_id: item.id,
            kind: item.kind,
            title: item.title,
            sort_title: item.sort_title,
            duration: item.duration_ms.map(seconds),
            page_count: item.page_count,
            part_count: item.part_count,
            fields: item.fields,
            progress: item.user_data.playback.progress().map(ProgressView::from),
            rating: item.user_data.rating,
            missing: item.missing,
            unavailable: view.unavailable.map(UnavailableView::from),
        }
    }
}

/// An item with its chapters.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ItemDetails"))]
pub struct ItemDetailsView {
    #[serde(flatten)]
    item: ItemView,
    /// Chapters over all files; times count from the start of the first one. A file without chapters is one.
    chapters: Vec<ChapterView>,
}

impl From<ItemDetails> for ItemDetailsView {
    fn from(details: ItemDetails) -> Self {
        Self {
            item: details.view.into(),
            chapters: details.chapters.into_iter().map(ChapterView::from).collect(),
        }
    }
}

/// A file of an item.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ItemPart"))]
#[serde(rename_all = "camelCase")]
pub struct ItemPartView {
    /// Position within the item, from 1. Files that the caller has no access to leave gaps.
    number: i64,
    file_name: String,
    title: String,
    /// Duration in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_count: Option<i64>,
    /// Size of the file in bytes.
    size: i64,
    /// URL path of the file.
    stream: String,
    /// All fields of the file, by key.
    #[salvo(schema(value_type = Object))]
    fields: Map<String, Json>,
    /// Problems that did not prevent reading the file.
    warnings: Vec<String>,
    /// The file was missing in the last run of the indexer.
    missing: bool,
}

impl ItemPartView {
    /// A part of this item.
    pub fn new(item: ItemId, part: ItemPart) -> Self {
        let number = part.number;
        Self {
            number,
            file_name: part.file_name,
            duration: part.content.duration_ms.map(seconds),
            page_count: part.content.page_count(),
            title: part.content.title,
            size: part.size,
            stream: format!("/api/v1/items/{item}/stream?part={number}"),
            fields: part.content.fields,
            warnings: part.content.warnings,
            missing: part.missing,
        }
    }
}

/// A value of a field, with the number of items that have it.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Facet"))]
pub struct FacetView {
    /// Value of the parameter `filter[key]`: the text, number or boolean, the year of a date, the milliseconds of a
    /// duration.
    value: String,
    count: i64,
}

impl From<FacetCount> for FacetView {
    fn from(facet: FacetCount) -> Self {
        Self {
            value: facet.value,
            count: facet.count,
        }
    }
}
