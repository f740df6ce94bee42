//! Scales to the requested sizes.

use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use svc_plugin_api::ExtractError;

use crate::raster::{Layout, Raster};

/// The largest size with this aspect ratio that fits into the box and is not larger than the picture.
pub(crate) fn fit(picture: (u32, u32), bounds: (u32, u32)) -> (u32, u32) {
    let (width, height) = (u64::from(picture.0.max(1)), u64::from(picture.1.max(1)));
    let (most_wide, most_high) = (u64::from(bounds.0.max(1)), u64::from(bounds.1.max(1)));
    if width <= most_wide && height <= most_high {
        return (picture.0.max(1), picture.1.max(1));
    }
    let scaled = |side: u64, numerator: u64, denominator: u64| {
        // Rounded, but at least 1.
        ((side * numerator * 2 + denominator) / (denominator * 2)).max(1)
    };
    // Cross-multiplied: the side that limits the size.
    let (wide, high) = if width * most_high >= height * most_wide {
        (most_wide, scaled(height, most_wide, width).min(most_high))
    } else {
        (scaled(width, most_high, height).min(most_wide), most_high)
    };
    let side = |side: u64| u32::try_from(side).unwrap_or(u32::MAX);
    (side(wide), side(high))
}

/// The picture in each of these boxes, in their order. The largest is made first, and each smaller one from the one
/// before: cheaper than from the picture, and without a visible difference.
pub(crate) fn all(
    picture: Raster,
    bounds: impl Iterator<Item = (u32, u32)>,
) -> Result<Vec<Raster>, ExtractError> {
    let mut picture = picture.without_idle_alpha();
    picture.multiply_alpha();
    let whole = (picture.width, picture.height);
    let mut sizes: Vec<(usize, (u32, u32))> = bounds.map(|bounds| fit(whole, bounds)).enumerate().collect();
    sizes.sort_by_key(|(_, (width, height))| std::cmp::Reverse(u64::from(*width) * u64::from(*height)));
    let mut resizer = Resizer::new();
    let mut scaled: Vec<(usize, Raster)> = Vec::with_capacity(sizes.len());
    for (index, size) in sizes {
        let from = scaled.last().map_or(&picture, |(_, raster)| raster);
        // Scaling down from a size that is hardly larger loses sharpness.
        let from = if from.width < 2 * size.0 { &picture } else { from };
        let raster = to_size(&mut resizer, from, size)?;
        scaled.push((index, raster));
    }
    drop(picture);
    scaled.sort_by_key(|(index, _)| *index);
    Ok(scaled
        .into_iter()
        .map(|(_, mut raster)| {
            raster.divide_alpha();
            raster
        })
        .collect())
}

fn to_size(
    resizer: &mut Resizer,
    from: &Raster,
    (width, height): (u32, u32),
) -> Result<Raster, ExtractError> {
    if (from.width, from.height) == (width, height) {
        return Ok(from.clone());
    }
    let kind = match from.layout {
        Layout::Gray => PixelType::U8,
        Layout::Rgb => PixelType::U8x3,
        Layout::Rgba => PixelType::U8x4,
    };
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::CatmullRom))
        .use_alpha(false);
    let source = ImageRef::new(from.width, from.height, &from.pixels, kind).map_err(fault)?;
    let mut target = Image::new(width, height, kind);
    resizer
        .resize(&source, &mut target, Some(&options))
        .map_err(fault)?;
    Raster::new(width, height, from.layout, target.into_vec())
}

fn fault(error: impl std::fmt::Display) -> ExtractError {
    ExtractError::invalid(None, format!("it cannot be scaled: {error}"))
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn fitting_keeps_proportions_and_never_enlarges() {
        for (picture, bounds, expected) in [
            ((4000, 3000), (1440, 1440), (1440, 1080)),
            ((3000, 4000), (1440, 1440), (1080, 1440)),
            ((4000, 3000), (400, 100), (133, 100)),
            ((100, 50), (250, 250), (100, 50)),
            ((250, 250), (250, 250), (250, 250)),
            ((10_000, 1), (250, 250), (250, 1)),
            ((1, 10_000), (250, 250), (1, 250)),
            ((999, 1000), (10, 10), (10, 10)),
            ((16_384, 6103), (720, 720), (720, 268)),
        ] {
            assert_eq!(fit(picture, bounds), expected, "{picture:?} in {bounds:?}");
        }
    }
}
