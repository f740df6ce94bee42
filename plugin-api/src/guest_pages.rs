//! The trait of plugins whose files have pages, and the functions that run it.

use crate::guest::failed;
use crate::{ExtractError, Page, PageData, Source};

/// The most bytes that a page may have: 64 MiB.
pub const MAX_PAGE_BYTES: usize = 64 * 1024 * 1024;
/// The most pages that a list may have.
pub const MAX_PAGES: usize = 10_000;

/// Lists and reads the pages of documents: comics, scores, scanned books.
///
/// ```
/// use svc_plugin_api::{ExtractError, Page, PageData, Pages, Source, Span};
///
/// /// Pages of 100 bytes each, one after the other.
/// struct Slides;
///
/// impl Pages for Slides {
///     fn list(source: &mut Source) -> Result<Vec<Page>, ExtractError> {
///         let page = |number| Page {
///             label: None,
///             mime: "text/plain".into(),
///             size: None,
///             data: PageData::At(Span { offset: number * 100, length: 100 }),
///         };
///         Ok((0..source.size() / 100).map(page).collect())
///     }
///
///     fn read(_: &mut Source, index: u32) -> Result<Vec<u8>, ExtractError> {
///         Err(ExtractError::invalid(None, format!("page {index} is not packed")))
///     }
/// }
///
/// let mut source = Source::from_bytes("talk.slides", vec![b'x'; 250]);
/// assert_eq!(svc_plugin_api::list_pages::<Slides>(&mut source).unwrap().len(), 2);
/// ```
pub trait Pages {
    /// The pages in the order in which they are read, at most [`MAX_PAGES`]; empty for a valid file without pages. The
    /// same file always gives the same list, so that an index names one page.
    ///
    /// # Errors
    /// As for [`Extractor::extract`](crate::Extractor::extract).
    fn list(source: &mut Source) -> Result<Vec<Page>, ExtractError>;

    /// The bytes of the page at this index of the list, at most [`MAX_PAGE_BYTES`]. The host calls it for pages with
    /// [`PageData::OnRequest`] only.
    ///
    /// # Errors
    /// As for [`Extractor::extract`](crate::Extractor::extract); also `Invalid` for an index that the list does not
    /// have.
    fn read(source: &mut Source, index: u32) -> Result<Vec<u8>, ExtractError>;
}

/// Lists the pages as the exported component does.
///
/// # Errors
/// As for [`run`](crate::run); `Unsupported` for more than [`MAX_PAGES`] pages, or a stored page of more than
/// [`MAX_PAGE_BYTES`].
pub fn list_pages<P: Pages>(source: &mut Source) -> Result<Vec<Page>, ExtractError> {
    let result = P::list(source);
    let pages = source.take_failure().map_or(result, failed)?;
    if pages.len() > MAX_PAGES {
        return Err(ExtractError::Unsupported(format!("{} pages", pages.len())));
    }
    let is_too_large = |page: &Page| match page.data {
        PageData::At(span) => span.length > MAX_PAGE_BYTES as u64,
        PageData::OnRequest => false,
    };
    match pages.iter().position(is_too_large) {
        Some(index) => Err(ExtractError::Unsupported(format!(
            "page {} is larger than {MAX_PAGE_BYTES} bytes",
            index + 1
        ))),
        None => Ok(pages),
    }
}

/// Reads a page as the exported component does.
///
/// # Errors
/// As for [`run`](crate::run); `Unsupported` for a page of more than [`MAX_PAGE_BYTES`].
pub fn read_page<P: Pages>(source: &mut Source, index: u32) -> Result<Vec<u8>, ExtractError> {
    let result = P::read(source, index);
    match source.take_failure().map_or(result, failed)? {
        bytes if bytes.len() > MAX_PAGE_BYTES => Err(ExtractError::Unsupported(format!(
            "a page of {} bytes",
            bytes.len()
        ))),
        bytes => Ok(bytes),
    }
}
