//! The parameter `size` of pictures.

use crate::query::{FromQuery, QueryReader};
use svc_library::pictures::PictureSize;

const SMALL: (&str, Option<PictureSize>) = ("small", Some(PictureSize::Small));
const MEDIUM: (&str, Option<PictureSize>) = ("medium", Some(PictureSize::Medium));
const LARGE: (&str, Option<PictureSize>) = ("large", Some(PictureSize::Large));
const ORIGINAL: (&str, Option<PictureSize>) = ("original", None);

/// In which size artwork is wanted.
#[derive(Debug)]
pub struct ArtworkQuery {
    /// `None`: as it is in the file.
    pub size: Option<PictureSize>,
}

impl FromQuery for ArtworkQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let about = "Size of the picture: longest side 250, 720 or 1440 pixels, or as it is. Never enlarged. \
                     Default original.";
        let size = reader.choice("size", about, &[SMALL, MEDIUM, LARGE, ORIGINAL]);
        Self { size: size.flatten() }
    }
}

/// In which size a photo is wanted.
#[derive(Debug)]
pub struct ThumbnailQuery {
    /// The default is medium.
    pub size: PictureSize,
}

impl FromQuery for ThumbnailQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let about =
            "Size of the picture: longest side 250, 720 or 1440 pixels. Never enlarged. Default medium.";
        let size = reader.choice("size", about, &[SMALL, MEDIUM, LARGE]);
        Self {
            size: size.flatten().unwrap_or(PictureSize::Medium),
        }
    }
}
