//! What changed in the library, for clients that were away.

use crate::time::Timestamp;

/// A type of item, as events and changes name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i16)]
pub enum ItemType {
    /// A track.
    MusicTrack = 0,
    /// A release.
    MusicRelease = 1,
    /// An artist.
    MusicArtist = 2,
    /// A photo.
    Photo = 3,
    /// A movie.
    Movie = 4,
    /// A show.
    TvShow = 5,
    /// An episode.
    TvEpisode = 6,
}

impl ItemType {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::MusicTrack,
        Self::MusicRelease,
        Self::MusicArtist,
        Self::Photo,
        Self::Movie,
        Self::TvShow,
        Self::TvEpisode,
    ];

    /// The type of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|item| item.as_str() == name)
    }

    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MusicTrack => "music_track",
            Self::MusicRelease => "music_release",
            Self::MusicArtist => "music_artist",
            Self::Photo => "photo",
            Self::Movie => "movie",
            Self::TvShow => "tv_show",
            Self::TvEpisode => "tv_episode",
        }
    }

    /// The type with this number in the store.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|item| *item as i16 == number)
    }

    /// Whether it is played, rather than looked at or made of others.
    pub fn is_played(self) -> bool {
        matches!(self, Self::MusicTrack | Self::Movie | Self::TvEpisode)
    }
}

/// What happened to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum ChangeKind {
    /// It is new.
    Added = 0,
    /// What is known of it changed.
    Updated = 1,
    /// It is gone from the index.
    Removed = 2,
    /// Its file is not there; it is kept.
    Missing = 3,
    /// Its file is there again.
    Restored = 4,
}

impl ChangeKind {
    const ALL: [Self; 5] = [
        Self::Added,
        Self::Updated,
        Self::Removed,
        Self::Missing,
        Self::Restored,
    ];

    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Removed => "removed",
            Self::Missing => "missing",
            Self::Restored => "restored",
        }
    }
}

/// What happened to which type of item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChangeType {
    /// To what.
    pub item: ItemType,
    /// What.
    pub kind: ChangeKind,
}

/// Kinds a type of item has room for in the stored number.
const KINDS: i16 = 8;

impl ChangeType {
    /// The number in the store.
    pub fn number(self) -> i16 {
        self.item as i16 * KINDS + self.kind as i16
    }

    /// The type with this number.
    pub fn from_number(number: i16) -> Option<Self> {
        let (item, kind) = (number.div_euclid(KINDS), number.rem_euclid(KINDS));
        Some(Self {
            item: ItemType::from_number(item)?,
            kind: ChangeKind::ALL.into_iter().find(|known| *known as i16 == kind)?,
        })
    }
}

/// One change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Rises with time; gaps have no meaning.
    pub seq: i64,
    /// What happened to what.
    pub change: ChangeType,
    /// The item, as a number: its type says which id it is.
    pub item: i64,
    /// When.
    pub at: Timestamp,
}

/// Changes since a place in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Oldest first.
    pub changes: Vec<Change>,
    /// The place after them.
    pub next: i64,
    /// What lay between is not known any more: the client is to fetch everything anew.
    pub incomplete: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_type_survives_its_number() {
        for item in ItemType::ALL {
            for kind in ChangeKind::ALL {
                let change = ChangeType { item, kind };
                assert_eq!(ChangeType::from_number(change.number()), Some(change));
            }
        }
        assert_eq!(ChangeType::from_number(7), None);
        assert_eq!(ChangeType::from_number(-1), None);
    }
}
