//! The images plugin: pictures in smaller sizes.
//!
//! | File | What lives there |
//! |---|---|
//! | `limits` | how large a picture may be, checked before anything is decoded |
//! | `decode` | what a file is, and which decoder it gets; previews of raws |
//! | `jpeg`, `png`, `others` | the decoders; JPEG and PNG make the picture smaller on the way |
//! | `raster` | decoded pixels: alpha, orientation |
//! | `shrink` | many rows into few, while they come |
//! | `scale`, `encode` | to the size that was asked for, and to bytes |
//!
//! Pixels are taken for sRGB, whatever profile the file has: a profile that is dropped changes colours a little, one that
//! is kept would make thumbnails of 10 KiB half as large again.

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

/// Draws pictures.
pub struct Thumbnails;

impl Thumbnailer for Thumbnails {
    fn render(source: &mut Source, sizes: &[Bounds]) -> Result<Vec<Image>, ExtractError> {
        let photo = container::read(source)?;
        let orientation = orientation(&photo);
        // The decoder sees the picture as it lies in the file.
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
