//! Lists and shows items.

use crate::item_kinds::{FacetCount, FacetRequest, ItemKinds, ItemListRequest};
use crate::items::add_user_data;
use svc_domain::id::ItemId;
use svc_domain::item::{FileContent, Item, ItemPart, item_chapters, item_fields};
use svc_domain::list::Listing;
use svc_domain::video::Chapter;
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
use svc_store::{Hits, StoredKind};

/// An item as lists show it.
#[derive(Debug, Clone)]
pub struct ItemView {
    /// The item.
    pub item: Item,
    /// Why the plugin of its kind is not active, if it is not.
    pub unavailable: Option<String>,
}

/// An item with everything that its files say.
#[derive(Debug, Clone)]
pub struct ItemDetails {
    /// As in lists, with all fields, declared or not.
    pub view: ItemView,
    /// Over all its files.
    pub chapters: Vec<Chapter>,
}

impl ItemKinds {
    /// Lists items of a kind.
    ///
    /// # Errors
    /// Invalid for an unknown kind, field or value; database errors.
    pub async fn list(&self, actor: &Actor, request: &ItemListRequest) -> Result<Listing<ItemView>> {
        let kind = self.requested_kind(&request.filter.kind).await?;
        let (filter, page) = (request.filter.check(&kind)?, request.check(&kind)?);
        let items = self.kinds.list_items(&actor.scope, &kind, &filter, &page).await?;
        self.views(actor, items).await
    }

    /// Counts the values of a field, most frequent first.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub async fn facets(&self, actor: &Actor, request: &FacetRequest) -> Result<Listing<FacetCount>> {
        let kind = self.requested_kind(&request.filter.kind).await?;
        let (filter, field) = (request.filter.check(&kind)?, request.check(&kind)?);
        let libraries = &request.filter.libraries;
        let facets = self
            .kinds
            .item_facets(&actor.scope, field, &filter, libraries, request.page);
        Ok(facets.await?)
    }

    /// The items of search hits.
    ///
    /// # Errors
    /// Database errors.
    pub async fn of_hits(&self, actor: &Actor, kind: &StoredKind, hits: Hits) -> Result<Listing<ItemView>> {
        let items = self.kinds.items_of_hits(&actor.scope, kind, hits).await?;
        self.views(actor, items).await
    }

    async fn views(&self, actor: &Actor, mut items: Listing<Item>) -> Result<Listing<ItemView>> {
        add_user_data(&self.user_items, actor, &mut items.items).await?;
        // All items of a list are of one kind.
        let unavailable = items.items.first().and_then(|item| self.unavailable(&item.kind));
        let listed = std::mem::take(&mut items.items);
        let views = listed.into_iter().map(|item| ItemView {
            item,
            unavailable: unavailable.clone(),
        });
        Ok(items.with_items(views.collect()))
    }

    /// One item.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn item(&self, actor: &Actor, id: ItemId) -> Result<ItemDetails> {
        let found = self.kinds.item(&actor.scope, id).await?;
        let (mut item, kind) = found.ok_or(ServiceError::NotFound)?;
        let parts = self.kinds.item_parts(&actor.scope, id).await?;
        let files: Vec<FileContent> = parts.into_iter().map(|part| part.content).collect();
        item.fields = item_fields(&kind.schema, &files);
        add_user_data(&self.user_items, actor, std::slice::from_mut(&mut item)).await?;
        Ok(ItemDetails {
            chapters: item_chapters(&files),
            view: ItemView {
                unavailable: self.unavailable(&item.kind),
                item,
            },
        })
    }

    /// The files of an item, in order.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn parts(&self, actor: &Actor, id: ItemId) -> Result<Vec<ItemPart>> {
        let parts = self.kinds.item_parts(&actor.scope, id).await?;
        if parts.is_empty() {
            return Err(ServiceError::NotFound);
        }
        Ok(parts)
    }
}
