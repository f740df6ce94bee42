//! Playback queues: stored on the server, so that all players of a user share them.
//!
//! `input.rs` validates requests; `extend.rs` extends dynamic queues.

mod cursor;
mod extend;
mod input;
mod window;

use svc_domain::id::{PlaybackQueueId, PlaybackQueueItemId, UserId};
use svc_domain::list::{Listing, Pagination};
use svc_domain::playback_queue::{DrawState, MAX_ITEMS, PlaybackQueue, QueueCursor, QueueType};
use svc_domain::user_data::ItemKey;
use svc_events::Events;
use svc_identity::actor::Actor;
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_identity::{Context, run_to_completion};
use svc_platform::random::random_hex;
use svc_store::{ItemRepository, KindRepository, PlaybackQueueRepository, QueueChange, QueuePosition};

pub use input::{NewQueue, RequestedItem};
pub use window::{QueueItemDetails, QueueItems, Window};

/// Where to insert items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insert {
    /// After the cursor.
    Next,
    /// After the last item.
    End,
}

/// The revisions that `If-Match` accepts; any if `None`.
pub type ExpectedRevisions = Option<Vec<i64>>;

/// The service for playback queues.
#[derive(Debug, Clone)]
pub struct PlaybackQueues {
    context: Context,
    playback_queues: PlaybackQueueRepository,
    items: ItemRepository,
    kinds: KindRepository,
    events: Events,
}

fn check_revision(change: &QueueChange, expected: &ExpectedRevisions) -> Result<()> {
    match expected {
        Some(revisions) if !revisions.contains(&change.queue().revision) => Err(ServiceError::Stale {
            code: ErrorCode::PlaybackQueueChanged,
            message: "the queue has changed; reload it and try again",
        }),
        _ => Ok(()),
    }
}

fn full() -> ServiceError {
    let message = format!("a queue may hold {MAX_ITEMS} items");
    ServiceError::conflict(ErrorCode::PlaybackQueueFull, message)
}

impl PlaybackQueues {
    /// Creates the service.
    pub fn new(
        context: Context,
        playback_queues: PlaybackQueueRepository,
        items: ItemRepository,
        kinds: KindRepository,
        events: Events,
    ) -> Self {
        Self {
            context,
            playback_queues,
            items,
            kinds,
            events,
        }
    }

    /// The actor's queues, most recently used first.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(&self, actor: &Actor, page: Pagination) -> Result<Listing<PlaybackQueue>> {
        Ok(self.playback_queues.list_queues(actor.user.id, page).await?)
    }

    /// Returns a queue of the actor.
    ///
    /// # Errors
    /// Not found, also for another user's queue; database errors.
    pub async fn get(&self, actor: &Actor, id: PlaybackQueueId) -> Result<PlaybackQueue> {
        let queue = self.playback_queues.queue(actor.user.id, id).await?;
        queue.ok_or(ServiceError::NotFound)
    }

    /// Creates a queue with the cursor at its first item.
    ///
    /// # Errors
    /// Invalid type, seed or item; conflict `playback_queue_full`; database errors.
    pub async fn create(&self, actor: &Actor, new: NewQueue) -> Result<PlaybackQueue> {
        let queue_type = input::check_type(&new)?;
        let items = self.items_of(actor, input::parse(&new.items)?).await?;
        let seeds = input::seeds(queue_type, &items)?;
        let seed = match new.seed {
            Some(seed) => seed,
            None if queue_type == QueueType::Static => String::new(),
            None => random_hex(self.context.random.as_ref()).map_err(ServiceError::internal)?,
        };
        let now = self.context.now();
        let queue = PlaybackQueue {
            id: self.context.ids.next(now),
            user: actor.user.id,
            queue_type,
            seed,
            seeds,
            revision: 1,
            item_count: 0,
            cursor: None,
            draw: DrawState::default(),
            created_at: now,
            modified_at: now,
        };
        let pool = self.pool(actor, &queue).await?;
        let this = self.clone();
        run_to_completion(&self.context.tasks, "queue-create", async move {
            let held = input::tracks(&items).collect();
            let (drawn, draw) = extend::draw_items(&queue, &held, &pool);
            let has_room = (items.len() + drawn.len()) as u64 <= MAX_ITEMS;
            let (drawn, draw) = if has_room {
                (drawn, draw)
            } else {
                (Vec::new(), queue.draw)
            };
            let items: Vec<ItemKey> = items.into_iter().chain(drawn).collect();
            let placed = this.placed(&items);
            let mut change = this.playback_queues.create_queue(queue).await?;
            change.insert(&placed, QueuePosition::End).await?;
            if let Some((first, _)) = placed.first() {
                change.set_cursor(*first, 0).await?;
            }
            change.set_draw(draw);
            Ok(change.commit().await?)
        })
        .await
    }

    /// Deletes a queue.
    ///
    /// # Errors
    /// Not found; stale; database errors.
    pub async fn delete(
        &self,
        actor: &Actor,
        id: PlaybackQueueId,
        expected: ExpectedRevisions,
    ) -> Result<()> {
        let (this, user) = (self.clone(), actor.user.id);
        run_to_completion(&self.context.tasks, "queue-delete", async move {
            let change = this.change(user, id, &expected).await?;
            Ok(change.delete().await?)
        })
        .await
    }

    /// Adds items.
    ///
    /// # Errors
    /// Not found; stale; invalid items; conflict `playback_queue_full`; database errors.
    pub async fn add(
        &self,
        actor: &Actor,
        id: PlaybackQueueId,
        items: &[RequestedItem],
        insert: Insert,
        expected: ExpectedRevisions,
    ) -> Result<PlaybackQueue> {
        let keys = input::parse(items)?;
        self.get(actor, id).await?;
        let placed = self.placed(&self.items_of(actor, keys).await?);
        let (this, user) = (self.clone(), actor.user.id);
        run_to_completion(&self.context.tasks, "queue-add", async move {
            let mut change = this.change(user, id, &expected).await?;
            if change.queue().item_count + placed.len() as u64 > MAX_ITEMS {
                return Err(full());
            }
            let place = match (insert, change.queue().cursor) {
                (Insert::End, _) => QueuePosition::End,
                (Insert::Next, Some(QueueCursor { item, .. })) => QueuePosition::After(item),
                (Insert::Next, None) => QueuePosition::Front,
            };
            change.insert(&placed, place).await?;
            Ok(change.commit().await?)
        })
        .await
    }

    /// Moves an entry after another one, or to the front.
    ///
    /// # Errors
    /// Not found; stale; invalid `after`; database errors.
    pub async fn move_item(
        &self,
        actor: &Actor,
        id: PlaybackQueueId,
        item: PlaybackQueueItemId,
        after: Option<&str>,
        expected: ExpectedRevisions,
    ) -> Result<PlaybackQueue> {
        let after: Option<PlaybackQueueItemId> = after
            .map(str::parse::<PlaybackQueueItemId>)
            .transpose()
            .map_err(|_| ServiceError::invalid("after", "must be an id, or null"))?;
        let (this, user) = (self.clone(), actor.user.id);
        let moved = run_to_completion(&self.context.tasks, "queue-move", async move {
            let mut change = this.change(user, id, &expected).await?;
            if !change.has(item).await? {
                return Err(ServiceError::NotFound);
            }
            if !change.move_item(item, after).await? {
                return Err(ServiceError::unknown(
                    "after",
                    "there is no such item in the queue",
                ));
            }
            Ok(change.commit().await?)
        });
        let moved = moved.await?;
        self.extended(actor, moved).await
    }

    /// Removes an entry. A cursor on it moves to the next one.
    ///
    /// # Errors
    /// Not found; stale; database errors.
    pub async fn remove_item(
        &self,
        actor: &Actor,
        id: PlaybackQueueId,
        item: PlaybackQueueItemId,
        expected: ExpectedRevisions,
    ) -> Result<PlaybackQueue> {
        let (this, user) = (self.clone(), actor.user.id);
        let left = run_to_completion(&self.context.tasks, "queue-remove", async move {
            let mut change = this.change(user, id, &expected).await?;
            if !change.remove(item).await? {
                return Err(ServiceError::NotFound);
            }
            Ok(change.commit().await?)
        });
        let left = left.await?;
        self.extended(actor, left).await
    }

    async fn change(
        &self,
        user: UserId,
        id: PlaybackQueueId,
        expected: &ExpectedRevisions,
    ) -> Result<QueueChange> {
        let change = self
            .playback_queues
            .change_queue(user, id, self.context.now())
            .await?;
        let change = change.ok_or(ServiceError::NotFound)?;
        check_revision(&change, expected)?;
        Ok(change)
    }

    /// Generates entry ids for items.
    fn placed(&self, items: &[ItemKey]) -> Vec<(PlaybackQueueItemId, ItemKey)> {
        let now = self.context.now();
        items
            .iter()
            .map(|key| (self.context.ids.next(now), *key))
            .collect()
    }
}
