//! A thumbnail: its size, and its bytes once rendered.

use std::fs::File;

use bytes::Bytes;

use crate::thumbnails::limits;
use svc_domain::rendering::{ImageBounds, ImageFormat};
use svc_identity::error::{ErrorCode, ServiceError};

pub(super) const UNAVAILABLE: ServiceError = ServiceError::Unprocessable {
    code: ErrorCode::ThumbnailUnavailable,
    message: "no thumbnail can be rendered of this file",
};

/// The size of a thumbnail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThumbnailSize {
    /// For a cell of a grid.
    Small,
    /// For a phone, or a page of one item.
    Medium,
    /// For a whole screen.
    Large,
}

impl ThumbnailSize {
    /// From small to large.
    pub const ALL: [Self; 3] = [Self::Small, Self::Medium, Self::Large];

    /// The longest side in pixels.
    pub const fn longest_edge(self) -> u32 {
        match self {
            Self::Small => limits::SMALL_EDGE,
            Self::Medium => limits::MEDIUM_EDGE,
            Self::Large => limits::LARGE_EDGE,
        }
    }

    pub(super) const fn bounds(self) -> ImageBounds {
        ImageBounds::square(self.longest_edge())
    }
}

/// A rendered thumbnail.
#[derive(Debug)]
pub struct Thumbnail {
    /// Format of the bytes.
    pub format: ImageFormat,
    /// The image, in memory or in a file.
    pub bytes: ThumbnailBytes,
    /// Cache key: changes with original, size and renderer.
    pub tag: String,
    /// Modification time of the original in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Whether it was rendered from the original as it was indexed, so that the key is stable until the index changes.
    pub is_as_indexed: bool,
}

/// Where the bytes of a thumbnail are.
#[derive(Debug)]
pub enum ThumbnailBytes {
    /// In a cache file, from its first byte on.
    InFile {
        /// Opened for reading.
        file: File,
        /// Length in bytes.
        length: u64,
    },
    /// A small thumbnail, or one that was rendered for this request.
    InMemory(Bytes),
}
