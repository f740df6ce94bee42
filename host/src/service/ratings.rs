//! What users think of items.

use super::error::{Result, ServiceError};
use super::identity::{Context, uninterrupted};
use super::items::{KnownItem, find_item, readable_types, with_summaries};
use crate::auth::actor::Actor;
use crate::domain::change::ItemType;
use crate::domain::id::MediaId;
use crate::domain::list::{Listing, OrderedPage};
use crate::domain::user_data::{FAVORITE, UserItem};
use crate::store::UserItemList;

/// The ratings of each user.
#[derive(Debug, Clone)]
pub struct Ratings {
    context: Context,
}

impl Ratings {
    /// Over this store.
    pub fn new(context: Context) -> Self {
        Self { context }
    }

    /// Keeps what the actor thinks of an item, in place of what they thought before.
    ///
    /// # Errors
    /// Invalid type or rating; not found; the store's.
    pub async fn rate(
        &self,
        actor: &Actor,
        media_type: &str,
        media_id: &str,
        rating: f64,
    ) -> Result<KnownItem> {
        if !(0.0..=1.0).contains(&rating) {
            return Err(ServiceError::invalid("rating", "must be a number from 0 to 1"));
        }
        let store = self.context.store.clone();
        let (key, summary) = find_item(&store, actor, media_type, media_id).await?;
        let (user, now) = (actor.user.id, self.context.now());
        let UserItem { key, data } = uninterrupted(&self.context.tasks, "rating-change", async move {
            Ok(store.rate(user, key, rating, now).await?)
        })
        .await?;
        Ok(KnownItem { key, summary, data })
    }

    /// What the actor rated, by when; favorites alone if asked for.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(
        &self,
        actor: &Actor,
        only: Option<ItemType>,
        favorites: bool,
        part: OrderedPage,
    ) -> Result<Listing<KnownItem>> {
        let list = UserItemList::Ratings {
            least: if favorites { FAVORITE } else { 0.0 },
        };
        let (store, types) = (&self.context.store, readable_types(actor, only));
        let Listing { items, total, .. } = store
            .list_user_items(actor.user.id, &actor.scope, &types, list, part)
            .await?;
        Ok(Listing {
            items: with_summaries(store, actor, items).await?,
            total,
            next: None,
        })
    }

    /// Forgets what the actor thinks of an item. False if they never said.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn forget(&self, actor: &Actor, item: ItemType, id: MediaId) -> Result<bool> {
        let store = self.context.store.clone();
        let (key, _) = find_item(&store, actor, item.as_str(), &id.to_string()).await?;
        let user = actor.user.id;
        uninterrupted(&self.context.tasks, "rating-delete", async move {
            Ok(store.forget_rating(user, key).await?)
        })
        .await
    }
}
