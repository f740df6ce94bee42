//! Browsing photos.

use super::error::{Result, ServiceError};
use crate::auth::actor::Actor;
use crate::domain::id::PhotoId;
use crate::domain::list::{Listing, Order, Page};
use crate::domain::photo::Photo;
use crate::store::Store;
pub use crate::store::{BoundingBox, PhotoFilter, PhotoOrder};

/// Photos, as an actor sees them. All of them for now: libraries with grants will narrow it by the actor.
#[derive(Debug, Clone)]
pub struct Photos {
    store: Store,
}

impl Photos {
    /// Over this store.
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// Photos.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(
        &self,
        _actor: &Actor,
        filter: &PhotoFilter,
        by: PhotoOrder,
        order: Order,
        page: Page,
    ) -> Result<Listing<Photo>> {
        Ok(self.store.list_photos(filter, by, order, page).await?)
    }

    /// One photo.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn photo(&self, _actor: &Actor, id: PhotoId) -> Result<Photo> {
        self.store.photo(id).await?.ok_or(ServiceError::NotFound)
    }
}
