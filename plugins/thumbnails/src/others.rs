//! Decodes GIF (the first frame), WebP, BMP and TIFF with the `image` crate.

use std::io::{BufReader, Seek, SeekFrom};

use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};
use svc_plugin_api::{ExtractError, Source};

use crate::limits::{MAX_DECODER_BYTES, check_memory, check_size};
use crate::raster::{Layout, Raster};

pub(crate) fn decode(source: &mut Source, format: ImageFormat) -> Result<Raster, ExtractError> {
    source.seek(SeekFrom::Start(0))?;
    let mut reader = ImageReader::with_format(BufReader::new(source), format);
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(failure)?;
    let (width, height) = decoder.dimensions();
    check_size(width, height)?;
    // These decoders keep a copy of their own.
    check_memory(2 * decoder.total_bytes())?;
    let picture = DynamicImage::from_decoder(decoder).map_err(failure)?;
    let color = picture.color();
    let (layout, pixels) = if color.has_alpha() {
        (Layout::Rgba, picture.into_rgba8().into_raw())
    } else if color.has_color() {
        (Layout::Rgb, picture.into_rgb8().into_raw())
    } else {
        (Layout::Gray, picture.into_luma8().into_raw())
    };
    Raster::new(width, height, layout, pixels)
}

fn failure(error: ImageError) -> ExtractError {
    match error {
        ImageError::IoError(error) => error.into(),
        ImageError::Unsupported(what) => ExtractError::Unsupported(what.to_string()),
        ImageError::Limits(what) => ExtractError::Unsupported(what.to_string()),
        other => ExtractError::invalid(None, other.to_string()),
    }
}
