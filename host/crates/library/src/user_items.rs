//! Ratings and playback history have the same shape: records of a user about items, which are listed and deleted here.

use crate::items::{UserItemDetails, find_item, with_summaries};
use svc_domain::change::ItemType;
use svc_domain::list::{Listing, OrderedPagination};
use svc_domain::user_data::{ItemKey, ItemSummary};
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
use svc_identity::run_to_completion;
use svc_platform::tasks::Tasks;
use svc_store::{ItemRepository, StoreError, UserItemList, UserItemRepository};

/// The summary of the item that the request field `mediaId` names.
///
/// # Errors
/// Unknown, also if the actor may not see the item; database errors.
pub(super) async fn item_of_request(
    items: &ItemRepository,
    actor: &Actor,
    key: ItemKey,
) -> Result<ItemSummary> {
    let found = find_item(items, actor, key).await;
    found.map_err(|error| error.at_field("mediaId"))
}

/// Lists the actor's items of these types.
///
/// # Errors
/// Database errors.
pub(super) async fn list(
    (user_items, items): (&UserItemRepository, &ItemRepository),
    actor: &Actor,
    types: &[ItemType],
    list: UserItemList,
    part: OrderedPagination,
) -> Result<Listing<UserItemDetails>> {
    let listing = user_items
        .list_user_items(actor.user.id, &actor.scope, types, list, part)
        .await?;
    Ok(Listing {
        items: with_summaries(items, actor, listing.items).await?,
        total: listing.total,
        next: None,
    })
}

/// Deletes the actor's record of an item with `delete`; `false` if there is none.
///
/// # Errors
/// Not found if the actor may not see the item; database errors.
pub(super) async fn delete(
    tasks: &Tasks,
    items: &ItemRepository,
    actor: &Actor,
    key: ItemKey,
    delete: impl Future<Output = std::result::Result<bool, StoreError>> + Send + 'static,
) -> Result<bool> {
    find_item(items, actor, key).await?;
    run_to_completion(tasks, "user-item-delete", async move {
        delete.await.map_err(ServiceError::from)
    })
    .await
}
