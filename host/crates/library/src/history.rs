//! Playback history: position, play count and watched state per user and item.

use crate::items::{UserItemDetails, parse_id, parse_type, readable_types, with_summaries};
use crate::playback_queues::PlaybackQueues;
use crate::user_items;
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

/// Maximum position in seconds, about four months.
pub const MAX_SECONDS: f64 = 10_000_000.0;

/// A progress report as the client sent it, not validated yet.
#[derive(Debug)]
pub struct PlaybackReport {
    /// Name of the item's type, such as `music_track`.
    pub media_type: String,
    /// Id of the item.
    pub media_id: String,
    /// Position in seconds; the page, for an item with pages.
    pub seconds: f64,
    /// Name of a [`PlayState`].
    pub state: String,
    /// Time of the report; now if `None`.
    pub at: Option<Timestamp>,
    /// Id of the entry in a playback queue that is played.
    pub queue_item: Option<String>,
}

/// The history service.
#[derive(Debug, Clone)]
pub struct History {
    context: Context,
    user_items: UserItemRepository,
    items: ItemRepository,
    queues: PlaybackQueues,
}

/// Converts seconds to milliseconds.
///
/// # Errors
/// Invalid if negative, not finite or above the maximum.
pub(super) fn check_seconds(seconds: f64) -> std::result::Result<i64, FieldError> {
    if (0.0..=MAX_SECONDS).contains(&seconds) {
        Ok((seconds * 1000.0).round() as i64)
    } else {
        Err(FieldError::new("seconds", "must be a number from 0 to 10000000"))
    }
}

/// A report whose fields are valid; the item may still be unknown.
struct ValidReport {
    key: ItemKey,
    position_ms: i64,
    state: PlayState,
    queue_item: Option<PlaybackQueueItemId>,
}

/// Returns all invalid fields of a report at once.
fn validate(new: &PlaybackReport) -> Result<ValidReport> {
    let item = parse_type(&new.media_type).and_then(|item| {
        let is_played = item.is_played().then_some(item);
        is_played.ok_or_else(|| FieldError::new("mediaType", "is not a playable type"))
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
        (Ok(item), Ok(id), Ok(position_ms), Ok(state), Ok(queue_item)) => Ok(ValidReport {
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

/// Types that can be played, restricted to `only`.
fn played_types(actor: &Actor, only: Option<ItemType>) -> Vec<ItemType> {
    let mut types = readable_types(actor, only);
    types.retain(|item| item.is_played());
    types
}

impl History {
    /// Creates the service; reports also move the cursor of the playback queue.
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

    /// Stores a progress report and returns the item's state. A report older than the stored one changes nothing.
    ///
    /// # Errors
    /// Invalid; unknown item or queue entry; database errors.
    pub async fn report(&self, actor: &Actor, new: PlaybackReport) -> Result<UserItemDetails> {
        let ValidReport {
            key,
            position_ms,
            state,
            queue_item,
        } = validate(&new)?;
        let summary = user_items::item_of_request(&self.items, actor, key).await?;
        // Validated before anything is stored, so that a report is applied completely or not at all.
        let queue_entry = match queue_item {
            Some(item) if actor.may(Capability::PlaybackQueuesUpdate) => {
                Some((self.queues.queue_of_entry(actor, item, key).await?, item))
            }
            _ => None,
        };
        // A client with a fast clock must not block later reports of other clients.
        let now = self.context.now();
        let report = PlayReport {
            at: new.at.map_or(now, |at| at.min(now)),
            position_ms,
            state,
        };
        let (user_items, user, length) = (self.user_items.clone(), actor.user.id, summary.length_ms());
        let UserItem { key, data } = run_to_completion(&self.context.tasks, "history-report", async move {
            Ok(user_items.report_playback(user, key, &report, length).await?)
        })
        .await?;
        let is_the_last = data.playback.played_at == Some(report.at);
        if let Some(queue_entry) = queue_entry.filter(|_| is_the_last) {
            self.queues
                .advance_cursor(actor, queue_entry, position_ms)
                .await?;
        }
        Ok(UserItemDetails { key, summary, data })
    }

    /// The actor's history by time.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(
        &self,
        actor: &Actor,
        only: Option<ItemType>,
        part: OrderedPagination,
    ) -> Result<Listing<UserItemDetails>> {
        let types = played_types(actor, only);
        user_items::list(
            (&self.user_items, &self.items),
            actor,
            &types,
            UserItemList::History,
            part,
        )
        .await
    }

    /// Movies, episodes and items of plugins that the actor started and did not finish, by time.
    ///
    /// # Errors
    /// Database errors.
    pub async fn resumable(
        &self,
        actor: &Actor,
        part: OrderedPagination,
    ) -> Result<Listing<UserItemDetails>> {
        let mut types = played_types(actor, None);
        types.retain(|item| matches!(item, ItemType::Movie | ItemType::TvEpisode | ItemType::Item));
        user_items::list(
            (&self.user_items, &self.items),
            actor,
            &types,
            UserItemList::Resumable,
            part,
        )
        .await
    }

    /// The next episode of each show that the actor watches, most recent first.
    ///
    /// # Errors
    /// Database errors.
    pub async fn next_up(&self, actor: &Actor, page: Pagination) -> Result<Listing<UserItemDetails>> {
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

    /// Deletes an item's history of the actor, which makes it unwatched; `false` if there is none.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn delete_for_user(&self, actor: &Actor, item: ItemType, id: MediaId) -> Result<bool> {
        let key = (item, id.get());
        let (user_items, user) = (self.user_items.clone(), actor.user.id);
        let delete = async move { user_items.delete_playback(user, key).await };
        user_items::delete(&self.context.tasks, &self.items, actor, key, delete).await
    }
}
