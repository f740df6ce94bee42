//! Playback queues: lists of items that a user plays, kept by the server so that all their players share them.
//!
//! `input.rs` turns what a client names into items; `extend.rs` keeps dynamic queues from running out; `window.rs` has the
//! part of a queue that a client reads.

mod extend;
mod input;
mod window;

use crate::history::check_seconds;
use svc_domain::id::{PlaybackQueueId, PlaybackQueueItemId, UserId};
use svc_domain::list::{Listing, Pagination};
use svc_domain::playback_queue::{Draw, MAX_ITEMS, PlaybackQueue, QueueCursor, QueueType};
use svc_domain::user_data::ItemKey;
use svc_events::Events;
use svc_identity::actor::Actor;
use svc_identity::error::{FieldError, Result, ServiceError};
use svc_identity::{Context, run_to_completion};
use svc_platform::random::random_hex;
use svc_store::{ItemRepository, Place, PlaybackQueueRepository, QueueChange};

pub use input::{NamedItem, NewQueue};
pub use window::{ShownItem, ShownItems, Window};

/// Where a client wants items in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insert {
    /// After the cursor.
    Next,
    /// After the last.
    End,
}

/// The revisions of which a change may be made; any without it.
pub type Expected = Option<Vec<i64>>;

/// Keeps queues.
#[derive(Debug, Clone)]
pub struct PlaybackQueues {
    context: Context,
    playback_queues: PlaybackQueueRepository,
    items: ItemRepository,
    events: Events,
}

fn check_revision(change: &QueueChange, expected: &Expected) -> Result<()> {
    match expected {
        Some(revisions) if !revisions.contains(&change.queue().revision) => Err(ServiceError::Stale {
            code: "playback_queue_changed",
            message: "the queue was changed meanwhile; look again and try again",
        }),
        _ => Ok(()),
    }
}

fn full() -> ServiceError {
    let message = format!("a queue may hold {MAX_ITEMS} items");
    ServiceError::conflict("playback_queue_full", message)
}

impl PlaybackQueues {
    /// Over this store.
    pub fn new(
        context: Context,
        playback_queues: PlaybackQueueRepository,
        items: ItemRepository,
        events: Events,
    ) -> Self {
        Self {
            context,
            playback_queues,
            items,
            events,
        }
    }

    /// The actor's queues, the last touched first.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(&self, actor: &Actor, page: Pagination) -> Result<Listing<PlaybackQueue>> {
        Ok(self.playback_queues.list_queues(actor.user.id, page).await?)
    }

    /// One of the actor's queues.
    ///
    /// # Errors
    /// Not found, also for another's; the store's.
    pub async fn get(&self, actor: &Actor, id: PlaybackQueueId) -> Result<PlaybackQueue> {
        let queue = self.playback_queues.queue(actor.user.id, id).await?;
        queue.ok_or(ServiceError::NotFound)
    }

    /// Makes a queue; the cursor is at its first item.
    ///
    /// # Errors
    /// Invalid type, seed or item; conflict `playback_queue_full`; the store's.
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
            draw: Draw::default(),
            created_at: now,
            modified_at: now,
        };
        let pool = self.pool(actor, &queue).await?;
        let this = self.clone();
        run_to_completion(&self.context.tasks, "queue-create", async move {
            let held = input::tracks(&items).collect();
            let (drawn, draw) = extend::drawn(&queue, &held, &pool);
            let has_room = (items.len() + drawn.len()) as u64 <= MAX_ITEMS;
            let (drawn, draw) = if has_room {
                (drawn, draw)
            } else {
                (Vec::new(), queue.draw)
            };
            let items: Vec<ItemKey> = items.into_iter().chain(drawn).collect();
            let placed = this.placed(&items);
            let mut change = this.playback_queues.create_queue(queue).await?;
            change.insert(&placed, Place::End).await?;
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
    /// Not found; stale; the store's.
    pub async fn delete(&self, actor: &Actor, id: PlaybackQueueId, expected: Expected) -> Result<()> {
        let (this, user) = (self.clone(), actor.user.id);
        run_to_completion(&self.context.tasks, "queue-delete", async move {
            let change = this.change(user, id, &expected).await?;
            Ok(change.delete().await?)
        })
        .await
    }

    /// The items around one of them.
    ///
    /// # Errors
    /// Not found: the queue, or the item in it; the store's.
    pub async fn items(&self, actor: &Actor, id: PlaybackQueueId, window: Window) -> Result<ShownItems> {
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
            return Ok(ShownItems {
                items: Vec::new(),
                total: queue.item_count,
                revision: queue.revision,
            });
        };
        let keys = found.items.iter().map(|item| item.key);
        let readable = keys.filter(|(item, _)| input::may_read(actor, *item));
        let summaries = self.items.item_summaries(&actor.scope, readable).await?;
        let shown = found.items.into_iter().map(|item| ShownItem {
            item,
            summary: summaries.get(&item.key).cloned(),
        });
        Ok(ShownItems {
            items: shown.collect(),
            total: found.total,
            revision: found.revision,
        })
    }

    /// Adds items.
    ///
    /// # Errors
    /// Not found; stale; invalid items; conflict `playback_queue_full`; the store's.
    pub async fn add(
        &self,
        actor: &Actor,
        id: PlaybackQueueId,
        items: &[NamedItem],
        insert: Insert,
        expected: Expected,
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
                (Insert::End, _) => Place::End,
                (Insert::Next, Some(QueueCursor { item, .. })) => Place::After(item),
                (Insert::Next, None) => Place::Front,
            };
            change.insert(&placed, place).await?;
            Ok(change.commit().await?)
        })
        .await
    }

    /// Moves an item after another, or to the front.
    ///
    /// # Errors
    /// Not found; stale; invalid `after`; the store's.
    pub async fn move_item(
        &self,
        actor: &Actor,
        id: PlaybackQueueId,
        item: PlaybackQueueItemId,
        after: Option<&str>,
        expected: Expected,
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

    /// Takes an item out. If the cursor was there, it goes on to the next.
    ///
    /// # Errors
    /// Not found; stale; the store's.
    pub async fn remove_item(
        &self,
        actor: &Actor,
        id: PlaybackQueueId,
        item: PlaybackQueueItemId,
        expected: Expected,
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

    /// Says where the actor is.
    ///
    /// # Errors
    /// Not found; stale; invalid position or item; the store's.
    pub async fn set_cursor(
        &self,
        actor: &Actor,
        id: PlaybackQueueId,
        item: &str,
        seconds: f64,
        expected: Expected,
    ) -> Result<PlaybackQueue> {
        const ITEM: &str = "playbackQueueItemId";
        let item = item.parse::<PlaybackQueueItemId>();
        let item = item.map_err(|_| FieldError::new(ITEM, "must be an id"));
        let (item, position) = match (item, check_seconds(seconds)) {
            (Ok(item), Ok(position)) => (item, position),
            (item, position) => {
                let errors = item.err().into_iter().chain(position.err());
                return Err(ServiceError::Invalid(errors.collect()));
            }
        };
        let (this, user) = (self.clone(), actor.user.id);
        let moved = run_to_completion(&self.context.tasks, "queue-cursor", async move {
            let mut change = this.change(user, id, &expected).await?;
            if !change.set_cursor(item, position).await? {
                return Err(ServiceError::unknown(ITEM, "there is no such item in the queue"));
            }
            Ok(change.commit().await?)
        });
        let moved = moved.await?;
        self.extended(actor, moved).await
    }

    /// The actor's queue that plays this item in this place.
    ///
    /// # Errors
    /// Unknown; the store's.
    pub(super) async fn queue_with(
        &self,
        actor: &Actor,
        item: PlaybackQueueItemId,
        key: ItemKey,
    ) -> Result<PlaybackQueueId> {
        let found = self.playback_queues.queue_of_item(actor.user.id, item).await?;
        let queue = found.filter(|(_, found)| *found == key).map(|(queue, _)| queue);
        queue.ok_or_else(|| {
            let message = "there is no such place of the item in a queue of yours";
            ServiceError::unknown("playbackQueueItemId", message)
        })
    }

    /// Moves the cursor along with what a player reports. A place that is gone since it was looked for is passed over.
    pub(super) async fn follow(
        &self,
        actor: &Actor,
        (id, item): (PlaybackQueueId, PlaybackQueueItemId),
        position_ms: i64,
    ) -> Result<()> {
        let (this, user) = (self.clone(), actor.user.id);
        let moved = run_to_completion(&self.context.tasks, "queue-follow", async move {
            let mut change = this.change(user, id, &None).await?;
            change.set_cursor(item, position_ms).await?;
            Ok(change.commit().await?)
        });
        match moved.await {
            Ok(moved) => self.extended(actor, moved).await.map(drop),
            Err(ServiceError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn change(&self, user: UserId, id: PlaybackQueueId, expected: &Expected) -> Result<QueueChange> {
        let change = self
            .playback_queues
            .change_queue(user, id, self.context.now())
            .await?;
        let change = change.ok_or(ServiceError::NotFound)?;
        check_revision(&change, expected)?;
        Ok(change)
    }

    /// Items with ids of their places.
    fn placed(&self, items: &[ItemKey]) -> Vec<(PlaybackQueueItemId, ItemKey)> {
        let now = self.context.now();
        items
            .iter()
            .map(|key| (self.context.ids.next(now), *key))
            .collect()
    }
}
