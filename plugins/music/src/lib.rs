//! The music plugin: tags, properties and pictures of music files.
//!
//! A file is read in three steps. [`container`] detects its format and locates its tags, [`pictures`] locates
//! embedded pictures by their headers, and [`read`] reads tags and audio properties. A tag is a list of [`items`],
//! which is read even if some of them are damaged. [`dialect`] maps the names of each tag format to common [`tags`],
//! and [`fields`] converts those to the fields of the contract.

pub mod audio;
pub mod container;
pub mod dialect;
pub mod fields;
pub mod items;
pub mod pictures;
pub mod read;
pub mod tags;
pub mod values;

use svc_plugin_api::{Artwork, ExtractError, Extraction, ExtractionBuilder, Extractor, PictureData, Source};

use crate::container::Container;

pub struct Music;

impl Extractor for Music {
    fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
        let mut container = Container::detect(source)?;
        let ((tags, audio, warnings), found) = read::read(source, &mut container)?;

        let mut extraction = ExtractionBuilder::new();
        audio.write(source.size(), &mut extraction);
        for tag in &tags {
            fields::write(tag, &mut extraction);
        }
        for picture in found {
            extraction.picture(picture.purpose, &picture.media_type, picture.data());
        }
        for warning in warnings {
            extraction.warn(warning);
        }
        Ok(extraction.finish())
    }
}

impl Artwork for Music {
    fn read(source: &mut Source, index: u32) -> Result<Vec<u8>, ExtractError> {
        let mut container = Container::detect(source)?;
        let found = pictures::find(source, &mut container)?;
        let picture = usize::try_from(index).ok().and_then(|index| found.get(index));
        let picture =
            picture.ok_or_else(|| ExtractError::invalid(None, format!("there is no picture {index}")))?;
        match picture.data() {
            PictureData::At(span) => pictures::bytes(source, span),
            PictureData::OnRequest => pictures::encoded::bytes(source, picture),
        }
    }
}

svc_plugin_api::export_plugin!(Music, manifest = "plugin.toml", artwork);
