//! Photo albums: ordered collections of photos that users create.

use crate::id::{PhotoAlbumId, PhotoId, UserId};
use crate::time::Timestamp;

/// An album as one caller sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhotoAlbum {
    /// Id.
    pub id: PhotoAlbumId,
    /// The account that created the album and alone may change it.
    pub owner: UserId,
    /// Not unique.
    pub name: String,
    /// Free text.
    pub description: Option<String>,
    /// Who else may view the album.
    pub viewers: AlbumViewers,
    /// Number of its photos that the caller may access.
    pub photo_count: i64,
    /// The photo that represents the album: the owner's choice if the caller may access it, otherwise the first
    /// accessible one.
    pub cover: Option<PhotoId>,
    /// When the first and the last accessible photo were taken.
    pub span: Option<(Timestamp, Timestamp)>,
    /// When the album or its list of photos last changed.
    pub modified_at: Timestamp,
}

/// Who may view an album besides its owner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlbumViewers {
    /// All accounts that may view albums.
    pub everyone: bool,
    /// These accounts only.
    pub users: Vec<UserId>,
}

impl AlbumViewers {
    /// Those of both.
    pub fn union(mut self, other: Self) -> Self {
        self.everyone |= other.everyone;
        self.users.extend(other.users);
        self.users.sort_unstable();
        self.users.dedup();
        self
    }
}

/// A change of an album; `None` leaves a value as it is.
#[derive(Debug, Clone, Default)]
pub struct PhotoAlbumPatch {
    /// Not unique.
    pub name: Option<String>,
    /// `Some(None)` removes the description.
    pub description: Option<Option<String>>,
    /// Whether all accounts may view the album.
    pub everyone: Option<bool>,
    /// Replaces the list of accounts that may view it.
    pub users: Option<Vec<UserId>>,
    /// `Some(None)` removes the choice: the first photo is used.
    pub cover: Option<Option<PhotoId>>,
}

/// The result of adding a photo to an album or removing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlbumPhotoOutcome {
    /// Added or removed.
    Done,
    /// The photo does not exist or the caller may not access it.
    NoSuchPhoto,
    /// The album has reached its limit of photos.
    AlbumFull,
    /// The photo to remove is not in the album.
    NotInAlbum,
}

impl AlbumPhotoOutcome {
    /// The error code in the API; `None` on success.
    pub fn code(self) -> Option<&'static str> {
        match self {
            Self::Done => None,
            Self::NoSuchPhoto => Some("photo_not_found"),
            Self::AlbumFull => Some("album_full"),
            Self::NotInAlbum => Some("not_in_album"),
        }
    }
}
