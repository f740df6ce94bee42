//! Extends dynamic queues when the cursor approaches the end.

use std::collections::HashSet;

use crate::playback_queues::PlaybackQueues;
use svc_domain::change::ItemType;
use svc_domain::playback_queue::{DrawState, MAX_ITEMS, PlaybackQueue, PoolEntry, QueueType, REFILL, draw};
use svc_domain::user_data::ItemKey;
use svc_events::playback_queues as queue_events;
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::Result;
use svc_identity::run_to_completion;
use svc_store::QueuePosition;

/// The next items of a queue that contains the tracks `held`, and its new draw position.
pub(super) fn draw_items(
    queue: &PlaybackQueue,
    held: &HashSet<i64>,
    pool: &[PoolEntry],
) -> (Vec<ItemKey>, DrawState) {
    if pool.is_empty() {
        return (Vec::new(), queue.draw);
    }
    let (ids, state) = draw(queue, held, pool, REFILL);
    (
        ids.into_iter().map(|id| (ItemType::MusicTrack, id)).collect(),
        state,
    )
}

impl PlaybackQueues {
    /// The tracks from which a queue draws, restricted to what the actor may see now.
    pub(super) async fn pool(&self, actor: &Actor, queue: &PlaybackQueue) -> Result<Vec<PoolEntry>> {
        let (queues, scope) = (&self.playback_queues, &actor.scope);
        if !actor.may(Capability::MusicTracksRead) {
            return Ok(Vec::new());
        }
        Ok(match queue.queue_type {
            QueueType::Static => Vec::new(),
            QueueType::Shuffle => queues.pool_tracks(scope).await?,
            QueueType::Favorites => queues.pool_favorites(scope, queue.user).await?,
            QueueType::Similar => queues.pool_similar(scope, &queue.seeds).await?,
        })
    }

    /// Extends the queue if it is short. The pool is read before the write transaction, because reading it takes time
    /// and would block other writers.
    pub(super) async fn extended(&self, actor: &Actor, queue: PlaybackQueue) -> Result<PlaybackQueue> {
        if !queue.is_short() {
            return Ok(queue);
        }
        let pool = self.pool(actor, &queue).await?;
        let held = match queue.draw.round {
            0 => self.playback_queues.tracks_in_queue(queue.id).await?,
            _ => HashSet::new(),
        };
        let (items, state) = draw_items(&queue, &held, &pool);
        if items.is_empty() {
            return Ok(queue);
        }
        let this = self.clone();
        run_to_completion(&self.context.tasks, "queue-extend", async move {
            let placed = this.placed(&items);
            let Some(mut change) = this
                .playback_queues
                .change_queue(queue.user, queue.id, this.context.now())
                .await?
            else {
                return Ok(queue);
            };
            // Another request has extended it meanwhile.
            if change.queue().draw != queue.draw || !change.queue().is_short() {
                return Ok(change.commit().await?);
            }
            let count = change.queue().item_count + placed.len() as u64;
            let dropped = match count.checked_sub(MAX_ITEMS) {
                Some(over) if over > 0 => change.remove_played(over).await?,
                _ => 0,
            };
            if count - dropped > MAX_ITEMS {
                return Ok(change.commit().await?);
            }
            change.insert(&placed, QueuePosition::End).await?;
            change.set_draw(state);
            let extended = change.commit().await?;
            this.events
                .publish(|| queue_events::extended(&extended, placed.len()));
            Ok(extended)
        })
        .await
    }
}
