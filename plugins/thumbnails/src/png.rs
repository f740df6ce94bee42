//! Decodes PNG row by row.

use std::io::{BufReader, Seek, SeekFrom};

use png::{ColorType, Decoder, DecodingError, Limits, Transformations};
use svc_plugin_api::{ExtractError, Source};

use crate::limits::{MAX_DECODER_BYTES, check_memory, check_size};
use crate::raster::{Layout, Raster, Wanted};
use crate::shrink::Shrinker;

pub(crate) fn decode(source: &mut Source, wanted: Wanted<'_>) -> Result<Raster, ExtractError> {
    source.seek(SeekFrom::Start(0))?;
    let mut decoder = Decoder::new_with_limits(
        BufReader::new(source),
        Limits {
            bytes: usize::try_from(MAX_DECODER_BYTES / 4).unwrap_or(usize::MAX),
        },
    );
    decoder.set_transformations(Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().map_err(failure)?;
    let (width, height) = reader.info().size();
    check_size(width, height)?;
    let (color, _) = reader.output_color_type();
    let layout = match color {
        ColorType::Grayscale => Layout::Gray,
        ColorType::Rgb | ColorType::Indexed => Layout::Rgb,
        ColorType::GrayscaleAlpha | ColorType::Rgba => Layout::Rgba,
    };
    let channels = color.samples() as u64;
    if reader.info().interlaced {
        let bytes = u64::from(width) * u64::from(height) * channels;
        check_memory(2 * bytes)?;
        let mut pixels = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
        reader.next_frame(&mut pixels).map_err(failure)?;
        return Raster::new(width, height, layout, with_color(color, pixels));
    }
    let mut shrinker = Shrinker::new(width, height, layout, wanted(width, height))?;
    for row in 0..height {
        match reader.next_row() {
            Ok(Some(line)) => shrinker.add(&with_color(color, line.data().to_vec())),
            // A truncated file is shown as far as it goes.
            Ok(None) | Err(_) if row > 0 => break,
            Ok(None) => return Err(ExtractError::invalid(None, "a PNG without pixels")),
            Err(error) => return Err(failure(error)),
        }
    }
    shrinker.finish()
}

/// Converts gray with alpha to RGBA.
fn with_color(color: ColorType, pixels: Vec<u8>) -> Vec<u8> {
    if color != ColorType::GrayscaleAlpha {
        return pixels;
    }
    let (pairs, _) = pixels.as_chunks::<2>();
    pairs
        .iter()
        .flat_map(|[gray, alpha]| [*gray, *gray, *gray, *alpha])
        .collect()
}

fn failure(error: DecodingError) -> ExtractError {
    match error {
        DecodingError::IoError(error) => error.into(),
        DecodingError::LimitsExceeded => {
            ExtractError::Unsupported("a PNG that takes too much memory".to_owned())
        }
        other => ExtractError::invalid(None, other.to_string()),
    }
}
