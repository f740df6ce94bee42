//! The audiobooks plugin: files that are a book each, and folders whose files are the parts of one.
//!
//! [`file`] reads a file by its format: its [`tags`], chapters, duration and pictures; [`mp4`] has what only MP4 has.
//! [`place`] takes author, book and part from folders and file names, [`folder_cover`] the cover, and [`fields`] writes the
//! rest.

pub mod chapters;
pub mod fields;
pub mod file;
pub mod folder_cover;
pub mod mp4;
pub mod place;
pub mod tags;

use svc_plugin_api::{
    Artwork, ExtractError, Extraction, ExtractionBuilder, Extractor, MAX_PICTURE_BYTES, PictureData, Source,
    picture_media_type,
};

use crate::file::{AudioFile, Cover};

pub struct Audiobooks;

impl Extractor for Audiobooks {
    fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
        let file = AudioFile::read(source)?;
        let mut extraction = ExtractionBuilder::new();
        fields::write(source, &file, &mut extraction);
        for cover in &file.covers {
            let (start, data) = match cover {
                Cover::At(span) => (source.bytes_at(span.offset, 12)?, PictureData::At(*span)),
                Cover::Bytes(bytes) => (bytes.clone(), PictureData::OnRequest),
                Cover::Beside(name) => (
                    source.read_related(name, 12).unwrap_or_default(),
                    PictureData::OnRequest,
                ),
            };
            match picture_media_type(&start) {
                Some(mime) => extraction.picture("front", mime, data),
                None => extraction.picture("other", "application/octet-stream", data),
            };
        }
        Ok(extraction.finish())
    }
}

impl Artwork for Audiobooks {
    fn read(source: &mut Source, index: u32) -> Result<Vec<u8>, ExtractError> {
        let mut covers = AudioFile::read(source)?.covers.into_iter();
        match usize::try_from(index).ok().and_then(|index| covers.nth(index)) {
            Some(Cover::Bytes(bytes)) => Ok(bytes),
            Some(Cover::At(span)) => {
                let length = usize::try_from(span.length).unwrap_or(usize::MAX);
                Ok(source.bytes_at(span.offset, length)?)
            }
            Some(Cover::Beside(name)) => source
                .read_related(&name, MAX_PICTURE_BYTES)
                .map_err(ExtractError::Io),
            None => Err(ExtractError::invalid(
                None,
                format!("there is no picture {index}"),
            )),
        }
    }
}

svc_plugin_api::export_plugin!(Audiobooks, manifest = "plugin.toml", artwork);
