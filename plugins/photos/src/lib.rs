//! The photos plugin: EXIF and dimensions of photos.
//!
//! The crate `picture` walks the headers and reads the EXIF; the plugin builds the extraction.

use picture::{container, exif};
use svc_plugin_api::{ExtractError, Extraction, ExtractionBuilder, Extractor, Source};

pub struct Photos;

impl Extractor for Photos {
    fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
        let photo = container::read(source)?;
        let mut extraction = ExtractionBuilder::new();
        extraction.text("photo.mime-type", photo.media_type);
        let mut exif_fields = exif::Exif::default();
        for block in photo.exif {
            exif_fields.read(block, &mut extraction);
        }
        exif_fields.write(&mut extraction);
        let (width, height) = photo
            .dimensions
            .or_else(|| exif_fields.dimensions())
            .unwrap_or_default();
        extraction.dimensions(width, height);
        Ok(extraction.finish())
    }
}

svc_plugin_api::export_plugin!(Photos, manifest = "plugin.toml");
