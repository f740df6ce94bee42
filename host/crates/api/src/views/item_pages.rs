//! Pages of items.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::id::ItemId;
use svc_library::item_pages::Page;

/// A page of an item.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ItemPage"))]
#[serde(rename_all = "camelCase")]
pub struct ItemPageView {
    /// From 1.
    number: u32,
    /// Such as `Front cover`, or the name of a chapter that starts here; absent if the page has only its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Media type: `image/…`, `text/…` or `application/pdf`.
    mime_type: String,
    /// In pixels; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    /// In pixels; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
    /// URL path of its content.
    url: String,
}

impl ItemPageView {
    /// The view of the page with this number.
    pub fn new(item: ItemId, part: Option<i64>, number: u32, page: &Page) -> Self {
        let part = part.map(|part| format!("?part={part}")).unwrap_or_default();
        Self {
            number,
            label: page.label.clone(),
            mime_type: page.mime.clone(),
            width: page.size.map(|size| size.width),
            height: page.size.map(|size| size.height),
            url: format!("/api/v1/items/{item}/pages/{number}{part}"),
        }
    }
}
