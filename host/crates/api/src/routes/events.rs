//! The event stream: `GET /events/subscribe`.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, ClientConnection, State};
use svc_events::Subscription;
use svc_http_io::event_stream::EventStream;

/// Subscribe to events
///
/// Server-sent events: each message is one `data:` line with `{"type", "payload"}`, without `event:` and `id:`. The server
/// sends a comment at least every 15 seconds, which clients ignore. Events are not stored: a client that was disconnected
/// must fetch the current state after it has connected again.
///
/// The server sends an event to the accounts that have the required capability when the event happens. A stream stays open
/// when its access token expires; it ends with its session, its account or its personal access token. The server closes
/// the stream of a client that has 256 unread events, or whose connection accepts no data for 30 seconds. An account can
/// have 1,000 open streams; the response to a further request is 409.
///
/// | Type | Requires | Payload |
/// |---|---|---|
/// | `indexing.started` | `Indexing.Read` | `runId`, `startedAt`, `type` |
/// | `indexing.current_progress` | `Indexing.Read` | `runId`, `state`, `counts`, `currentPath?`, `filesPerSecond`, `etaSeconds?`; at most two per second |
/// | `indexing.paused`, `indexing.resumed` | `Indexing.Read` | `runId`, `at`, `counts`; sent when the action has taken effect |
/// | `indexing.completed` | `Indexing.Read` | `runId`, `at`, `counts`, `status` |
/// | `indexing.stopped` | `Indexing.Read` | `runId`, `at`, `counts`, `status`: `stopped` by a user, or `failed` |
/// | `indexing.music_release_added` | `Indexing.Read` | `musicReleaseId`, `title` |
/// | `indexing.music_artist_added` | `Indexing.Read` | `musicArtistId`, `name` |
/// | `indexing.directory_changed` | `Indexing.Read` | `directoryId`, `mediaKind`, `available` |
/// | `playback_queue.extended` | `PlaybackQueues.Read`, and the queue to be the caller's | `playbackQueueId`, `added`, `total` |
/// | `job.started` | `Jobs.Read`, or the job to be created by the caller | `jobId`, `type`; also sent when the job resumes |
/// | `job.current_progress` | the same | `jobId`, `completedTasks`, `totalTasks`; at most two per second |
/// | `job.completed` | the same | `jobId`, `status`: `completed`, `failed` or `cancelled` |
/// | `invitation.created`, `invitation.bound`, `invitation.expired`, `invitation.revoked` | `Invitations.Read` | `invitationId`, `role`, `status` |
/// | `invitation.claimed` | `Invitations.Read` | `invitationId`, `role`, `status`, `claimedBy` |
/// | `plugin.state_changed` | `Plugins.Read` | `pluginId`, `version`, `state`: that of `GET /plugins`, or `removed`; `reason` |
/// | `photo.updated` | `Photos.Read`, and access to the photo | `photoId` |
/// | `photo_album.created`, `photo_album.updated`, `photo_album.deleted` | `PhotoAlbums.Read`, and access to the album | `photoAlbumId` |
/// | `photo_album.photos_added`, `photo_album.photos_removed` | the same | `photoAlbumId`; `photoIds` only for the owner of the album |
/// | `item.added`, `item.updated` | `Items.Read`, and access to the item | `itemId`, `kind` |
/// | `item.removed` | `Items.Read` | `itemId`, `kind` |
/// | `music.waveform_ready` | `MusicTracks.Read` | `musicTrackId`, `waveform` as in the response of the endpoint; sent to callers that received 202 |
///
/// The first event of a run is `indexing.started`, the last one `indexing.completed` or `indexing.stopped`. Events about
/// added releases and artists, about items of plugins, and about photos that were read again, went missing or came back, are sent after the change
/// is stored. The server drops some of them if they occur faster than it can send them.
#[endpoint(
    parameters(
        ("token" = Option<String>, Query, description = "The credential, for clients that cannot set headers."),
        ("authorization" = Option<String>, Query, description = "Deprecated: an access token, with or without `Bearer `. Other credentials are rejected. Ignored if `token` is present.")
    ),
    responses((status_code = 409, description = "The account has 1,000 open streams"))
)]
pub async fn subscribe_to_events(
    state: State,
    caller: Caller,
    connection: ClientConnection,
) -> Result<EventStream<Subscription>, ApiError> {
    let cut = move || connection.0.abort();
    let subscription = state.streams.subscribe(&caller, cut).await?;
    Ok(EventStream(subscription))
}
