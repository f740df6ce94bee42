//! JSON of playback queues and their items.

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::items::ItemSummaryView;
use crate::views::seconds;
use svc_domain::id::{MediaId, PlaybackQueueId, PlaybackQueueItemId};
use svc_domain::playback_queue::{PlaybackQueue, QueueCursor, QueueType};
use svc_domain::time::Timestamp;
use svc_library::playback_queues::QueueItemDetails;

/// The cursor of a queue: the current item and the position in it.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PlaybackQueueCursor"))]
#[serde(rename_all = "camelCase")]
struct CursorView {
    #[salvo(schema(value_type = String))]
    playback_queue_item_id: PlaybackQueueItemId,
    /// Number of items before it.
    index: u64,
    /// Position in the item, in seconds.
    seconds: f64,
}

impl From<QueueCursor> for CursorView {
    fn from(cursor: QueueCursor) -> Self {
        Self {
            playback_queue_item_id: cursor.item,
            index: cursor.index,
            seconds: seconds(cursor.position_ms),
        }
    }
}

/// A playback queue of the caller.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PlaybackQueue"))]
#[serde(rename_all = "camelCase")]
pub struct QueueView {
    #[salvo(schema(value_type = String))]
    playback_queue_id: PlaybackQueueId,
    /// `static` or `dynamic`.
    #[serde(rename = "type")]
    queue_type: &'static str,
    /// Source of the items that the server adds: `shuffle`, `similar` or `favorites`.
    #[serde(skip_serializing_if = "Option::is_none")]
    dynamic_type: Option<&'static str>,
    /// Seed of the order of a dynamic queue: the same seed gives the same order for the same library.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    /// Revision for `If-Match`. Increases with each change of the items or their order, but not of the cursor.
    revision: i64,
    item_count: u64,
    /// `null` while the queue is empty.
    cursor: Option<CursorView>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    /// Time of the last change of the items or the cursor.
    #[salvo(schema(value_type = String))]
    modified_at: Timestamp,
}

impl From<PlaybackQueue> for QueueView {
    fn from(queue: PlaybackQueue) -> Self {
        let is_dynamic = queue.queue_type != QueueType::Static;
        Self {
            playback_queue_id: queue.id,
            queue_type: if is_dynamic { "dynamic" } else { "static" },
            dynamic_type: queue.queue_type.dynamic_type(),
            seed: is_dynamic.then_some(queue.seed),
            revision: queue.revision,
            item_count: queue.item_count,
            cursor: queue.cursor.map(CursorView::from),
            created_at: queue.created_at,
            modified_at: queue.modified_at,
        }
    }
}

/// An item of a queue.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PlaybackQueueItem"))]
#[serde(rename_all = "camelCase")]
pub struct QueueItemView {
    #[salvo(schema(value_type = String))]
    playback_queue_item_id: PlaybackQueueItemId,
    /// Number of items before it.
    index: u64,
    media_type: &'static str,
    #[salvo(schema(value_type = String))]
    media_id: MediaId,
    /// It cannot be played: its files were missing in the last run of the indexer, or it is no longer in the index.
    missing: bool,
    /// Absent if the item is no longer in the index, or the caller has no access to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<ItemSummaryView>,
}

impl From<QueueItemDetails> for QueueItemView {
    fn from(shown: QueueItemDetails) -> Self {
        let key = shown.item.key;
        Self {
            playback_queue_item_id: shown.item.id,
            index: shown.item.index,
            media_type: key.0.as_str(),
            media_id: key.1.into(),
            missing: shown.summary.as_ref().is_none_or(|summary| summary.missing),
            item: shown.summary.map(|summary| ItemSummaryView::new(key, summary)),
        }
    }
}
