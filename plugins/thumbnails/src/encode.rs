//! Encodes thumbnails: PNG if a picture has transparency, else JPEG.

use jpeg_encoder::{ColorType, Encoder};
use svc_plugin_api::{ExtractError, Image};

use crate::raster::{Layout, Raster};

/// At 80 of 100 blocks are invisible in a picture of this size; at 90 it is half as large again.
const JPEG_QUALITY: u8 = 80;

pub(crate) fn encode(raster: Raster) -> Result<Image, ExtractError> {
    let (mime, bytes) = match raster.layout {
        Layout::Gray => ("image/jpeg", jpeg(&raster, ColorType::Luma)?),
        Layout::Rgb => ("image/jpeg", jpeg(&raster, ColorType::Rgb)?),
        Layout::Rgba => ("image/png", png(&raster)?),
    };
    Ok(Image {
        width: raster.width,
        height: raster.height,
        mime: mime.to_owned(),
        bytes,
    })
}

fn jpeg(raster: &Raster, color: ColorType) -> Result<Vec<u8>, ExtractError> {
    let mut bytes = Vec::new();
    let side = |side: u32| u16::try_from(side).map_err(fault);
    Encoder::new(&mut bytes, JPEG_QUALITY)
        .encode(&raster.pixels, side(raster.width)?, side(raster.height)?, color)
        .map_err(fault)?;
    Ok(bytes)
}

fn png(raster: &Raster) -> Result<Vec<u8>, ExtractError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, raster.width, raster.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(fault)?;
    writer.write_image_data(&raster.pixels).map_err(fault)?;
    writer.finish().map_err(fault)?;
    Ok(bytes)
}

fn fault(error: impl std::fmt::Display) -> ExtractError {
    ExtractError::invalid(None, format!("it cannot be encoded: {error}"))
}
