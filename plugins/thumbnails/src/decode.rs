//! Chooses the decoder for a file.

use picture::container::{Photo, jpeg::frame, preview};
use svc_plugin_api::{ExtractError, Source};

use crate::limits::check_size;
use crate::raster::{Raster, Wanted};
use crate::{jpeg, others, png};

/// Shorter data is not a preview.
const SMALLEST_JPEG: u64 = 128;

/// Decodes a file or the best picture embedded in it: at least as large as requested, if the file has such a picture.
pub(crate) fn picture(
    source: &mut Source,
    photo: &Photo,
    wanted: Wanted<'_>,
) -> Result<Raster, ExtractError> {
    if let Some((width, height)) = photo.dimensions {
        // Of raw files only a preview is decoded, which is checked separately.
        if has_own_decoder(photo.media_type) {
            check_size(width, height)?;
        }
    }
    match photo.media_type {
        "image/jpeg" => jpeg::decode(source, 0, source.size(), wanted),
        "image/png" => png::decode(source, wanted),
        "image/gif" => others::decode(source, image::ImageFormat::Gif),
        "image/webp" => others::decode(source, image::ImageFormat::WebP),
        "image/bmp" => others::decode(source, image::ImageFormat::Bmp),
        "image/tiff" => others::decode(source, image::ImageFormat::Tiff)
            .or_else(|error| embedded(source, photo, wanted).map_err(|_| error)),
        _ => embedded(source, photo, wanted),
    }
}

fn has_own_decoder(media_type: &str) -> bool {
    matches!(
        media_type,
        "image/jpeg" | "image/png" | "image/gif" | "image/webp" | "image/bmp" | "image/tiff"
    )
}

/// The smallest embedded JPEG that is at least as large as requested; else the largest.
fn embedded(source: &mut Source, photo: &Photo, wanted: Wanted<'_>) -> Result<Raster, ExtractError> {
    let mut best: Option<(Candidate, (u16, u16))> = None;
    let mut consider = |candidate: Candidate, size: (u16, u16)| {
        let is_enough = |(width, height): (u16, u16)| {
            let (wanted_width, wanted_height) = wanted(width.into(), height.into());
            // A preview that would be enlarged is requested in its own size.
            (wanted_width, wanted_height) != (u32::from(width), u32::from(height))
        };
        let area = |(width, height): (u16, u16)| u32::from(width) * u32::from(height);
        let is_better = best
            .as_ref()
            .is_none_or(|(_, other)| match (is_enough(size), is_enough(*other)) {
                (true, true) => area(size) < area(*other),
                (false, false) => area(size) > area(*other),
                (enough, _) => enough,
            });
        if is_better {
            best = Some((candidate, size));
        }
    };
    for place in preview::in_file(source)? {
        if place.length < SMALLEST_JPEG {
            continue;
        }
        if let Some(frame) = frame(source, place.offset)?.filter(|frame| !frame.is_lossless) {
            consider(
                Candidate::InFile(place.offset, place.length),
                (frame.width, frame.height),
            );
        }
    }
    for bytes in preview::in_exif(photo)? {
        let mut thumbnail = Source::from_bytes("", bytes);
        if let Some(frame) = frame(&mut thumbnail, 0)?.filter(|frame| !frame.is_lossless) {
            consider(Candidate::InMemory(thumbnail), (frame.width, frame.height));
        }
    }
    match best {
        Some((Candidate::InFile(offset, length), _)) => jpeg::decode(source, offset, length, wanted),
        Some((Candidate::InMemory(mut thumbnail), _)) => {
            let length = thumbnail.size();
            jpeg::decode(&mut thumbnail, 0, length, wanted)
        }
        None => Err(ExtractError::Unsupported(format!(
            "{} without an embedded JPEG",
            photo.media_type
        ))),
    }
}

enum Candidate {
    /// Offset and length.
    InFile(u64, u64),
    InMemory(Source),
}
