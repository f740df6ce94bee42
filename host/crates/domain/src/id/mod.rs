//! Ids: 63-bit numbers in the server and the store, opaque strings of 13 characters in the API.
//!
//! An id has the millisecond of its creation in the upper 42 bits and a counter in the lower ones, so ids sort by
//! creation. Compared with ULID texts, numbers save about 20 bytes per row and per index entry
//! (`docs/decisions/0001-ids.md`). The API has lower-case Crockford base32, never a JSON number.

mod generator;
mod subtitle;

#[cfg(test)]
mod tests;

pub use generator::IdGenerator;
pub use subtitle::SubtitleId;

use crate::time::Timestamp;

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 13 characters of 5 bits hold 65 bits, enough for any 63-bit number.
const TEXT_LENGTH: usize = 13;
const COUNTER_BITS: u32 = 21;
/// The lower bits of the counter count within a millisecond; the upper 8 bits are the node number of the server.
const NODE_COUNTER_BITS: u32 = 13;

/// The text is not an id.
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
            /// The number in the store.
            pub fn get(self) -> i64 {
                self.0
            }

            /// When the id was created.
            pub fn created_at(self) -> Timestamp {
                Timestamp::from_millis(self.0 >> COUNTER_BITS)
            }

            /// The smallest id that can be created at or after this time.
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
    /// An account.
    UserId,
    /// A session with its refresh tokens.
    SessionId,
    /// A personal access token; independent of its secret.
    PersonalAccessTokenId,
    /// An invitation.
    InvitationId,
    /// An allowed web origin.
    CorsOriginId,
    /// An entry of the audit log.
    AuditId,
    /// A library.
    LibraryId,
    /// A configured root of media.
    DirectoryId,
    /// A directory below a root.
    FolderId,
    /// A media file.
    FileId,
    /// A music track; the same number as the file's.
    MusicTrackId,
    /// A release such as an album or single.
    MusicReleaseId,
    /// An artist: a person or group.
    MusicArtistId,
    /// A genre.
    MusicGenreId,
    /// A photo; the same number as the file's.
    PhotoId,
    /// A photo album.
    PhotoAlbumId,
    /// A movie.
    MovieId,
    /// A TV show.
    TvShowId,
    /// A season.
    TvSeasonId,
    /// An episode.
    TvEpisodeId,
    /// A video file; the same number as the file's.
    VideoSourceId,
    /// An item of a kind that a plugin defines; the same number as the file's if its file is the item.
    ItemId,
    /// A scan.
    RunId,
    /// An entry of a scan's log.
    RunLogId,
    /// An item whose type is given separately.
    MediaId,
    /// A playback queue.
    PlaybackQueueId,
    /// An entry of a playback queue.
    PlaybackQueueItemId,
    /// A job.
    JobId,
}

/// Conversions between the id of a file and the id of its item, which have the same number.
macro_rules! ids_of_files {
    ($($name:ident),+) => {$(
        impl From<FileId> for $name {
            fn from(file: FileId) -> Self {
                Self(file.0)
            }
        }

        impl From<$name> for FileId {
            fn from(item: $name) -> Self {
                Self(item.0)
            }
        }
    )+};
}

ids_of_files!(MusicTrackId, PhotoId, VideoSourceId);

impl From<FileId> for ItemId {
    fn from(file: FileId) -> Self {
        Self(file.0)
    }
}
