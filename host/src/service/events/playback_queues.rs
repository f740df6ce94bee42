//! The payloads of the queues' events.

use serde::Serialize;

use super::message::{Audience, EventKind, Message};
use crate::domain::id::PlaybackQueueId;
use crate::domain::playback_queue::PlaybackQueue;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Extended {
    playback_queue_id: PlaybackQueueId,
    added: usize,
    total: u64,
}

/// `playback_queue.extended`, for its owner alone.
pub fn extended(queue: &PlaybackQueue, added: usize) -> Message {
    let payload = Extended {
        playback_queue_id: queue.id,
        added,
        total: queue.item_count,
    };
    let kind = EventKind::PlaybackQueueExtended;
    Message::to(Audience::Owner(kind.capability(), queue.user), kind, &payload)
}
