//! Bodies of requests about playback queues.

use salvo::oapi::ToSchema;
use serde::Deserialize;

use crate::body::{Input, bounded_list, non_null, required_nullable};
use svc_library::playback_queues::{Insert, NewQueue, RequestedItem};

/// An item to add to a queue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaybackQueueItemInput {
    /// `music_track`, `movie`, `tv_episode`, or `item` of a playable kind. `music_release`, `music_artist` and `tv_show` add all their tracks or
    /// episodes, in order.
    media_type: String,
    /// Id of the item.
    media_id: String,
}

/// The queue to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatePlaybackQueueInput {
    /// `static`, or `dynamic`: the server adds items.
    #[serde(rename = "type")]
    queue_type: String,
    /// Source of the items that the server adds to a dynamic queue: `shuffle` (all tracks), `similar` (tracks that share
    /// an artist or a genre with `items`) or `favorites` (tracks that the caller rated 0.8 or more).
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    dynamic_type: Option<String>,
    /// Seed of the order of a dynamic queue, up to 64 characters; default: a random seed.
    seed: Option<String>,
    /// The first items of the queue.
    #[serde(default, deserialize_with = "bounded_list")]
    items: Vec<PlaybackQueueItemInput>,
}

impl Input for CreatePlaybackQueueInput {}

/// The items to add to a queue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddPlaybackQueueItemsInput {
    /// The items, in order.
    #[serde(deserialize_with = "bounded_list")]
    pub(super) items: Vec<PlaybackQueueItemInput>,
    /// `next`: after the cursor; `end`: after the last item.
    #[salvo(schema(value_type = String))]
    pub(super) insert: InsertInput,
}

/// Where to add items.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum InsertInput {
    Next,
    End,
}

impl From<InsertInput> for Insert {
    fn from(input: InsertInput) -> Self {
        match input {
            InsertInput::Next => Self::Next,
            InsertInput::End => Self::End,
        }
    }
}

impl Input for AddPlaybackQueueItemsInput {}

/// The new place of an item.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MovePlaybackQueueItemInput {
    /// Id of the item of the queue after which to place it; `null` for the first place.
    #[serde(deserialize_with = "required_nullable")]
    pub(super) after: Option<String>,
}

impl Input for MovePlaybackQueueItemInput {}

/// The new cursor of a queue.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlaybackQueueCursorInput {
    /// Id of the item of the queue.
    pub(super) playback_queue_item_id: String,
    /// Position in the item, in seconds.
    pub(super) seconds: f64,
}

impl Input for PlaybackQueueCursorInput {}

impl From<PlaybackQueueItemInput> for RequestedItem {
    fn from(input: PlaybackQueueItemInput) -> Self {
        Self {
            media_type: input.media_type,
            media_id: input.media_id,
        }
    }
}

pub(super) fn named_items(items: Vec<PlaybackQueueItemInput>) -> Vec<RequestedItem> {
    items.into_iter().map(RequestedItem::from).collect()
}

impl From<CreatePlaybackQueueInput> for NewQueue {
    fn from(input: CreatePlaybackQueueInput) -> Self {
        Self {
            queue_type: input.queue_type,
            dynamic_type: input.dynamic_type,
            seed: input.seed,
            items: named_items(input.items),
        }
    }
}
