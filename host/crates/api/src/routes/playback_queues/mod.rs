//! Playback queues of the caller.

pub mod input;

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::body::Body;
use crate::extract::{Caller, PathId, State};
use crate::list_query;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, Page};
use crate::routes::playback_queues::input::{
    AddPlaybackQueueItemsInput, CreatePlaybackQueueInput, MovePlaybackQueueItemInput,
    PlaybackQueueCursorInput, named_items,
};
use crate::versioned::{CreatedVersioned, IfMatch, Versioned};
use crate::views::playback_queues::{QueueItemView, QueueView};
use svc_domain::id::{PlaybackQueueId, PlaybackQueueItemId};
use svc_domain::list::{Listing, Pagination};
use svc_domain::playback_queue::{MAX_WINDOW, PlaybackQueue};
use svc_library::playback_queues::Window;

/// Default of `leading` and `trailing`.
const WINDOW: i64 = 12;

impl From<PlaybackQueue> for Versioned<QueueView> {
    fn from(queue: PlaybackQueue) -> Self {
        Self(queue.revision, queue.into())
    }
}

impl From<PlaybackQueue> for CreatedVersioned<QueueView> {
    fn from(queue: PlaybackQueue) -> Self {
        Self(queue.revision, queue.into())
    }
}

/// The query of `GET /playback-queues`.
#[derive(Debug)]
pub struct QueuesQuery(Pagination);

impl FromQuery for QueuesQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(list_query::page_of_latest(params, "modifiedAt"))
    }
}

/// The query of `GET /playback-queues/{playbackQueueId}/items`.
#[derive(Debug)]
pub struct WindowQuery(Window);

impl FromQuery for WindowQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let around = params.parsed(
            "around",
            "Id of the item of the queue at the center of the window; default: the item of the cursor.",
            "the id of an item of the queue",
        );
        let mut count =
            |name: &str, about: &str| params.integer(name, about, 0..=MAX_WINDOW).unwrap_or(WINDOW);
        Self(Window {
            around,
            leading: count("leading", "Number of items before it; default: 12."),
            trailing: count("trailing", "Number of items after it; default: 12."),
        })
    }
}

/// List the playback queues of the caller, last modified first
#[endpoint]
pub async fn list_playback_queues(
    state: State,
    caller: Caller,
    query: Query<QueuesQuery>,
) -> Result<Json<Page<QueueView>>, ApiError> {
    Ok(state.playback_queues.list(&caller, query.0.0).await?.into())
}

/// Create a playback queue
///
/// The cursor is at the first item. Only the caller can read the queue. An account has up to 100 queues; a further one
/// replaces the queue that was not modified for the longest time. The server extends a dynamic queue when fewer than 20
/// items follow the cursor, and sends the event `playback_queue.extended`. It adds a track again only after all other
/// tracks. A queue holds 10,000 items; the server removes the first items of a dynamic queue that grows beyond that.
#[endpoint(responses(
    (status_code = 404, description = "A resource named in the body does not exist"),
    (status_code = 409, description = "The queue would hold more than 10,000 items")
))]
pub async fn create_playback_queue(
    state: State,
    caller: Caller,
    body: Body<CreatePlaybackQueueInput>,
) -> Result<CreatedVersioned<QueueView>, ApiError> {
    let queue = state.playback_queues.create(&caller, body.0.into()).await?;
    Ok(queue.into())
}

/// Get a playback queue
#[endpoint]
pub async fn get_playback_queue(
    state: State,
    caller: Caller,
    playback_queue_id: PathId<PlaybackQueueId>,
) -> Result<Versioned<QueueView>, ApiError> {
    let queue = state.playback_queues.get(&caller, playback_queue_id.0).await?;
    Ok(queue.into())
}

/// Delete a playback queue
#[endpoint(responses((status_code = 412, description = "The queue has another revision than `If-Match`")))]
pub async fn delete_playback_queue(
    state: State,
    caller: Caller,
    if_match: IfMatch,
    playback_queue_id: PathId<PlaybackQueueId>,
) -> Result<Json<bool>, ApiError> {
    let id = playback_queue_id.0;
    state.playback_queues.delete(&caller, id, if_match.0).await?;
    Ok(Json(true))
}

/// List a window of the items of a playback queue
///
/// An item that was removed from the index, or that the caller has no longer access to, keeps its place and is `missing`.
#[endpoint]
pub async fn list_playback_queue_items(
    state: State,
    caller: Caller,
    query: Query<WindowQuery>,
    playback_queue_id: PathId<PlaybackQueueId>,
) -> Result<Versioned<Page<QueueItemView>>, ApiError> {
    let (queues, id) = (&state.playback_queues, playback_queue_id.0);
    let shown = queues.items(&caller, id, query.0.0).await?;
    let page = Listing::new(shown.items, shown.total).into();
    Ok(Versioned(shown.revision, page))
}

/// Add items to a playback queue, after the cursor or at the end
#[endpoint(responses(
    (status_code = 409, description = "The queue would hold more than 10,000 items"),
    (status_code = 412, description = "The queue has another revision than `If-Match`")
))]
pub async fn add_playback_queue_items(
    state: State,
    caller: Caller,
    if_match: IfMatch,
    body: Body<AddPlaybackQueueItemsInput>,
    playback_queue_id: PathId<PlaybackQueueId>,
) -> Result<CreatedVersioned<QueueView>, ApiError> {
    let AddPlaybackQueueItemsInput { items, insert } = body.0;
    let (queues, id, items) = (&state.playback_queues, playback_queue_id.0, named_items(items));
    let queue = queues.add(&caller, id, &items, insert.into(), if_match.0);
    Ok(queue.await?.into())
}

/// Move an item of a playback queue
#[endpoint(responses((status_code = 412, description = "The queue has another revision than `If-Match`")))]
pub async fn move_playback_queue_item(
    state: State,
    caller: Caller,
    if_match: IfMatch,
    body: Body<MovePlaybackQueueItemInput>,
    playback_queue_id: PathId<PlaybackQueueId>,
    playback_queue_item_id: PathId<PlaybackQueueItemId>,
) -> Result<Versioned<QueueView>, ApiError> {
    let (queue, item) = (playback_queue_id.0, playback_queue_item_id.0);
    let after = body.0.after.as_deref();
    let queues = &state.playback_queues;
    let moved = queues.move_item(&caller, queue, item, after, if_match.0);
    Ok(moved.await?.into())
}

/// Remove an item from a playback queue
///
/// A cursor at the item moves to the next item.
#[endpoint(responses((status_code = 412, description = "The queue has another revision than `If-Match`")))]
pub async fn remove_playback_queue_item(
    state: State,
    caller: Caller,
    if_match: IfMatch,
    playback_queue_id: PathId<PlaybackQueueId>,
    playback_queue_item_id: PathId<PlaybackQueueItemId>,
) -> Result<Versioned<QueueView>, ApiError> {
    let (queue, item) = (playback_queue_id.0, playback_queue_item_id.0);
    let queues = &state.playback_queues;
    let remaining = queues.remove_item(&caller, queue, item, if_match.0);
    Ok(remaining.await?.into())
}

/// Set the cursor of a playback queue
///
/// The revision of the queue does not change, unless the server extends the queue. A report to `PATCH /history` with
/// `playbackQueueItemId` has the same effect.
#[endpoint(responses((status_code = 412, description = "The queue has another revision than `If-Match`")))]
pub async fn set_playback_queue_cursor(
    state: State,
    caller: Caller,
    if_match: IfMatch,
    body: Body<PlaybackQueueCursorInput>,
    playback_queue_id: PathId<PlaybackQueueId>,
) -> Result<Versioned<QueueView>, ApiError> {
    let PlaybackQueueCursorInput {
        playback_queue_item_id,
        seconds,
    } = body.0;
    let (queues, id, item) = (
        &state.playback_queues,
        playback_queue_id.0,
        playback_queue_item_id,
    );
    let moved = queues.set_cursor(&caller, id, &item, seconds, if_match.0);
    Ok(moved.await?.into())
}
