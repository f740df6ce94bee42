//! The query parameter `size` of thumbnails and artwork.

use crate::query::{FromQuery, QueryParams};
use svc_library::thumbnails::ThumbnailSize;

const SMALL: (&str, Option<ThumbnailSize>) = ("small", Some(ThumbnailSize::Small));
const MEDIUM: (&str, Option<ThumbnailSize>) = ("medium", Some(ThumbnailSize::Medium));
const LARGE: (&str, Option<ThumbnailSize>) = ("large", Some(ThumbnailSize::Large));
const ORIGINAL: (&str, Option<ThumbnailSize>) = ("original", None);

/// The requested size of artwork.
#[derive(Debug)]
pub struct ArtworkQuery {
    /// `None` for the original.
    pub size: Option<ThumbnailSize>,
}

impl FromQuery for ArtworkQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "Size of the image: longest side 250, 720 or 1440 pixels, or the original. Images are never \
                     enlarged. Default: `original`.";
        let size = params.choice("size", about, &[SMALL, MEDIUM, LARGE, ORIGINAL]);
        Self { size: size.flatten() }
    }
}

/// The requested size of a photo's thumbnail.
#[derive(Debug)]
pub struct ThumbnailQuery {
    /// Default: medium.
    pub size: ThumbnailSize,
}

impl FromQuery for ThumbnailQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "Size of the image: longest side 250, 720 or 1440 pixels. Images are never enlarged. Default: `medium`.";
        let size = params.choice("size", about, &[SMALL, MEDIUM, LARGE]);
        Self {
            size: size.flatten().unwrap_or(ThumbnailSize::Medium),
        }
    }
}
