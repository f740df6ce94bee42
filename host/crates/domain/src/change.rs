//! The log of changed items, for clients that synchronize.

use crate::named_enum::named_enum;
use crate::time::Timestamp;

named_enum! {
    /// The type of an item in events, changes and mixed lists.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ItemType: i16 {
        /// A track.
        MusicTrack = 0 => "music_track",
        /// A release.
        MusicRelease = 1 => "music_release",
        /// An artist.
        MusicArtist = 2 => "music_artist",
        /// A photo.
        Photo = 3 => "photo",
        /// A movie.
        Movie = 4 => "movie",
        /// A TV show.
        TvShow = 5 => "tv_show",
        /// An episode.
        TvEpisode = 6 => "tv_episode",
        /// An item of a kind that a plugin defines.
        Item = 7 => "item",
    }
}

impl ItemType {
    /// Whether items of this type have a playback position, or a page for that.
    pub fn is_played(self) -> bool {
        matches!(
            self,
            Self::MusicTrack | Self::Movie | Self::TvEpisode | Self::Item
        )
    }
}

named_enum! {
    /// What happened to an item.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ChangeKind: i16 {
        /// Indexed for the first time.
        Added = 0 => "added",
        /// Its metadata changed.
        Updated = 1 => "updated",
        /// Removed from the index.
        Removed = 2 => "removed",
        /// Its file is missing; the item is kept.
        Missing = 3 => "missing",
        /// Its missing file is back.
        Restored = 4 => "restored",
    }
}

/// The type of a changed item, and what happened to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChangeType {
    /// Type of the item.
    pub item: ItemType,
    /// What happened.
    pub kind: ChangeKind,
}

/// Numbers per item type in the stored number; more than there are kinds of changes.
const KINDS: i16 = 8;

impl ChangeType {
    /// The number in the store.
    pub fn number(self) -> i16 {
        self.item as i16 * KINDS + self.kind as i16
    }

    /// Reverses [`Self::number`].
    pub fn from_number(number: i16) -> Option<Self> {
        let (item, kind) = (number.div_euclid(KINDS), number.rem_euclid(KINDS));
        Some(Self {
            item: ItemType::from_number(item)?,
            kind: ChangeKind::from_number(kind)?,
        })
    }
}

/// An entry of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Sequence number: ascending, with gaps.
    pub seq: i64,
    /// Type of the change.
    pub change: ChangeType,
    /// The number of the item's id; `change.item` determines its type.
    pub item: i64,
    /// When it happened.
    pub at: Timestamp,
}

/// A page of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Oldest first.
    pub changes: Vec<Change>,
    /// Sequence number to continue from.
    pub next: i64,
    /// Earlier entries were purged: the client has to fetch everything again.
    pub incomplete: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_types_round_trip_as_numbers() {
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
