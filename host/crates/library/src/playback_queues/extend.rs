//! Keeping dynamic queues from running out: when the cursor comes near the end, the server adds what comes next.

use std::collections::HashSet;

use crate::playback_queues::PlaybackQueues;
use svc_domain::change::ItemType;
use svc_domain::playback_queue::{Draw, Drawable, MAX_ITEMS, PlaybackQueue, QueueType, REFILL, draw};
use svc_domain::user_data::ItemKey;
use svc_events::playback_queues as tell;
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::Result;
use svc_identity::run_to_completion;
use svc_store::Place;

/// The next items of a queue that holds these tracks, and how far it has drawn then.
pub(super) fn drawn(queue: &PlaybackQueue, held: &HashSet<i64>, pool: &[Drawable]) -> (Vec<ItemKey>, Draw) {
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
    /// What a queue draws from, as the actor sees it at this moment.
    pub(super) async fn pool(&self, actor: &Actor, queue: &PlaybackQueue) -> Result<Vec<Drawable>> {
        let (queues, scope) = (&self.playback_queues, &actor.scope);
        if !actor.may(Capability::MusicTracksRead) {
            return Ok(Vec::new());
        }
        Ok(match queue.queue_type {
            QueueType::Static => Vec::new(),
            QueueType::Shuffle => queues.drawable_tracks(scope).await?,
            QueueType::Favorites => queues.drawable_favorites(scope, queue.user).await?,
            QueueType::Similar => queues.drawable_similar(scope, &queue.seeds).await?,
        })
    }

    /// The queue after what was to be added to it. What there is to draw from is asked before the queue is held: it
    /// takes its time, and nobody else may write meanwhile.
    pub(super) async fn extended(&self, actor: &Actor, queue: PlaybackQueue) -> Result<PlaybackQueue> {
        if !queue.is_short() {
            return Ok(queue);
        }
        let pool = self.pool(actor, &queue).await?;
        let held = match queue.draw.round {
            0 => self.playback_queues.queued_tracks(queue.id).await?,
            _ => HashSet::new(),
        };
        let (items, state) = drawn(&queue, &held, &pool);
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
            // Another request was faster.
            if change.queue().draw != queue.draw || !change.queue().is_short() {
                return Ok(change.commit().await?);
            }
            let count = change.queue().item_count + placed.len() as u64;
            let dropped = match count.checked_sub(MAX_ITEMS) {
                Some(over) if over > 0 => change.drop_passed(over).await?,
                _ => 0,
            };
            if count - dropped > MAX_ITEMS {
                return Ok(change.commit().await?);
            }
            change.insert(&placed, Place::End).await?;
            change.set_draw(state);
            let extended = change.commit().await?;
            this.events.publish(|| tell::extended(&extended, placed.len()));
            Ok(extended)
        })
        .await
    }
}
