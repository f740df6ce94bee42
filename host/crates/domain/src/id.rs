//! Identifiers: 63-bit numbers inside, opaque 13-character strings outside.
//!
//! An id holds the millisecond of its making in the upper 42 bits and a counter below, so ids sort by creation.
//! Numbers rather than ULID texts keep a row of the index and each of its index entries some 20 bytes smaller
//! (`docs/decisions/0001-ids.md`). Outside they are Crockford base32 in lower case, never a JSON number.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicI64, Ordering};

use sha2::{Digest, Sha256};

use crate::time::Timestamp;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 13 characters of 5 bits hold 65 bits, enough for any 63-bit number.
const TEXT_LENGTH: usize = 13;
const COUNTER_BITS: u32 = 21;
/// Of those, the lower ones count within a millisecond; the upper ones are the server's number.
const NODE_COUNTER_BITS: u32 = 13;

/// A text that is no id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an id: 13 characters of 0-9 and a-z without i, l, o, u")]
pub struct InvalidId;

fn encode(number: i64) -> String {
    let mut text = vec![b'0'; TEXT_LENGTH];
    let mut rest = number.unsigned_abs();
    for place in text.iter_mut().rev() {
        if let Some(digit) = ALPHABET.get((rest & 31) as usize) {
            *place = *digit;
        }
        rest >>= 5;
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn decode(text: &str) -> Result<i64, InvalidId> {
    if text.len() != TEXT_LENGTH {
        return Err(InvalidId);
    }
    let number = text.bytes().try_fold(0_u128, |number, byte| {
        let digit = ALPHABET
            .iter()
            .position(|&letter| letter == byte)
            .ok_or(InvalidId)?;
        Ok(number << 5 | digit as u128)
    })?;
    i64::try_from(number).map_err(|_| InvalidId)
}

macro_rules! id_types {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(i64);

        impl $name {
            /// The number, as the store keeps it.
            pub fn get(self) -> i64 {
                self.0
            }

            /// When the id was made.
            pub fn created_at(self) -> Timestamp {
                Timestamp::from_millis(self.0 >> COUNTER_BITS)
            }

            /// The smallest id of this moment: what was made since has an id from here on.
            pub fn first_at(moment: Timestamp) -> Self {
                Self(moment.millis().clamp(0, i64::MAX >> COUNTER_BITS) << COUNTER_BITS)
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&encode(self.0))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), encode(self.0))
            }
        }

        impl std::str::FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                decode(text).map(Self)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&encode(self.0))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}

id_types! {
    /// A local account.
    UserId,
    /// A signed-in session: the family of its refresh tokens.
    SessionId,
    /// A personal access token; says nothing about its secret.
    PersonalAccessTokenId,
    /// A web origin that may call.
    CorsOriginId,
    /// One line of the audit log.
    AuditId,
    /// A part of the media with a name of its own.
    LibraryId,
    /// A configured root directory of media.
    DirectoryId,
    /// A directory below a root.
    FolderId,
    /// A media file.
    FileId,
    /// A music track; the same number as its file's.
    MusicTrackId,
    /// An album, single or other release.
    MusicReleaseId,
    /// A person or group.
    MusicArtistId,
    /// A genre.
    MusicGenreId,
    /// A photo; the same number as its file's.
    PhotoId,
    /// An album of photos.
    PhotoAlbumId,
    /// A movie.
    MovieId,
    /// A show.
    TvShowId,
    /// A season of a show.
    TvSeasonId,
    /// An episode of a show.
    TvEpisodeId,
    /// A video file; the same number as its file's.
    VideoSourceId,
    /// One run of the indexer.
    RunId,
    /// One line of a run's log.
    RunLogId,
    /// An item whose type is said beside it.
    MediaId,
    /// A list of items to be played.
    PlaybackQueueId,
    /// One place in such a list.
    PlaybackQueueItemId,
    /// Long work that somebody asked for.
    JobId,
}

impl From<FileId> for MusicTrackId {
    fn from(file: FileId) -> Self {
        Self(file.0)
    }
}

impl From<FileId> for PhotoId {
    fn from(file: FileId) -> Self {
        Self(file.0)
    }
}

impl From<MusicTrackId> for FileId {
    fn from(track: MusicTrackId) -> Self {
        Self(track.0)
    }
}

impl From<PhotoId> for FileId {
    fn from(photo: PhotoId) -> Self {
        Self(photo.0)
    }
}

impl From<FileId> for VideoSourceId {
    fn from(file: FileId) -> Self {
        Self(file.0)
    }
}

impl From<VideoSourceId> for FileId {
    fn from(source: VideoSourceId) -> Self {
        Self(source.0)
    }
}

/// Subtitles of a video file: the file's id, and a digest of their file's name or of their stream's position. Nothing
/// has to be stored for it, and it stays when others come or go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SubtitleId {
    source: VideoSourceId,
    digest: i64,
}

impl SubtitleId {
    /// Of subtitles in a file of this name beside the video.
    pub fn of_file(source: VideoSourceId, name: &str) -> Self {
        Self::of(source, b"file", name.as_bytes())
    }

    /// Of subtitles in the video's own stream at this position.
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

/// Makes ids that rise for as long as it lives, even while the clock stands still or steps back.
///
/// The upper 8 bits of the counter are the server's number, so that two servers on one database never make the same id:
/// each leases its number in the database (`store/id_nodes.rs`), until a moment that no id of it reaches.
#[derive(Debug)]
pub struct IdGenerator {
    last: AtomicI64,
    node: i64,
    /// Milliseconds at which the lease of the number ends.
    until: AtomicI64,
}

impl IdGenerator {
    /// Servers that can make ids for one database.
    pub const NODES: i64 = 1 << (COUNTER_BITS - NODE_COUNTER_BITS);

    /// A generator whose number is nobody else's, for ever: the only one of its database.
    pub fn new(node: u8) -> Self {
        Self::leased(node, Timestamp::from_millis(i64::MAX))
    }

    /// A generator whose number is leased until that moment.
    pub fn leased(node: u8, until: Timestamp) -> Self {
        Self {
            last: AtomicI64::new(0),
            node: i64::from(node) << NODE_COUNTER_BITS,
            until: AtomicI64::new(until.millis()),
        }
    }

    /// Whether all ids made so far are of a moment before the end of the lease: nobody else made or makes them.
    pub fn is_covered(&self) -> bool {
        self.last_moment() < Timestamp::from_millis(self.until.load(Ordering::Acquire))
    }

    /// The moment of the last id.
    pub fn last_moment(&self) -> Timestamp {
        Timestamp::from_millis(self.last.load(Ordering::Acquire) >> COUNTER_BITS)
    }

    /// The lease goes on until that moment.
    pub fn extend(&self, until: Timestamp) {
        self.until.fetch_max(until.millis(), Ordering::AcqRel);
    }

    /// The id after this one. A counter that is full goes on in the next millisecond: the numbers above are another
    /// server's.
    fn after(&self, last: i64) -> i64 {
        let next = last + 1;
        if next & ((1 << NODE_COUNTER_BITS) - 1) == 0 {
            (((last >> COUNTER_BITS) + 1) << COUNTER_BITS) | self.node
        } else {
            next
        }
    }

    /// A new id, greater than all that this generator made before.
    pub fn next<T: From<i64>>(&self, now: Timestamp) -> T {
        let floor = (now.millis().max(0) << COUNTER_BITS) | self.node;
        let mut last = self.last.load(Ordering::Relaxed);
        loop {
            let id = floor.max(self.after(last));
            match self
                .last
                .compare_exchange_weak(last, id, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return T::from(id),
                Err(seen) => last = seen,
            }
        }
    }
}

#[cfg(test)]
#[path = "id_tests.rs"]
mod tests;
