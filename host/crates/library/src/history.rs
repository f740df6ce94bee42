//! What users played, how far, and how often.

use crate::items::{KnownItem, find_item, parse_id, parse_type, readable_types, with_summaries};
use crate::playback_queues::PlaybackQueues;
use svc_domain::change::ItemType;
use svc_domain::id::{MediaId, PlaybackQueueItemId};
use svc_domain::list::{Listing, OrderedPagination, Pagination};
use svc_domain::time::Timestamp;
use svc_domain::user_data::{ItemKey, PlayReport, PlayState, UserItem};
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{FieldError, Result, ServiceError};
use svc_identity::{Context, run_to_completion};
use svc_store::{ItemRepository, UserItemList, UserItemRepository};

/// Seconds of a position: a third of a year, which no item has.
pub const MAX_SECONDS: f64 = 10_000_000.0;

/// What a client says of its playing, as it wrote it.
#[derive(Debug)]
pub struct NewReport {
    /// Type of the item.
    pub media_type: String,
    /// The item.
    pub media_id: String,
    /// Where in it.
    pub seconds: f64,
    /// What the player does.
    pub state: String,
    /// When it was so, if not now.
    pub at: Option<Timestamp>,
    /// The place in a queue that is played.
    pub queue_item: Option<String>,
}

/// The history of each user.
#[derive(Debug, Clone)]
pub struct History {
    context: Context,
    user_items: UserItemRepository,
    items: ItemRepository,
    queues: PlaybackQueues,
}

/// A position in milliseconds.
pub(super) fn check_seconds(seconds: f64) -> std::result::Result<i64, FieldError> {
    if (0.0..=MAX_SECONDS).contains(&seconds) {
        Ok((seconds * 1000.0).round() as i64)
    } else {
        Err(FieldError::new("seconds", "must be a number from 0 to 10000000"))
    }
}

/// A report that makes sense.
struct Checked {
    key: ItemKey,
    position_ms: i64,
    state: PlayState,
    queue_item: Option<PlaybackQueueItemId>,
}

/// A report, unless something is wrong with it.
fn check(new: &NewReport) -> Result<Checked> {
    let item = parse_type(&new.media_type).and_then(|item| {
        let is_played = item.is_played().then_some(item);
        is_played.ok_or_else(|| FieldError::new("mediaType", "is not of a type that is played"))
    });
    let id = parse_id("mediaId", &new.media_id);
    let position = check_seconds(new.seconds);
    let state = PlayState::from_name(&new.state).ok_or_else(|| {
        let names = PlayState::ALL.map(PlayState::as_str).join(", ");
        FieldError::new("state", format!("must be one of {names}"))
    });
    let queue_item = new.queue_item.as_deref().map(str::parse).transpose();
    let queue_item = queue_item.map_err(|_| FieldError::new("playbackQueueItemId", "must be an id"));
    match (item, id, position, state, queue_item) {
        (Ok(item), Ok(id), Ok(position_ms), Ok(state), Ok(queue_item)) => Ok(Checked {
            key: (item, id.get()),
            position_ms,
            state,
            queue_item,
        }),
        (item, id, position, state, queue_item) => {
            let errors = [
                item.err(),
                id.err(),
                position.err(),
                state.err(),
                queue_item.err(),
            ];
            Err(ServiceError::Invalid(errors.into_iter().flatten().collect()))
        }
    }
}

/// What can be played, if the caller asks for one type alone.
fn played_types(actor: &Actor, only: Option<ItemType>) -> Vec<ItemType> {
    let mut types = readable_types(actor, only);
    types.retain(|item| item.is_played());
    types
}

impl History {
    /// Over this store; what is played moves the cursor of its queue.
    pub fn new(
        context: Context,
        user_items: UserItemRepository,
        items: ItemRepository,
        queues: PlaybackQueues,
    ) -> Self {
        Self {
            context,
            user_items,
            items,
            queues,
        }
    }

    /// Takes in what a client says of its playing; gives what is known then. What is older than the last report
    /// changes nothing.
    ///
    /// # Errors
    /// Invalid; unknown item, or place in a queue; the store's.
    pub async fn report(&self, actor: &Actor, new: NewReport) -> Result<KnownItem> {
        let Checked {
            key,
            position_ms,
            state,
            queue_item,
        } = check(&new)?;
        let summary = find_item(&self.items, actor, key).await;
        let summary = summary.map_err(|error| error.named_by("mediaId"))?;
        // Looked for before anything is kept: a report is taken as a whole, or not at all.
        let place = match queue_item {
            Some(item) if actor.may(Capability::PlaybackQueuesUpdate) => {
                Some((self.queues.queue_with(actor, item, key).await?, item))
            }
            _ => None,
        };
        // A client whose clock is ahead must not shut out all others.
        let now = self.context.now();
        let report = PlayReport {
            at: new.at.map_or(now, |at| at.min(now)),
            position_ms,
            state,
        };
        let (user_items, user, length) = (self.user_items.clone(), actor.user.id, summary.duration_ms);
        let UserItem { key, data } = run_to_completion(&self.context.tasks, "history-report", async move {
            Ok(user_items.report_playback(user, key, &report, length).await?)
        })
        .await?;
        let is_the_last = data.playback.played_at == Some(report.at);
        if let Some(place) = place.filter(|_| is_the_last) {
            self.queues.follow(actor, place, position_ms).await?;
        }
        Ok(KnownItem { key, summary, data })
    }

    /// What the actor played, by when.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(
        &self,
        actor: &Actor,
        only: Option<ItemType>,
        part: OrderedPagination,
    ) -> Result<Listing<KnownItem>> {
        self.listed(actor, &played_types(actor, only), UserItemList::History, part)
            .await
    }

    /// Movies and episodes that the actor began and did not end, by when they were played.
    ///
    /// # Errors
    /// The store's.
    pub async fn resumable(&self, actor: &Actor, part: OrderedPagination) -> Result<Listing<KnownItem>> {
        let mut types = played_types(actor, None);
        types.retain(|item| matches!(item, ItemType::Movie | ItemType::TvEpisode));
        self.listed(actor, &types, UserItemList::Resumable, part).await
    }

    /// The next episode of each show that the actor watches, the show watched last first.
    ///
    /// # Errors
    /// The store's.
    pub async fn next_up(&self, actor: &Actor, page: Pagination) -> Result<Listing<KnownItem>> {
        if played_types(actor, Some(ItemType::TvEpisode)).is_empty() {
            return Ok(Listing {
                items: Vec::new(),
                total: 0,
                next: None,
            });
        }
        let user = actor.user.id;
        let Listing { items, total, .. } = self.user_items.next_up(user, &actor.scope, page).await?;
        let keys: Vec<ItemKey> = items.into_iter().map(|id| (ItemType::TvEpisode, id)).collect();
        let data = self.user_items.user_data(user, &keys).await?;
        let items = keys.into_iter().map(|key| UserItem {
            key,
            data: data.get(&key).copied().unwrap_or_default(),
        });
        Ok(Listing {
            items: with_summaries(&self.items, actor, items.collect()).await?,
            total,
            next: None,
        })
    }

    async fn listed(
        &self,
        actor: &Actor,
        types: &[ItemType],
        list: UserItemList,
        part: OrderedPagination,
    ) -> Result<Listing<KnownItem>> {
        let Listing { items, total, .. } = self
            .user_items
            .list_user_items(actor.user.id, &actor.scope, types, list, part)
            .await?;
        Ok(Listing {
            items: with_summaries(&self.items, actor, items).await?,
            total,
            next: None,
        })
    }

    /// Forgets that the actor played an item: it is unwatched again, and was never played. False if it was not.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn forget(&self, actor: &Actor, item: ItemType, id: MediaId) -> Result<bool> {
        let user_items = self.user_items.clone();
        let key = (item, id.get());
        find_item(&self.items, actor, key).await?;
        let user = actor.user.id;
        run_to_completion(&self.context.tasks, "history-forget", async move {
            Ok(user_items.forget_playback(user, key).await?)
        })
        .await
    }
}
