//! Pages of documents, as plugins list them.

use crate::extraction::PictureData;

/// A page of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its name, such as `Cover`; a page without one is known by its number.
    pub label: Option<String>,
    /// MIME type in lower case: `image/…`, `text/…` or `application/pdf`.
    pub mime: String,
    /// If the plugin knows it.
    pub size: Option<PageDimensions>,
    /// Source of its bytes.
    pub data: PictureData,
}

/// Width and height of a page in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageDimensions {
    /// At least 1.
    pub width: u32,
    /// At least 1.
    pub height: u32,
}
