//! Reads a range of a queue around an entry.

use super::PlaybackQueues;
use svc_domain::id::{PlaybackQueueId, PlaybackQueueItemId};
use svc_domain::playback_queue::QueueItem;
use svc_domain::user_data::ItemSummary;
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};

/// An entry of a queue with the summary of its item.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueItemDetails {
    /// The entry.
    pub item: QueueItem,
    /// `None` if the item was deleted or the actor may not see it.
    pub summary: Option<ItemSummary>,
}

/// A range of a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueItems {
    /// In queue order.
    pub items: Vec<QueueItemDetails>,
    /// Number of items in the whole queue.
    pub total: u64,
    /// Revision of the queue.
    pub revision: i64,
}

/// The requested range of a queue.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Centre of the range; the cursor if `None`.
    pub around: Option<PlaybackQueueItemId>,
    /// Number of items before it.
    pub leading: i64,
    /// Number of items after it.
    pub trailing: i64,
}

impl PlaybackQueues {
    /// The items around an entry.
    ///
    /// # Errors
    /// Not found: the queue, or the entry in it; database errors.
    pub async fn items(&self, actor: &Actor, id: PlaybackQueueId, window: Window) -> Result<QueueItems> {
        let queue = self.get(actor, id).await?;
        let around = window.around.or(queue.cursor.map(|cursor| cursor.item));
        let found = self
            .playback_queues
            .queue_window(actor.user.id, id, around, window.leading, window.trailing)
            .await?;
        let is_there = |item: PlaybackQueueItemId| {
            found
                .iter()
                .flat_map(|found| &found.items)
                .any(|place| place.id == item)
        };
        if window.around.is_some_and(|item| !is_there(item)) {
            return Err(ServiceError::unknown(
                "around",
                "there is no such item in the queue",
            ));
        }
        let Some(found) = found else {
            return Ok(QueueItems {
                items: Vec::new(),
                total: queue.item_count,
                revision: queue.revision,
            });
        };
        let keys = found.items.iter().map(|item| item.key);
        let readable = keys.filter(|(item, _)| super::input::may_read(actor, *item));
        let summaries = self.items.item_summaries(&actor.scope, readable).await?;
        let shown = found.items.into_iter().map(|item| QueueItemDetails {
            item,
            summary: summaries.get(&item.key).cloned(),
        });
        Ok(QueueItems {
            items: shown.collect(),
            total: found.total,
            revision: found.revision,
        })
    }
}
