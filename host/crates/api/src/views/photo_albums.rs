//! JSON of photo albums.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::id::{PhotoAlbumId, PhotoId, UserId};
use svc_domain::photo_album::PhotoAlbum;
use svc_domain::time::Timestamp;
use svc_library::photo_albums::PhotoResult;

/// A photo album. Counts, cover and times include only photos that the caller has access to.
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
    /// Who can read the album. `private`: its owner and the accounts in `sharedWith`; `everyone`: all accounts with the
    /// capability to read albums.
    visibility: &'static str,
    /// Ids of the accounts that the album is shared with; only for its owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<Vec<String>>))]
    shared_with: Option<Vec<UserId>>,
    /// Number of photos.
    photo_count: i64,
    /// The cover that the owner chose, or else the first photo.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    cover_photo_id: Option<PhotoId>,
    /// Time at which the earliest photo was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    from: Option<Timestamp>,
    /// Time at which the latest photo was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    to: Option<Timestamp>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    /// Time of the last change of the album or its list of photos.
    #[salvo(schema(value_type = String))]
    modified_at: Timestamp,
}

impl PhotoAlbumView {
    /// The album for this caller.
    pub fn new(album: PhotoAlbum, caller: UserId) -> Self {
        Self {
            photo_album_id: album.id,
            name: album.name,
            description: album.description,
            owner_user_id: album.owner,
            visibility: if album.viewers.everyone {
                "everyone"
            } else {
                "private"
            },
            shared_with: (album.owner == caller).then_some(album.viewers.users),
            photo_count: album.photo_count,
            cover_photo_id: album.cover,
            from: album.span.map(|(from, _)| from),
            to: album.span.map(|(_, to)| to),
            created_at: album.id.created_at(),
            modified_at: album.modified_at,
        }
    }
}

/// The result for one photo.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PhotoAlbumResult"))]
#[serde(rename_all = "camelCase")]
pub struct PhotoResultView {
    photo_id: String,
    /// The photo is now in the album, or no longer in it, as requested.
    ok: bool,
    /// Why the request failed for this photo: `photo_not_found`, `album_full` or `not_in_album`.
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
