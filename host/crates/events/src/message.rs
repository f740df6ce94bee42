//! What can happen, who may hear of it, and its one encoding.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;

use svc_domain::id::UserId;
use svc_domain::library::MediaScope;
use svc_identity::capability::{Capability, CapabilitySet};

/// Everything that is told. A kind of a later version is one more line here and in the two functions below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A run of the indexer has begun.
    IndexingStarted,
    /// The numbers of the run under way.
    IndexingCurrentProgress,
    /// A run has looked at everything.
    IndexingCompleted,
    /// A run has ended early: by a user, or because it failed.
    IndexingStopped,
    /// A run is held.
    IndexingPaused,
    /// A run goes on.
    IndexingResumed,
    /// A release is new in the index.
    IndexingMusicReleaseAdded,
    /// An artist is new in the index.
    IndexingMusicArtistAdded,
    /// A directory of media came or went.
    IndexingDirectoryChanged,
    /// The server added items to a queue.
    PlaybackQueueExtended,
    /// What is known of a photo was changed: by a user, or by a run that read its file again.
    PhotoUpdated,
    /// Somebody made an album.
    PhotoAlbumCreated,
    /// What is said of an album was changed, or who sees it.
    PhotoAlbumUpdated,
    /// An album is gone.
    PhotoAlbumDeleted,
    /// Photos were put into an album.
    PhotoAlbumPhotosAdded,
    /// Photos were taken out of an album.
    PhotoAlbumPhotosRemoved,
    /// A waveform that somebody asked for is measured.
    MusicWaveformReady,
    /// A job has begun, or goes on.
    JobStarted,
    /// How far a job is.
    JobCurrentProgress,
    /// A job has ended.
    JobCompleted,
}

impl EventKind {
    /// The name in the message.
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
            Self::MusicWaveformReady => "music.waveform_ready",
            Self::JobStarted => "job.started",
            Self::JobCurrentProgress => "job.current_progress",
            Self::JobCompleted => "job.completed",
        }
    }

    /// What it takes to hear of it.
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
            Self::MusicWaveformReady => Capability::MusicTracksRead,
            Self::JobStarted | Self::JobCurrentProgress | Self::JobCompleted => Capability::JobsRead,
        }
    }

    /// Whether it may be left out when more happens than can be told. Nobody misses the end of a run.
    pub(super) fn is_droppable(self) -> bool {
        matches!(
            self,
            Self::IndexingCurrentProgress
                | Self::IndexingMusicReleaseAdded
                | Self::IndexingMusicArtistAdded
                | Self::PhotoUpdated
                | Self::MusicWaveformReady
                | Self::JobCurrentProgress
        )
    }
}

/// Who hears a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audience {
    /// Whoever has the capability.
    Readers(Capability),
    /// Whoever has the capability, and this user.
    ReadersAnd(Capability, UserId),
    /// This user alone, while they have the capability.
    Owner(Capability, UserId),
    /// Whoever has the capability, but for this user.
    ReadersExcept(Capability, UserId),
    /// These users, while they have the capability.
    Users(Capability, Arc<[UserId]>),
    /// Whoever has the capability and sees files in folders of this access class.
    Viewers(Capability, i64),
}

impl Audience {
    /// Whether a user who has these capabilities and sees so much belongs to it.
    pub fn includes(&self, user: UserId, capabilities: CapabilitySet, scope: &MediaScope) -> bool {
        let may = |capability: &Capability| capabilities.contains(*capability);
        match self {
            Self::Readers(capability) => may(capability),
            Self::ReadersAnd(capability, owner) => *owner == user || may(capability),
            Self::Owner(capability, owner) => *owner == user && may(capability),
            Self::ReadersExcept(capability, owner) => *owner != user && may(capability),
            Self::Users(capability, users) => users.contains(&user) && may(capability),
            Self::Viewers(capability, class) => may(capability) && scope.may_see_file(*class),
        }
    }
}

/// One message, as it goes out.
#[derive(Debug)]
pub struct Message {
    pub(super) kind: EventKind,
    pub(super) audience: Audience,
    /// The line, with the empty one after it.
    pub(super) text: Bytes,
}

#[derive(Serialize)]
struct EventJson<'a, P> {
    #[serde(rename = "type")]
    kind: &'static str,
    payload: &'a P,
}

impl Message {
    /// For everybody who has the kind's capability.
    pub fn new(kind: EventKind, payload: &impl Serialize) -> Self {
        Self::to(Audience::Readers(kind.capability()), kind, payload)
    }

    /// For these.
    pub fn to(audience: Audience, kind: EventKind, payload: &impl Serialize) -> Self {
        let envelope = EventJson {
            kind: kind.name(),
            payload,
        };
        // JSON has no line end outside of texts, and escapes those inside: one line, whatever the payload is.
        let mut text = b"data: ".to_vec();
        if let Err(error) = serde_json::to_writer(&mut text, &envelope) {
            tracing::error!(kind = kind.name(), %error, "an event could not be encoded");
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
    fn message_is_one_line_of_data_whatever_its_payload_holds() {
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
    fn audience_is_decided_by_capability_and_owner() {
        let (ada, bob) = (UserId::from(1), UserId::from(2));
        let jobs = Capability::JobsRead;
        let with: CapabilitySet = [jobs].into_iter().collect();
        let without = CapabilitySet::NONE;
        // (audience, user, capabilities, hears it)
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
        ];
        let scope = MediaScope::classes([3]);
        for (audience, user, capabilities, hears) in cases {
            assert_eq!(
                audience.includes(user, capabilities, &scope),
                hears,
                "{audience:?} {user:?}"
            );
        }
    }
}
