//! Ratings and playback history have the same shape: records of a user about items, which are listed and deleted here.

use crate::items::{KnownItem, find_item, with_summaries};
use svc_domain::change::ItemType;
use svc_domain::id::UserId;
use svc_domain::list::{Listing, OrderedPagination};
use svc_domain::user_data::{ItemKey, ItemSummary};
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
use svc_identity::{Context, run_to_completion};
use svc_store::{Store, StoreError, UserItemList};

/// The summary of the item that the request field `mediaId` names.
///
/// # Errors
/// Unknown, also if the actor may not see the item; database errors.
pub(super) async fn item_of_request(store: &Store, actor: &Actor, key: ItemKey) -> Result<ItemSummary> {
    let found = find_item(store, actor, key).await;
    found.map_err(|error| error.named_by("mediaId"))
}

/// Lists the actor's items of these types.
///
/// # Errors
/// Database errors.
pub(super) async fn list(
    store: &Store,
    actor: &Actor,
    types: &[ItemType],
    list: UserItemList,
    part: OrderedPagination,
) -> Result<Listing<KnownItem>> {
    let Listing { items, total, .. } = store
        .list_user_items(actor.user.id, &actor.scope, types, list, part)
        .await?;
    Ok(Listing {
        items: with_summaries(store, actor, items).await?,
        total,
        next: None,
    })
}

/// Deletes the actor's record of an item with `delete`; `false` if there is none.
///
/// # Errors
/// Not found if the actor may not see the item; database errors.
pub(super) async fn delete<F>(
    context: &Context,
    actor: &Actor,
    key: ItemKey,
    delete: impl FnOnce(Store, UserId) -> F,
) -> Result<bool>
where
    F: Future<Output = std::result::Result<bool, StoreError>> + Send + 'static,
{
    find_item(&context.store, actor, key).await?;
    let deleted = delete(context.store.clone(), actor.user.id);
    run_to_completion(&context.tasks, "user-item-delete", async move {
        deleted.await.map_err(ServiceError::from)
    })
    .await
}
