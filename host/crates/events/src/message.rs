//! The kinds of events, their audience, and their encoding.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;

use svc_domain::id::UserId;
use svc_domain::library::MediaScope;
use svc_identity::capability::{Capability, CapabilitySet};

/// Kinds of events. To add one: a variant, and a line in each of the functions below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A scan started.
    IndexingStarted,
    /// Counts of the running scan.
    IndexingCurrentProgress,
    /// A scan completed.
    IndexingCompleted,
    /// A scan was stopped by a user or failed.
    IndexingStopped,
    /// A scan was paused.
    IndexingPaused,
    /// A scan was resumed.
    IndexingResumed,
    /// A release was indexed for the first time.
    IndexingMusicReleaseAdded,
    /// An artist was indexed for the first time.
    IndexingMusicArtistAdded,
    /// A media directory became available or unavailable.
    IndexingDirectoryChanged,
    /// The server added items to a playback queue.
    PlaybackQueueExtended,
    /// A photo's metadata changed, by a user or a scan.
    PhotoUpdated,
    /// A photo album was created.
    PhotoAlbumCreated,
    /// Attributes or readers of a photo album changed.
    PhotoAlbumUpdated,
    /// A photo album was deleted.
    PhotoAlbumDeleted,
    /// Photos were added to an album.
    PhotoAlbumPhotosAdded,
    /// Photos were removed from an album.
    PhotoAlbumPhotosRemoved,
    /// An item of a plugin's kind was indexed for the first time.
    ItemAdded,
    /// The metadata or files of an item of a plugin's kind changed.
    ItemUpdated,
    /// An item of a plugin's kind was removed from the index.
    ItemRemoved,
    /// A requested waveform was computed.
    MusicWaveformReady,
    /// A plugin became active or ceased to be, or its version changed.
    PluginStateChanged,
    /// An invitation was created.
    InvitationCreated,
    /// A cloud account holds an invitation.
    InvitationBound,
    /// An account was created with an invitation.
    InvitationClaimed,
    /// An invitation ended unused.
    InvitationExpired,
    /// An invitation was revoked.
    InvitationRevoked,
    /// A job started or was resumed.
    JobStarted,
    /// Progress of a job.
    JobCurrentProgress,
    /// A job completed, failed or was cancelled.
    JobCompleted,
}

impl EventKind {
    /// The `type` of the message.
    pub fn name(self) -> &'static str {
        match self {
            Self::IndexingStarted => "indexing.started",
            Self::IndexingCurrentProgress => "indexing.current_progress",
            Self::IndexingCompleted => "indexing.completed",
            Self::IndexingStopped => "indexing.stopped",
            Self::IndexingPaused => "indexing.paused",
            Self::IndexingResumed => "indexing.resumed",
            Self::IndexingMusicReleaseAdded => "indexing.music_release_added",
            Self::IndexingMusicArtistAdded => "indexing.music_artist_added",
            Self::IndexingDirectoryChanged => "indexing.directory_changed",
            Self::PlaybackQueueExtended => "playback_queue.extended",
            Self::PhotoUpdated => "photo.updated",
            Self::PhotoAlbumCreated => "photo_album.created",
            Self::PhotoAlbumUpdated => "photo_album.updated",
            Self::PhotoAlbumDeleted => "photo_album.deleted",
            Self::PhotoAlbumPhotosAdded => "photo_album.photos_added",
            Self::PhotoAlbumPhotosRemoved => "photo_album.photos_removed",
            Self::ItemAdded => "item.added",
            Self::ItemUpdated => "item.updated",
            Self::ItemRemoved => "item.removed",
            Self::MusicWaveformReady => "music.waveform_ready",
            Self::PluginStateChanged => "plugin.state_changed",
            Self::InvitationCreated => "invitation.created",
            Self::InvitationBound => "invitation.bound",
            Self::InvitationClaimed => "invitation.claimed",
            Self::InvitationExpired => "invitation.expired",
            Self::InvitationRevoked => "invitation.revoked",
            Self::JobStarted => "job.started",
            Self::JobCurrentProgress => "job.current_progress",
            Self::JobCompleted => "job.completed",
        }
    }

    /// The capability to receive it.
    pub fn capability(self) -> Capability {
        match self {
            Self::IndexingStarted
            | Self::IndexingCurrentProgress
            | Self::IndexingCompleted
            | Self::IndexingStopped
            | Self::IndexingPaused
            | Self::IndexingResumed
            | Self::IndexingMusicReleaseAdded
            | Self::IndexingMusicArtistAdded
            | Self::IndexingDirectoryChanged => Capability::IndexingRead,
            Self::PlaybackQueueExtended => Capability::PlaybackQueuesRead,
            Self::PhotoUpdated => Capability::PhotosRead,
            Self::PhotoAlbumCreated
            | Self::PhotoAlbumUpdated
            | Self::PhotoAlbumDeleted
            | Self::PhotoAlbumPhotosAdded
            | Self::PhotoAlbumPhotosRemoved => Capability::PhotoAlbumsRead,
            Self::ItemAdded | Self::ItemUpdated | Self::ItemRemoved => Capability::ItemsRead,
            Self::MusicWaveformReady => Capability::MusicTracksRead,
            Self::PluginStateChanged => Capability::PluginsRead,
            Self::InvitationCreated
            | Self::InvitationBound
            | Self::InvitationClaimed
            | Self::InvitationExpired
            | Self::InvitationRevoked => Capability::InvitationsRead,
            Self::JobStarted | Self::JobCurrentProgress | Self::JobCompleted => Capability::JobsRead,
        }
    }

    /// Whether the event may be discarded when the inbox is full. The end of a scan or job is never discarded.
    pub(super) fn is_droppable(self) -> bool {
        matches!(
            self,
            Self::IndexingCurrentProgress
                | Self::IndexingMusicReleaseAdded
                | Self::IndexingMusicArtistAdded
                | Self::PhotoUpdated
                | Self::ItemAdded
                | Self::ItemUpdated
                | Self::ItemRemoved
                | Self::MusicWaveformReady
                | Self::JobCurrentProgress
        )
    }
}

/// The users who receive a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audience {
    /// All users with the capability.
    Readers(Capability),
    /// All users with the capability, and this user without it.
    ReadersAnd(Capability, UserId),
    /// This user, if they have the capability.
    Owner(Capability, UserId),
    /// All users with the capability except this one.
    ReadersExcept(Capability, UserId),
    /// Those of these users who have the capability.
    Users(Capability, Arc<[UserId]>),
    /// All users with the capability who may access files in folders of this access class.
    Viewers(Capability, i64),
    /// All users with the capability who may access files in folders of one of these access classes.
    ViewersOfAny(Capability, Arc<[i64]>),
}

impl Audience {
    /// Whether a user with these capabilities and this scope belongs to the audience.
    pub fn includes(&self, user: UserId, capabilities: CapabilitySet, scope: &MediaScope) -> bool {
        let may = |capability: &Capability| capabilities.contains(*capability);
        match self {
            Self::Readers(capability) => may(capability),
            Self::ReadersAnd(capability, owner) => *owner == user || may(capability),
            Self::Owner(capability, owner) => *owner == user && may(capability),
            Self::ReadersExcept(capability, owner) => *owner != user && may(capability),
            Self::Users(capability, users) => users.contains(&user) && may(capability),
            Self::Viewers(capability, class) => may(capability) && scope.can_see_file(*class),
            Self::ViewersOfAny(capability, classes) => {
                may(capability) && classes.iter().any(|class| scope.can_see_file(*class))
            }
        }
    }
}

/// An encoded message.
#[derive(Debug)]
pub struct Message {
    pub(super) kind: EventKind,
    pub(super) audience: Audience,
    /// The `data:` line and the empty line that ends the message.
    pub(super) text: Bytes,
}

#[derive(Serialize)]
struct EventJson<'a, P> {
    #[serde(rename = "type")]
    kind: &'static str,
    payload: &'a P,
}

impl Message {
    /// For all users with the capability of the kind.
    pub fn new(kind: EventKind, payload: &impl Serialize) -> Self {
        Self::to(Audience::Readers(kind.capability()), kind, payload)
    }

    /// For the given audience.
    pub fn to(audience: Audience, kind: EventKind, payload: &impl Serialize) -> Self {
        let envelope = EventJson {
            kind: kind.name(),
            payload,
        };
        // JSON has no line breaks outside of strings and escapes those within: any payload is one line.
        let mut text = b"data: ".to_vec();
        if let Err(error) = serde_json::to_writer(&mut text, &envelope) {
            tracing::error!(kind = kind.name(), %error, "event could not be encoded");
        }
        text.extend_from_slice(b"\n\n");
        Self {
            kind,
            audience,
            text: text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_one_data_line_for_any_payload() {
        let payload = serde_json::json!({"title": "a\nb\r\n\ndata: c\u{2028}"});
        let message = Message::new(EventKind::IndexingMusicReleaseAdded, &payload);
        let text = std::str::from_utf8(&message.text).unwrap();
        let line = text.strip_suffix("\n\n").unwrap();
        assert!(!line.contains(['\n', '\r']), "{line}");
        let json = line.strip_prefix("data: ").unwrap();
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(json["type"], "indexing.music_release_added");
        assert_eq!(json["payload"], payload);
    }

    #[test]
    fn audience_depends_on_capability_owner_and_scope() {
        let (ada, bob) = (UserId::from(1), UserId::from(2));
        let jobs = Capability::JobsRead;
        let with: CapabilitySet = [jobs].into_iter().collect();
        let without = CapabilitySet::NONE;
        // (audience, user, capabilities, receives)
        let cases = [
            (Audience::Readers(jobs), ada, with, true),
            (Audience::Readers(jobs), ada, without, false),
            (Audience::ReadersAnd(jobs, ada), ada, without, true),
            (Audience::ReadersAnd(jobs, ada), bob, without, false),
            (Audience::ReadersAnd(jobs, ada), bob, with, true),
            (Audience::Owner(jobs, ada), ada, with, true),
            (Audience::Owner(jobs, ada), ada, without, false),
            (Audience::Owner(jobs, ada), bob, with, false),
            (Audience::ReadersExcept(jobs, bob), ada, with, true),
            (Audience::ReadersExcept(jobs, ada), ada, with, false),
            (Audience::ReadersExcept(jobs, bob), ada, without, false),
            (Audience::Users(jobs, [bob, ada].into()), ada, with, true),
            (Audience::Users(jobs, [bob].into()), ada, with, false),
            (Audience::Users(jobs, [ada].into()), ada, without, false),
            (Audience::Viewers(jobs, 3), ada, with, true),
            (Audience::Viewers(jobs, 4), ada, with, false),
            (Audience::Viewers(jobs, 3), ada, without, false),
            (Audience::ViewersOfAny(jobs, [4, 3].into()), ada, with, true),
            (Audience::ViewersOfAny(jobs, [4].into()), ada, with, false),
            (Audience::ViewersOfAny(jobs, [3].into()), ada, without, false),
        ];
        let scope = MediaScope::classes([3]);
        for (audience, user, capabilities, receives) in cases {
            assert_eq!(
                audience.includes(user, capabilities, &scope),
                receives,
                "{audience:?} {user:?}"
            );
        }
    }
}
