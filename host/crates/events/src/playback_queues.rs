//! Payloads of the events of playback queues.

use serde::Serialize;

use crate::message::{Audience, EventKind, Message};
use svc_domain::id::PlaybackQueueId;
use svc_domain::playback_queue::PlaybackQueue;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Extended {
    playback_queue_id: PlaybackQueueId,
    added: usize,
    total: u64,
}

/// `playback_queue.extended`, for its owner only.
pub fn extended(queue: &PlaybackQueue, added: usize) -> Message {
    let payload = Extended {
        playback_queue_id: queue.id,
        added,
        total: queue.item_count,
    };
    let kind = EventKind::PlaybackQueueExtended;
    Message::to(Audience::Owner(kind.capability(), queue.user), kind, &payload)
}
