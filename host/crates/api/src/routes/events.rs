//! Live state, as server-sent events.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, ClientConnection, State};
use svc_events::Subscription;
use svc_http_io::event_stream::EventStream;

/// Events as they happen
///
/// Server-sent events: each message is one `data:` line with `{"type", "payload"}`, without `event:` and `id:`.
/// Comments come in between, every 15 seconds at the latest; they say nothing. Events are not stored: what happens
/// while no stream is open is not told later, so look again after connecting.
///
/// Each event is told to those who may hear it at that moment, by the roles of that moment. The end of an access token
/// does not end an open stream; that of its session, its account or a personal access token does. A client that does
/// not read is cut off when 256 events wait for it, or when its connection has taken nothing for 30 seconds. An account
/// has 1,000 streams at once at most; one more is answered 409.
///
/// | Type | Takes | Payload |
/// |---|---|---|
/// | `indexing.started` | `Indexing.Read` | `runId`, `startedAt`, `type` |
/// | `indexing.current_progress` | `Indexing.Read` | `runId`, `state`, `counts`, `currentPath?`, `filesPerSecond`, `etaSeconds?`; at most two a second |
/// | `indexing.paused`, `indexing.resumed` | `Indexing.Read` | `runId`, `at`, `counts`; when it has taken effect |
/// | `indexing.completed` | `Indexing.Read` | `runId`, `at`, `counts`, `status` |
/// | `indexing.stopped` | `Indexing.Read` | `runId`, `at`, `counts`, `status`: `stopped` by a user, or `failed` |
/// | `indexing.music_release_added` | `Indexing.Read` | `musicReleaseId`, `title` |
/// | `indexing.music_artist_added` | `Indexing.Read` | `musicArtistId`, `name` |
/// | `indexing.directory_changed` | `Indexing.Read` | `directoryId`, `mediaKind`, `available` |
/// | `playback_queue.extended` | `PlaybackQueues.Read`, and to be its owner | `playbackQueueId`, `added`, `total` |
/// | `job.started` | `Jobs.Read`, or to have asked for the job | `jobId`, `type`; also when it goes on |
/// | `job.current_progress` | the same | `jobId`, `completedTasks`, `totalTasks`; at most two a second |
/// | `job.completed` | the same | `jobId`, `status`: `completed`, `failed` or `cancelled` |
/// | `photo.updated` | `Photos.Read`, and to see the photo | `photoId` |
/// | `photo_album.created`, `photo_album.updated`, `photo_album.deleted` | `PhotoAlbums.Read`, and to see the album | `photoAlbumId` |
/// | `photo_album.photos_added`, `photo_album.photos_removed` | the same | `photoAlbumId`; `photoIds` for the album's owner |
/// | `music.waveform_ready` | `MusicTracks.Read` | `musicTrackId`, `waveform` as the endpoint answers it; to those who were answered 202 |
///
/// A run begins with `indexing.started` and ends with `indexing.completed` or `indexing.stopped`; nothing of it
/// follows. Additions, and photos that were read again, are missing or are back, come after they are stored; should
/// they come faster than they can be told, some are left out.
#[endpoint(
    parameters(
        ("token" = Option<String>, Query, description = "The credential, where no header can be set."),
        ("authorization" = Option<String>, Query, description = "Deprecated: an access token, and no other credential, with or without `Bearer `. Counts where there is no `token`.")
    ),
    responses((status_code = 409, description = "The account has as many streams open as one may"))
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
