//! Albums of photos.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::id::{PhotoAlbumId, PhotoId, UserId};
use svc_domain::photo_album::PhotoAlbum;
use svc_domain::time::Timestamp;
use svc_library::photo_albums::PhotoResult;

/// An album, as the caller sees it.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PhotoAlbum"))]
#[serde(rename_all = "camelCase")]
pub struct PhotoAlbumView {
    #[salvo(schema(value_type = String))]
    photo_album_id: PhotoAlbumId,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[salvo(schema(value_type = String))]
    owner_user_id: UserId,
    /// `private`: the owner and `sharedWith`; `everyone`: whoever may look at albums.
    visibility: &'static str,
    /// Accounts that see it, for its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<Vec<String>>))]
    shared_with: Option<Vec<UserId>>,
    /// Photos in it that the caller sees.
    photo_count: i64,
    /// The owner's choice, or the first photo, of those that the caller sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    cover_photo_id: Option<PhotoId>,
    /// When the first photo was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    from: Option<Timestamp>,
    /// When the last photo was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    to: Option<Timestamp>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    /// When it, or what is in it, was last changed.
    #[salvo(schema(value_type = String))]
    modified_at: Timestamp,
}

impl PhotoAlbumView {
    /// The view for this caller.
    pub fn new(album: PhotoAlbum, caller: UserId) -> Self {
        Self {
            photo_album_id: album.id,
            name: album.name,
            description: album.description,
            owner_user_id: album.owner,
            visibility: if album.readers.everyone {
                "everyone"
            } else {
                "private"
            },
            shared_with: (album.owner == caller).then_some(album.readers.users),
            photo_count: album.photo_count,
            cover_photo_id: album.cover,
            from: album.span.map(|(from, _)| from),
            to: album.span.map(|(_, to)| to),
            created_at: album.id.created_at(),
            modified_at: album.modified_at,
        }
    }
}

/// What became of one photo.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PhotoAlbumResult"))]
#[serde(rename_all = "camelCase")]
pub struct PhotoResultView {
    photo_id: String,
    /// It is as asked.
    ok: bool,
    /// Why not: `photo_not_found`, `album_full`, `not_in_album`.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
}

impl From<PhotoResult> for PhotoResultView {
    fn from((photo_id, outcome): PhotoResult) -> Self {
        let code = outcome.code();
        Self {
            photo_id,
            ok: code.is_none(),
            code,
        }
    }
}
