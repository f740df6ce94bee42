//! Payloads of the events of photos and photo albums.

use serde::Serialize;

use crate::broadcaster::Events;
use crate::message::{Audience, EventKind, Message};
use svc_domain::id::{PhotoAlbumId, PhotoId, UserId};
use svc_domain::photo_album::AlbumViewers;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Updated {
    photo_id: PhotoId,
}

/// `photo.updated`, for users who may access files in folders of this access class.
pub fn updated(photo: PhotoId, access_class: i64) -> Message {
    let kind = EventKind::PhotoUpdated;
    let audience = Audience::Viewers(kind.capability(), access_class);
    Message::to(audience, kind, &Updated { photo_id: photo })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Album<'a> {
    photo_album_id: PhotoAlbumId,
    #[serde(skip_serializing_if = "Option::is_none")]
    photo_ids: Option<&'a [PhotoId]>,
}

/// Publishes an event about an album: to its owner with the affected photos, and to its readers without them, since
/// they may have no access to the photos.
pub fn publish_album(
    events: &Events,
    kind: EventKind,
    (owner, album): (UserId, PhotoAlbumId),
    viewers: &AlbumViewers,
    photos: Option<&[PhotoId]>,
) {
    let capability = kind.capability();
    let payload = |photo_ids| Album {
        photo_album_id: album,
        photo_ids,
    };
    events.publish(|| Message::to(Audience::Owner(capability, owner), kind, &payload(photos)));
    let others = if viewers.everyone {
        Audience::ReadersExcept(capability, owner)
    } else if viewers.users.is_empty() {
        return;
    } else {
        Audience::Users(capability, viewers.users.as_slice().into())
    };
    events.publish(|| Message::to(others, kind, &payload(None)));
}
