//! The part of a playback queue that a client reads.

use svc_domain::id::PlaybackQueueItemId;
use svc_domain::playback_queue::QueueItem;
use svc_domain::user_data::ItemSummary;

/// A place in a queue, with what is played there in few words, if the actor sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownItem {
    /// The place.
    pub item: QueueItem,
    /// `None` for what is gone or hidden.
    pub summary: Option<ItemSummary>,
}

/// A part of a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownItems {
    /// In order.
    pub items: Vec<ShownItem>,
    /// Items of the whole queue.
    pub total: u64,
    /// Of the queue.
    pub revision: i64,
}

/// Which part of a queue is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Around this item; around the cursor without it.
    pub around: Option<PlaybackQueueItemId>,
    /// Items before it.
    pub leading: i64,
    /// Items after it.
    pub trailing: i64,
}
