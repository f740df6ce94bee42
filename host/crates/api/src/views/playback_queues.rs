//! Playback queues.

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::items::ItemSummaryView;
use crate::views::seconds;
use svc_domain::id::{MediaId, PlaybackQueueId, PlaybackQueueItemId};
use svc_domain::playback_queue::{PlaybackQueue, QueueCursor, QueueType};
use svc_domain::time::Timestamp;
use svc_library::playback_queues::ShownItem;

/// Where the caller is in a queue.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PlaybackQueueCursor"))]
#[serde(rename_all = "camelCase")]
struct CursorView {
    #[salvo(schema(value_type = String))]
    playback_queue_item_id: PlaybackQueueItemId,
    /// How many items are before it.
    index: u64,
    /// Where in the item.
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

/// A list of items that the caller plays.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PlaybackQueue"))]
#[serde(rename_all = "camelCase")]
pub struct QueueView {
    #[salvo(schema(value_type = String))]
    playback_queue_id: PlaybackQueueId,
    /// `static` or `dynamic`.
    #[serde(rename = "type")]
    queue_type: &'static str,
    /// `shuffle`, `similar` or `favorites`.
    #[serde(skip_serializing_if = "Option::is_none")]
    dynamic_type: Option<&'static str>,
    /// What the order of a dynamic queue comes from: the same seed has the same order for the same library.
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    /// Rises with each change of the items or their order, not with the cursor: for `If-Match`.
    revision: i64,
    item_count: u64,
    /// `null` before the first item.
    cursor: Option<CursorView>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    /// The last change of the items or the cursor.
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

/// One place in a queue.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PlaybackQueueItem"))]
#[serde(rename_all = "camelCase")]
pub struct QueueItemView {
    #[salvo(schema(value_type = String))]
    playback_queue_item_id: PlaybackQueueItemId,
    /// How many items are before it.
    index: u64,
    media_type: &'static str,
    #[salvo(schema(value_type = String))]
    media_id: MediaId,
    /// It cannot be played: its files were not there in the last run, or it is gone.
    missing: bool,
    /// Left out when the item is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<ItemSummaryView>,
}

impl From<ShownItem> for QueueItemView {
    fn from(shown: ShownItem) -> Self {
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
