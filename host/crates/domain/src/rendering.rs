//! Pictures in smaller sizes, as plugins draw them.

/// A box that an image has to fit into, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageBounds {
    /// At least 1.
    pub width: u32,
    /// At least 1.
    pub height: u32,
}

impl ImageBounds {
    /// The box whose both sides are this long.
    pub const fn square(edge: u32) -> Self {
        Self {
            width: edge,
            height: edge,
        }
    }
}

/// What the bytes of a rendered image are.
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
    /// Every format that a plugin may answer with: those that each browser shows.
    pub const ALL: [Self; 3] = [Self::Jpeg, Self::Png, Self::WebP];

    /// Its MIME type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::WebP => "image/webp",
        }
    }

    /// The format of this MIME type.
    pub fn of_mime(mime: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.mime() == mime)
    }

    /// Whether bytes begin as this format does.
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
    /// In pixels, as shown.
    pub width: u32,
    /// In pixels, as shown.
    pub height: u32,
    /// What its bytes are.
    pub format: ImageFormat,
    /// The bytes.
    pub bytes: Vec<u8>,
}
