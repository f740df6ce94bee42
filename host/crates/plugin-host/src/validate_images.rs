//! Validates rendered images: browsers receive them, so size and format have to be as declared.

use crate::bindings::exports::svc::plugin::thumbnailer::Image;
use crate::convert::message;
use crate::limits;
use svc_domain::extraction::ExtractFailure;
use svc_domain::rendering::{ImageBounds, ImageFormat, RenderedImage};

/// Converts the images: one per requested size, in that order.
pub(super) fn images(given: Vec<Image>, sizes: &[ImageBounds]) -> Result<Vec<RenderedImage>, ExtractFailure> {
    if given.len() != sizes.len() {
        return Err(bad(format!("{} images for {} sizes", given.len(), sizes.len())));
    }
    let bytes: usize = given.iter().map(|image| image.bytes.len()).sum();
    if bytes > limits::RENDERED_BYTES {
        let most = limits::RENDERED_BYTES;
        return Err(ExtractFailure::Budget(format!(
            "{bytes} bytes of images, at most {most}"
        )));
    }
    let pairs = given.into_iter().zip(sizes);
    pairs.map(|(given, size)| image(given, *size)).collect()
}

fn image(given: Image, size: ImageBounds) -> Result<RenderedImage, ExtractFailure> {
    let Image {
        width,
        height,
        mime,
        bytes,
    } = given;
    if !(1..=size.width).contains(&width) || !(1..=size.height).contains(&height) {
        return Err(bad(format!(
            "an image of {width} x {height} does not fit into {} x {}",
            size.width, size.height
        )));
    }
    let format = ImageFormat::of_mime(&mime).ok_or_else(|| {
        bad(format!(
            "`{}` is not the MIME type of a supported image format",
            message(&mime)
        ))
    })?;
    if !format.begins(&bytes) {
        return Err(bad(format!("the bytes of an image are not {mime}")));
    }
    Ok(RenderedImage {
        width,
        height,
        format,
        bytes,
    })
}

fn bad(problem: String) -> ExtractFailure {
    ExtractFailure::BadOutput(problem)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const BOX: [ImageBounds; 1] = [ImageBounds::square(10)];

    fn jpeg(width: u32, height: u32, mime: &str, bytes: &[u8]) -> Vec<Image> {
        vec![Image {
            width,
            height,
            mime: mime.to_owned(),
            bytes: bytes.to_vec(),
        }]
    }

    #[test]
    fn valid_rendered_image_is_accepted() {
        let accepted = images(jpeg(10, 3, "image/jpeg", &[0xff, 0xd8, 0xff, 0xe0]), &BOX).unwrap();
        assert_eq!((accepted.len(), accepted[0].format), (1, ImageFormat::Jpeg));
        let webp = images(jpeg(1, 1, "image/webp", b"RIFF\0\0\0\0WEBPVP8L"), &BOX).unwrap();
        assert_eq!(webp[0].format.mime(), "image/webp");
    }

    #[test]
    fn invalid_rendered_image_is_rejected() {
        let start: &[u8] = &[0xff, 0xd8, 0xff, 0xe0];
        for given in [
            Vec::new(),
            jpeg(11, 3, "image/jpeg", start),
            jpeg(10, 11, "image/jpeg", start),
            jpeg(0, 3, "image/jpeg", start),
            jpeg(10, 3, "text/html", b"<script>"),
            jpeg(10, 3, "image/svg+xml", b"<svg/>"),
            jpeg(10, 3, "image/jpeg", b"<script>"),
            jpeg(10, 3, "image/png", start),
            jpeg(10, 3, "image/jpeg", b""),
        ] {
            let failure = images(given.clone(), &BOX).unwrap_err();
            assert_eq!(failure.code(), "bad_output", "{given:?}");
        }
        let mut large = start.to_vec();
        large.resize(limits::RENDERED_BYTES + 1, 0);
        let failure = images(jpeg(10, 3, "image/jpeg", &large), &BOX).unwrap_err();
        assert_eq!(failure.code(), "budget");
    }
}
