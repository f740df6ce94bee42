//! Rendered images: thumbnails and their formats.

/// A box in pixels that an image has to fit into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageBounds {
    /// At least 1.
    pub width: u32,
    /// At least 1.
    pub height: u32,
}

impl ImageBounds {
    /// A box with equal sides.
    pub const fn square(edge: u32) -> Self {
        Self {
            width: edge,
            height: edge,
        }
    }
}

/// The format of a rendered image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    /// `image/jpeg`.
    Jpeg,
    /// `image/png`.
    Png,
    /// `image/webp`.
    WebP,
}

impl ImageFormat {
    /// The formats that a plugin may return: those that every browser displays.
    pub const ALL: [Self; 3] = [Self::Jpeg, Self::Png, Self::WebP];

    /// Its MIME type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::WebP => "image/webp",
        }
    }

    /// The format with this MIME type.
    pub fn of_mime(mime: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.mime() == mime)
    }

    /// Whether `bytes` start with the signature of this format.
    pub fn begins(self, bytes: &[u8]) -> bool {
        match self {
            Self::Jpeg => bytes.starts_with(&[0xff, 0xd8, 0xff]),
            Self::Png => bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
            Self::WebP => bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
        }
    }
}

/// An encoded image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedImage {
    /// In pixels, after orientation.
    pub width: u32,
    /// In pixels, after orientation.
    pub height: u32,
    /// Checked against the signature of `bytes`.
    pub format: ImageFormat,
    /// The encoded image.
    pub bytes: Vec<u8>,
}
