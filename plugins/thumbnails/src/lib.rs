//! The thumbnails plugin.
//!
//! | Module | Content |
//! |---|---|
//! | `limits` | limits of the picture size, checked before decoding |
//! | `decode` | choice of the decoder, and previews of raw files |
//! | `jpeg`, `png`, `others` | decoders; JPEG and PNG are reduced while they are decoded |
//! | `raster` | decoded pixels: alpha, orientation |
//! | `shrink` | reduction by a whole number, row by row |
//! | `scale`, `encode` | scaling to the requested sizes, and encoding |
//!
//! All pixels are treated as sRGB. Ignoring a color profile changes colors slightly; including it would enlarge
//! thumbnails of 10 KiB by half.

mod decode;
mod encode;
mod jpeg;
mod limits;
mod others;
mod png;
mod raster;
mod scale;
mod shrink;

use picture::{container, exif};
use svc_plugin_api::{Bounds, ExtractError, ExtractionBuilder, Image, Source, Thumbnailer};

use crate::scale::fit;

pub struct Thumbnails;

impl Thumbnailer for Thumbnails {
    fn render(source: &mut Source, sizes: &[Bounds]) -> Result<Vec<Image>, ExtractError> {
        let photo = container::read(source)?;
        let orientation = orientation(&photo);
        // The decoder works on the coded picture, before the orientation is applied.
        let turn = |size: &Bounds| match orientation {
            5..=8 => (size.height, size.width),
            _ => (size.width, size.height),
        };
        let wanted = |width, height| {
            let fitting = sizes.iter().map(|size| fit((width, height), turn(size)));
            fitting.max().unwrap_or((1, 1))
        };
        let picture = decode::picture(source, &photo, &wanted)?;
        let scaled = scale::all(picture, sizes.iter().map(turn))?;
        scaled
            .into_iter()
            .map(|raster| encode::encode(raster.oriented(orientation)))
            .collect()
    }
}

fn orientation(photo: &container::Photo) -> u8 {
    let mut exif_fields = exif::Exif::default();
    let mut warnings = ExtractionBuilder::new();
    for block in &photo.exif {
        let copy = container::Block {
            bytes: block.bytes.clone(),
            is_gps: block.is_gps,
        };
        exif_fields.read(copy, &mut warnings);
    }
    exif_fields.orientation().unwrap_or(1)
}

svc_plugin_api::export_plugin!(Thumbnails, manifest = "plugin.toml", abilities = [thumbnailer]);
