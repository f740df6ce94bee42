//! The comics plugin: pages, covers and metadata of CBZ archives.
//!
//! [`zip`] finds the files of an archive, [`book`] chooses and orders those that are pages, [`page`] reads them.
//! [`comic_info`] parses `ComicInfo.xml`, [`file_name`] the name of the archive, and [`fields`] writes what they say.

pub mod book;
pub mod comic_info;
pub mod fields;
pub mod file_name;
pub mod natural;
pub mod page;
pub mod zip;

use svc_plugin_api::{
    Artwork, ExtractError, Extraction, ExtractionBuilder, Extractor, MAX_PICTURE_BYTES, Page, PageData,
    Pages, PictureData, Source,
};

use crate::book::Book;

pub struct Comics;

impl Extractor for Comics {
    fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
        let book = Book::open(source)?;
        let mut extraction = ExtractionBuilder::new();
        fields::write(source, &book, &mut extraction);
        add_cover(source, &book, &mut extraction)?;
        for warning in &book.warnings {
            extraction.warn(warning);
        }
        Ok(extraction.finish())
    }
}

/// Adds the cover as the only picture.
fn add_cover(
    source: &mut Source,
    book: &Book,
    extraction: &mut ExtractionBuilder,
) -> Result<(), ExtractError> {
    let Some(cover) = book.cover() else { return Ok(()) };
    if cover.entry.size > MAX_PICTURE_BYTES as u64 {
        extraction.warn("the cover is too large");
        return Ok(());
    }
    match page::describe(source, cover) {
        Ok(Page { mime, data, .. }) => {
            let data = match data {
                PageData::At(span) => PictureData::At(span),
                PageData::OnRequest => PictureData::OnRequest,
            };
            extraction.picture("front", &mime, data);
            Ok(())
        }
        Err(failure @ ExtractError::Io(_)) => Err(failure),
        Err(_) => {
            extraction.warn(format!("the cover, {}, is damaged", cover.entry.name));
            Ok(())
        }
    }
}

impl Artwork for Comics {
    fn read(source: &mut Source, index: u32) -> Result<Vec<u8>, ExtractError> {
        let book = Book::open(source)?;
        let cover = book.cover().filter(|_| index == 0);
        let cover =
            cover.ok_or_else(|| ExtractError::invalid(None, format!("there is no picture {index}")))?;
        page::read(source, cover)
    }
}

impl Pages for Comics {
    fn list(source: &mut Source) -> Result<Vec<Page>, ExtractError> {
        let book = Book::open(source)?;
        let mut pages = Vec::with_capacity(book.pages.len());
        for found in &book.pages {
            pages.push(match page::describe(source, found) {
                // A damaged page keeps its place; reading it says what is wrong.
                Err(ExtractError::Invalid(_)) => page::undescribed(found),
                described => described?,
            });
        }
        Ok(pages)
    }

    fn read(source: &mut Source, index: u32) -> Result<Vec<u8>, ExtractError> {
        let book = Book::open(source)?;
        let found = usize::try_from(index)
            .ok()
            .and_then(|index| book.pages.get(index));
        let found = found.ok_or_else(|| ExtractError::invalid(None, format!("there is no page {index}")))?;
        page::read(source, found)
    }
}

svc_plugin_api::export_plugin!(
    Comics,
    manifest = "plugin.toml",
    abilities = [extractor, artwork, pages]
);
