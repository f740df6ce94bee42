//! Ids of subtitles.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use super::{InvalidId, TEXT_LENGTH, VideoSourceId, decode, encode};

/// The id of subtitles: the id of the video file, and a digest of the sidecar's name or the stream's index. It needs
/// no storage and stays the same when other subtitles are added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SubtitleId {
    source: VideoSourceId,
    digest: i64,
}

impl SubtitleId {
    /// For a sidecar of this name.
    pub fn of_file(source: VideoSourceId, name: &str) -> Self {
        Self::of(source, b"file", name.as_bytes())
    }

    /// For the stream with this index in the video file.
    pub fn of_stream(source: VideoSourceId, at: usize) -> Self {
        Self::of(source, b"stream", &at.to_le_bytes())
    }

    fn of(source: VideoSourceId, origin: &[u8], which: &[u8]) -> Self {
        let digest = Sha256::new()
            .chain_update(origin)
            .chain_update([0])
            .chain_update(which);
        let first = digest.finalize().into_iter().take(8);
        let number = first.fold(0_u64, |number, byte| number << 8 | u64::from(byte));
        Self {
            source,
            digest: (number >> 1).cast_signed(),
        }
    }

    /// The video file.
    pub fn source(self) -> VideoSourceId {
        self.source
    }
}

impl fmt::Display for SubtitleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.source, encode(self.digest))
    }
}

impl FromStr for SubtitleId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let (source, digest) = text.split_at_checked(TEXT_LENGTH).ok_or(InvalidId)?;
        Ok(Self {
            source: source.parse()?,
            digest: decode(digest)?,
        })
    }
}

impl serde::Serialize for SubtitleId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
