//! The parameter `size` of pictures.

use crate::query::{FromQuery, QueryParams};
use svc_library::thumbnails::ThumbnailSize;

const SMALL: (&str, Option<ThumbnailSize>) = ("small", Some(ThumbnailSize::Small));
const MEDIUM: (&str, Option<ThumbnailSize>) = ("medium", Some(ThumbnailSize::Medium));
const LARGE: (&str, Option<ThumbnailSize>) = ("large", Some(ThumbnailSize::Large));
const ORIGINAL: (&str, Option<ThumbnailSize>) = ("original", None);

/// In which size artwork is wanted.
#[derive(Debug)]
pub struct ArtworkQuery {
    /// `None`: as it is in the file.
    pub size: Option<ThumbnailSize>,
}

impl FromQuery for ArtworkQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "Size of the picture: longest side 250, 720 or 1440 pixels, or as it is. Never enlarged. \
                     Default original.";
        let size = params.choice("size", about, &[SMALL, MEDIUM, LARGE, ORIGINAL]);
        Self { size: size.flatten() }
    }
}

/// In which size a photo is wanted.
#[derive(Debug)]
pub struct ThumbnailQuery {
    /// The default is medium.
    pub size: ThumbnailSize,
}

impl FromQuery for ThumbnailQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about =
            "Size of the picture: longest side 250, 720 or 1440 pixels. Never enlarged. Default medium.";
        let size = params.choice("size", about, &[SMALL, MEDIUM, LARGE]);
        Self {
            size: size.flatten().unwrap_or(ThumbnailSize::Medium),
        }
    }
}
