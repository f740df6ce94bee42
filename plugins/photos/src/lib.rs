//! The photos plugin: EXIF and dimensions of photos.
//!
//! [`container`] finds out what a file is and walks its headers to the dimensions and to the EXIF block; only
//! those bytes are read. [`exif`] gives the block to kamadak-exif and turns its fields into the contract's keys.

pub mod container;
pub mod exif;

use svc_plugin_api::{ExtractError, Extraction, ExtractionBuilder, Extractor, Source};

/// Reads photos.
pub struct Photos;

impl Extractor for Photos {
    fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
        let photo = container::read(source)?;
        let mut extraction = ExtractionBuilder::new();
        extraction.text("photo.mime-type", photo.media_type);
        let mut statements = exif::Statements::default();
        for block in photo.exif {
            statements.read(block, &mut extraction);
        }
        statements.write(&mut extraction);
        let (width, height) = photo
            .dimensions
            .or_else(|| statements.dimensions())
            .unwrap_or_default();
        extraction.dimensions(width, height);
        Ok(extraction.finish())
    }
}

svc_plugin_api::export_plugin!(Photos, manifest = "plugin.toml");
