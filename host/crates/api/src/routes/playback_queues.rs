//! Playback queues of the caller.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::{Deserialize, Deserializer};

use crate::api_error::ApiError;
use crate::extract::{Body, Caller, Input, PathId, State, not_null, short_list};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, Page};
use crate::versioned::{CreatedVersioned, IfMatch, Versioned};
use crate::views::playback_queues::{QueueItemView, QueueView};
use svc_domain::id::{PlaybackQueueId, PlaybackQueueItemId};
use svc_domain::list::{Listing, Pagination};
use svc_domain::playback_queue::{MAX_WINDOW, PlaybackQueue};
use svc_identity::error::ServiceError;
use svc_library::playback_queues::{Insert, NamedItem, NewQueue, Window};

/// Items before and after the one that is asked for, if a client does not say how many.
const WINDOW: i64 = 12;

/// An item to be put into a queue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaybackQueueItemInput {
    /// `music_track`, `movie` or `tv_episode`; `music_release`, `music_artist` and `tv_show` stand for all that they
    /// are made of, in order.
    media_type: String,
    /// The item.
    media_id: String,
}

/// The queue to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatePlaybackQueueInput {
    /// `static`, or `dynamic`: extended by the server.
    #[serde(rename = "type")]
    queue_type: String,
    /// With `dynamic`: `shuffle` (all tracks), `similar` (tracks that share an artist or a genre with `items`) or
    /// `favorites` (tracks that the caller rated 0.8 or more).
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    dynamic_type: Option<String>,
    /// Up to 64 characters that decide the order of a dynamic queue; drawn by the server if left out.
    seed: Option<String>,
    /// What the queue begins with.
    #[serde(default, deserialize_with = "short_list")]
    items: Vec<PlaybackQueueItemInput>,
}

impl Input for CreatePlaybackQueueInput {}

/// Items to be added.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddPlaybackQueueItemsInput {
    /// In order.
    #[serde(deserialize_with = "short_list")]
    items: Vec<PlaybackQueueItemInput>,
    /// `next`: after the cursor; `end`: after the last item.
    insert: String,
}

impl Input for AddPlaybackQueueItemsInput {}

/// Where an item is to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MovePlaybackQueueItemInput {
    /// After this item of the queue; `null` for the front.
    #[serde(deserialize_with = "given")]
    after: Option<String>,
}

impl Input for MovePlaybackQueueItemInput {}

/// `null` has to be said.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}

/// Where the caller is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaybackQueueCursorInput {
    /// The item of the queue.
    playback_queue_item_id: String,
    /// Where in it.
    seconds: f64,
}

impl Input for PlaybackQueueCursorInput {}

impl From<PlaybackQueueItemInput> for NamedItem {
    fn from(input: PlaybackQueueItemInput) -> Self {
        Self {
            media_type: input.media_type,
            media_id: input.media_id,
        }
    }
}

fn named(items: Vec<PlaybackQueueItemInput>) -> Vec<NamedItem> {
    items.into_iter().map(NamedItem::from).collect()
}

fn revised(queue: PlaybackQueue) -> Versioned<QueueView> {
    Versioned(queue.revision, queue.into())
}

/// Which part of the list of queues.
#[derive(Debug)]
pub struct QueuesQuery(Pagination);

impl FromQuery for QueuesQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(pagination::latest(params, "modifiedAt"))
    }
}

/// Which part of a queue.
#[derive(Debug)]
pub struct WindowQuery(Window);

impl FromQuery for WindowQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let around = params.parsed(
            "around",
            "Around this item of the queue; around the cursor if not said.",
            "the id of an item of the queue",
        );
        let mut count =
            |name: &str, about: &str| params.integer(name, about, 0..=MAX_WINDOW).unwrap_or(WINDOW);
        Self(Window {
            around,
            leading: count("leading", "Items before it; 12 if not said."),
            trailing: count("trailing", "Items after it; 12 if not said."),
        })
    }
}

/// The caller's queues, the last touched first
#[endpoint]
pub async fn list_playback_queues(
    state: State,
    caller: Caller,
    query: Query<QueuesQuery>,
) -> Result<Json<Page<QueueView>>, ApiError> {
    let queues = state.playback_queues.list(&caller, query.0.0).await?;
    Ok(Json(Page::new(queues, QueueView::from)))
}

/// Makes a queue; its cursor is at its first item
///
/// Nobody but the caller knows of it. A user has a hundred queues; of more, the one that was longest not touched goes.
/// A dynamic queue is extended by the server when fewer than twenty items follow the cursor, without repeating a track
/// before all were there; `playback_queue.extended` tells of it. It holds 10,000 items like any other: the first ones go
/// when it is longer.
#[endpoint(responses(
    (status_code = 404, description = "There is nothing of what the body names"),
    (status_code = 409, description = "More items than a queue may hold")
))]
pub async fn create_playback_queue(
    state: State,
    caller: Caller,
    body: Body<CreatePlaybackQueueInput>,
) -> Result<CreatedVersioned<QueueView>, ApiError> {
    let input = body.0;
    let new = NewQueue {
        queue_type: input.queue_type,
        dynamic_type: input.dynamic_type,
        seed: input.seed,
        items: named(input.items),
    };
    let queue = state.playback_queues.create(&caller, new).await?;
    Ok(CreatedVersioned(queue.revision, queue.into()))
}

/// A queue
#[endpoint]
pub async fn get_playback_queue(
    state: State,
    caller: Caller,
    playback_queue_id: PathId<PlaybackQueueId>,
) -> Result<Versioned<QueueView>, ApiError> {
    Ok(revised(
        state.playback_queues.get(&caller, playback_queue_id.0).await?,
    ))
}

/// Deletes a queue
#[endpoint(responses((status_code = 412, description = "The queue is not of the revision in `If-Match`")))]
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

/// Items of a queue around one of them
///
/// What is gone from the library, or hidden from the caller by now, stays in its place with `missing`.
#[endpoint]
pub async fn list_playback_queue_items(
    state: State,
    caller: Caller,
    query: Query<WindowQuery>,
    playback_queue_id: PathId<PlaybackQueueId>,
) -> Result<Versioned<Page<QueueItemView>>, ApiError> {
    let shown = state
        .playback_queues
        .items(&caller, playback_queue_id.0, query.0.0)
        .await?;
    let listing = Listing {
        items: shown.items,
        total: shown.total,
        next: None,
    };
    Ok(Versioned(shown.revision, Page::new(listing, QueueItemView::from)))
}

/// Adds items after the cursor or at the end
#[endpoint(responses(
    (status_code = 409, description = "More items than a queue may hold"),
    (status_code = 412, description = "The queue is not of the revision in `If-Match`")
))]
pub async fn add_playback_queue_items(
    state: State,
    caller: Caller,
    if_match: IfMatch,
    body: Body<AddPlaybackQueueItemsInput>,
    playback_queue_id: PathId<PlaybackQueueId>,
) -> Result<CreatedVersioned<QueueView>, ApiError> {
    let insert = match body.0.insert.as_str() {
        "next" => Insert::Next,
        "end" => Insert::End,
        _ => return Err(ServiceError::invalid("insert", "must be next or end").into()),
    };
    let items = named(body.0.items);
    let queue = state
        .playback_queues
        .add(&caller, playback_queue_id.0, &items, insert, if_match.0)
        .await?;
    Ok(CreatedVersioned(queue.revision, queue.into()))
}

/// Moves an item
#[endpoint(responses((status_code = 412, description = "The queue is not of the revision in `If-Match`")))]
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
    let moved = state
        .playback_queues
        .move_item(&caller, queue, item, after, if_match.0);
    Ok(revised(moved.await?))
}

/// Takes an item out; a cursor that was there goes on to the next
#[endpoint(responses((status_code = 412, description = "The queue is not of the revision in `If-Match`")))]
pub async fn remove_playback_queue_item(
    state: State,
    caller: Caller,
    if_match: IfMatch,
    playback_queue_id: PathId<PlaybackQueueId>,
    playback_queue_item_id: PathId<PlaybackQueueItemId>,
) -> Result<Versioned<QueueView>, ApiError> {
    let (queue, item) = (playback_queue_id.0, playback_queue_item_id.0);
    let left = state
        .playback_queues
        .remove_item(&caller, queue, item, if_match.0);
    Ok(revised(left.await?))
}

/// Says where in a queue the caller is
///
/// The revision stays, unless the server extends the queue for it. A report to `PATCH /history` with
/// `playbackQueueItemId` does the same.
#[endpoint(responses((status_code = 412, description = "The queue is not of the revision in `If-Match`")))]
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
    let moved = state.playback_queues.set_cursor(
        &caller,
        playback_queue_id.0,
        &playback_queue_item_id,
        seconds,
        if_match.0,
    );
    Ok(revised(moved.await?))
}
