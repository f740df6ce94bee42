//! Media kinds: the four built-in ones, and those that plugins add.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The name of a media kind: lower-case ASCII letters and digits, up to 32, starting with a letter.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MediaKind(Arc<str>);

/// The text is not a valid name of a media kind. It is not part of the message: a client may send anything.
#[derive(Debug, thiserror::Error)]
#[error("is not a media kind: up to 32 lower-case letters and digits, a letter first")]
pub struct InvalidMediaKind;

impl MediaKind {
    /// The kinds with a directory option of their own.
    pub const BUILT_IN: [&'static str; 4] = ["music", "photos", "movies", "tv"];

    /// Tracks, releases and artists.
    pub fn music() -> Self {
        Self("music".into())
    }

    /// Photos.
    pub fn photos() -> Self {
        Self("photos".into())
    }

    /// Movies.
    pub fn movies() -> Self {
        Self("movies".into())
    }

    /// TV shows.
    pub fn tv() -> Self {
        Self("tv".into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MediaKind {
    type Err = InvalidMediaKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let letter_first = text.starts_with(|c: char| c.is_ascii_lowercase());
        let well_formed = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        if letter_first && well_formed && text.len() <= 32 {
            Ok(Self(text.into()))
        } else {
            Err(InvalidMediaKind)
        }
    }
}

impl TryFrom<String> for MediaKind {
    type Error = InvalidMediaKind;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<MediaKind> for String {
    fn from(kind: MediaKind) -> Self {
        kind.0.as_ref().to_owned()
    }
}

impl fmt::Display for MediaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for MediaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MediaKind({})", self.0)
    }
}

/// A part of the cached responses with a version counter of its own: while music is scanned for the first time,
/// cached responses about photos stay valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CachePartition {
    /// Artists, releases, tracks and genres.
    Music,
    /// Photos and photo albums.
    Photos,
    /// Movies and TV shows.
    Video,
    /// Items of kinds that plugins define.
    Items,
}
