//! What users think of items.

use crate::items::{KnownItem, find_item, parse_id, parse_type, readable_types, with_summaries};
use svc_domain::change::ItemType;
use svc_domain::id::MediaId;
use svc_domain::list::{Listing, OrderedPagination};
use svc_domain::user_data::{FAVORITE, UserItem};
use svc_identity::actor::Actor;
use svc_identity::error::{FieldError, Result, ServiceError};
use svc_identity::{Context, run_to_completion};
use svc_store::{ItemRepository, UserItemList, UserItemRepository};

/// The ratings of each user.
#[derive(Debug, Clone)]
pub struct Ratings {
    context: Context,
    user_items: UserItemRepository,
    items: ItemRepository,
}

impl Ratings {
    /// Over this store.
    pub fn new(context: Context, user_items: UserItemRepository, items: ItemRepository) -> Self {
        Self {
            context,
            user_items,
            items,
        }
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
        let in_bounds = (0.0..=1.0).contains(&rating);
        let rating_fault = (!in_bounds).then(|| FieldError::new("rating", "must be a number from 0 to 1"));
        let key = match (
            parse_type(media_type),
            parse_id("mediaId", media_id),
            rating_fault,
        ) {
            (Ok(item), Ok(id), None) => (item, id.get()),
            (item, id, rating) => {
                let errors = item.err().into_iter().chain(id.err()).chain(rating);
                return Err(ServiceError::Invalid(errors.collect()));
            }
        };
        let user_items = self.user_items.clone();
        let summary = find_item(&self.items, actor, key).await;
        let summary = summary.map_err(|error| error.named_by("mediaId"))?;
        let (user, now) = (actor.user.id, self.context.now());
        let UserItem { key, data } = run_to_completion(&self.context.tasks, "rating-change", async move {
            Ok(user_items.rate(user, key, rating, now).await?)
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
        part: OrderedPagination,
    ) -> Result<Listing<KnownItem>> {
        let list = UserItemList::Ratings {
            least: if favorites { FAVORITE } else { 0.0 },
        };
        let types = readable_types(actor, only);
        let Listing { items, total, .. } = self
            .user_items
            .list_user_items(actor.user.id, &actor.scope, &types, list, part)
            .await?;
        Ok(Listing {
            items: with_summaries(&self.items, actor, items).await?,
            total,
            next: None,
        })
    }

    /// Forgets what the actor thinks of an item. False if they never said.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn forget(&self, actor: &Actor, item: ItemType, id: MediaId) -> Result<bool> {
        let user_items = self.user_items.clone();
        let key = (item, id.get());
        find_item(&self.items, actor, key).await?;
        let user = actor.user.id;
        run_to_completion(&self.context.tasks, "rating-delete", async move {
            Ok(user_items.forget_rating(user, key).await?)
        })
        .await
    }
}
