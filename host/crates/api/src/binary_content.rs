//! The kinds of bytes that routes respond with: their media types and errors in the API description.

use svc_library::media_types::{PLAIN_BYTES, SUBTITLE_TYPES};

/// The content type of the bytes of media in the description of a handler, until it is replaced by those of the route.
pub const ANY_BYTES: &str = "*/*";

/// The bytes of a [`MediaResponse`](crate::media_response::MediaResponse).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryContent {
    /// An image file as it is.
    Image,
    /// An image, or a thumbnail rendered from it.
    Thumbnail,
    /// An audio file, whose responses are counted as streams.
    Audio,
    /// A video file, whose responses are counted as streams.
    Video,
    /// A subtitle file.
    Subtitles,
    /// A page of a file.
    Page,
    /// A file of any type, whose responses are counted as streams.
    File,
}

impl BinaryContent {
    /// The media types of the response. A file of unknown type is plain bytes.
    pub fn media_types(self) -> Vec<&'static str> {
        let mut types = match self {
            Self::Image | Self::Thumbnail => vec!["image/*"],
            Self::Audio => vec!["audio/*"],
            Self::Video => vec!["video/*"],
            Self::Page => vec!["image/*", "text/*", "application/pdf"],
            Self::File => vec!["*/*"],
            Self::Subtitles => SUBTITLE_TYPES.iter().map(|(_, name)| *name).collect(),
        };
        types.push(PLAIN_BYTES);
        types
    }

    /// Status and meaning of the error of an item that exists, but whose bytes cannot be sent.
    pub fn error(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Thumbnail => Some(("422", "No thumbnail can be rendered of the file")),
            Self::Audio | Self::Video | Self::File => Some(("409", "The user has too many streams open")),
            Self::Image | Self::Subtitles | Self::Page => None,
        }
    }
}
