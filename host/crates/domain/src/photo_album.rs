//! Albums: photos that somebody put together, in their order.

use crate::id::{PhotoAlbumId, PhotoId, UserId};
use crate::time::Timestamp;

/// An album, as one caller sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhotoAlbum {
    /// Identifier.
    pub id: PhotoAlbumId,
    /// Who made it; nobody else changes it.
    pub owner: UserId,
    /// Its name; several may have the same.
    pub name: String,
    /// What there is to say about it.
    pub description: Option<String>,
    /// Who else sees it.
    pub readers: AlbumReaders,
    /// Photos in it that the caller sees.
    pub photo_count: i64,
    /// The picture that stands for it: the owner's choice if the caller sees it, otherwise the first they see.
    pub cover: Option<PhotoId>,
    /// When the first and the last photo that the caller sees were taken.
    pub span: Option<(Timestamp, Timestamp)>,
    /// When it, or what is in it, was last changed.
    pub modified_at: Timestamp,
}

/// Who sees an album beside its owner.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlbumReaders {
    /// Whoever may look at albums.
    pub everyone: bool,
    /// These accounts.
    pub users: Vec<UserId>,
}

impl AlbumReaders {
    /// Those of either.
    pub fn union(mut self, other: Self) -> Self {
        self.everyone |= other.everyone;
        self.users.extend(other.users);
        self.users.sort_unstable();
        self.users.dedup();
        self
    }
}

/// What is to be changed of an album.
#[derive(Debug, Clone, Default)]
pub struct PhotoAlbumPatch {
    /// Its name.
    pub name: Option<String>,
    /// What there is to say about it; `Some(None)` for nothing.
    pub description: Option<Option<String>>,
    /// Whether everybody sees it.
    pub everyone: Option<bool>,
    /// All accounts that see it.
    pub users: Option<Vec<UserId>>,
    /// The picture that stands for it; `Some(None)` for the first.
    pub cover: Option<Option<PhotoId>>,
}

/// What became of a photo that was to be put into an album or taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlbumPhotoOutcome {
    /// It is as asked.
    Done,
    /// There is no such photo for the caller.
    NoSuchPhoto,
    /// The album holds as many as it may.
    AlbumFull,
    /// It is not in the album.
    NotInAlbum,
}

impl AlbumPhotoOutcome {
    /// What the API says of it, if it is not as asked.
    pub fn code(self) -> Option<&'static str> {
        match self {
            Self::Done => None,
            Self::NoSuchPhoto => Some("photo_not_found"),
            Self::AlbumFull => Some("album_full"),
            Self::NotInAlbum => Some("not_in_album"),
        }
    }
}
