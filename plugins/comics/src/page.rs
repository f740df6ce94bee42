//! One page: its media type, its size in pixels, and its bytes.

use svc_plugin_api::{ExtractError, Page, PageData, PageSize, Source, Span, picture_media_type};

use crate::comic_info::PageInfo;
use crate::zip::{Entry, Method, prefix, unpack};

/// Bytes from which media type and size are taken. A JPEG has its size behind its metadata; those that have more of it
/// have no size in the list.
const HEAD_BYTES: usize = 16 * 1024;
/// Of a size in pixels, as the interface allows.
const MAX_PIXELS: usize = 1_000_000;

/// A page: a picture in the archive, and what `ComicInfo.xml` says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    pub entry: Entry,
    pub info: PageInfo,
}

/// The page as the host lists it. Reads its start.
///
/// # Errors
/// As for [`unpack`].
pub fn describe(source: &mut Source, leaf: &Leaf) -> Result<Page, ExtractError> {
    let head = prefix(source, &leaf.entry, HEAD_BYTES)?;
    let is_stored = leaf.entry.method == Method::Stored && leaf.entry.packed == leaf.entry.size;
    let data = if is_stored {
        PageData::At(Span {
            offset: leaf.entry.data_offset(source)?,
            length: leaf.entry.size,
        })
    } else {
        PageData::OnRequest
    };
    let mut page = undescribed(leaf);
    if let Some(mime) = picture_media_type(&head) {
        page.mime = mime.to_owned();
    }
    page.size = page.size.or_else(|| size_of(&head));
    Ok(Page { data, ..page })
}

/// The page as far as the directory and `ComicInfo.xml` describe it.
pub fn undescribed(leaf: &Leaf) -> Page {
    Page {
        label: leaf.info.label(),
        mime: media_type_of_name(&leaf.entry.name)
            .unwrap_or("image/jpeg")
            .to_owned(),
        size: leaf
            .info
            .size
            .and_then(|(width, height)| size(width as usize, height as usize)),
        data: PageData::OnRequest,
    }
}

/// The bytes of the page.
///
/// # Errors
/// As for [`unpack`].
pub fn read(source: &mut Source, leaf: &Leaf) -> Result<Vec<u8>, ExtractError> {
    unpack(source, &leaf.entry)
}

/// The media type of a picture by its name; `None` if it is none that a page may have.
pub fn media_type_of_name(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "jpg" | "jpeg" | "jpe" | "jfif" => "image/jpeg",
        "png" => "image/png",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "jxl" => "image/jxl",
        "heic" | "heif" => "image/heic",
        "bmp" => "image/bmp",
        "tif" | "tiff" => "image/tiff",
        _ => return None,
    })
}

fn size_of(head: &[u8]) -> Option<PageSize> {
    let found = imagesize::blob_size(head).ok()?;
    size(found.width, found.height)
}

fn size(width: usize, height: usize) -> Option<PageSize> {
    let side = |pixels: usize| {
        let pixels = (1..=MAX_PIXELS).contains(&pixels).then_some(pixels)?;
        u32::try_from(pixels).ok()
    };
    Some(PageSize {
        width: side(width)?,
        height: side(height)?,
    })
}
