//! Ratings and favorites of users.

use crate::items::{UserItemDetails, parse_id, parse_type, readable_types};
use crate::user_items;
use svc_domain::change::ItemType;
use svc_domain::id::MediaId;
use svc_domain::list::{Listing, OrderedPagination};
use svc_domain::user_data::{FAVORITE, UserItem};
use svc_identity::actor::Actor;
use svc_identity::error::{FieldError, Result, ServiceError};
use svc_identity::{Context, run_to_completion};
use svc_store::{ItemRepository, UserItemList, UserItemRepository};

/// The ratings service.
#[derive(Debug, Clone)]
pub struct Ratings {
    context: Context,
    user_items: UserItemRepository,
    items: ItemRepository,
}

impl Ratings {
    /// Creates the service.
    pub fn new(context: Context, user_items: UserItemRepository, items: ItemRepository) -> Self {
        Self {
            context,
            user_items,
            items,
        }
    }

    /// Stores or replaces the actor's rating of an item.
    ///
    /// # Errors
    /// Invalid type or rating; not found; database errors.
    pub async fn rate(
        &self,
        actor: &Actor,
        media_type: &str,
        media_id: &str,
        rating: f64,
    ) -> Result<UserItemDetails> {
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
        let summary = user_items::item_of_request(&self.items, actor, key).await?;
        let user_items = self.user_items.clone();
        let (user, now) = (actor.user.id, self.context.now());
        let UserItem { key, data } = run_to_completion(&self.context.tasks, "rating-change", async move {
            Ok(user_items.rate(user, key, rating, now).await?)
        })
        .await?;
        Ok(UserItemDetails { key, summary, data })
    }

    /// The actor's ratings by time, restricted to favorites if requested.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(
        &self,
        actor: &Actor,
        only: Option<ItemType>,
        favorites: bool,
        part: OrderedPagination,
    ) -> Result<Listing<UserItemDetails>> {
        let list = UserItemList::Ratings {
            least: if favorites { FAVORITE } else { 0.0 },
        };
        let types = readable_types(actor, only);
        user_items::list((&self.user_items, &self.items), actor, &types, list, part).await
    }

    /// Deletes the actor's rating of an item; `false` if there is none.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn delete_for_user(&self, actor: &Actor, item: ItemType, id: MediaId) -> Result<bool> {
        let key = (item, id.get());
        let (user_items, user) = (self.user_items.clone(), actor.user.id);
        let delete = async move { user_items.delete_rating(user, key).await };
        user_items::delete(&self.context.tasks, &self.items, actor, key, delete).await
    }
}
