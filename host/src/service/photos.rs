//! Browsing photos.

use super::error::{Result, ServiceError};
use super::items::user_data;
use crate::auth::actor::Actor;
use crate::domain::change::ItemType;
use crate::domain::id::PhotoId;
use crate::domain::list::{ListRequest, Listing};
use crate::domain::photo::Photo;
use crate::store::Store;
pub use crate::store::{BoundingBox, PhotoFilter, PhotoOrder};

/// Photos, as an actor sees them: what they do not see is as if it did not exist.
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
        actor: &Actor,
        filter: &PhotoFilter,
        request: &ListRequest<PhotoOrder>,
    ) -> Result<Listing<Photo>> {
        let mut photos = self.store.list_photos(&actor.scope, filter, request).await?;
        self.add_user_data(actor, &mut photos.items).await?;
        Ok(photos)
    }

    async fn add_user_data(&self, actor: &Actor, photos: &mut [Photo]) -> Result<()> {
        let key = |photo: &Photo| (ItemType::Photo, photo.id.get());
        let keys: Vec<_> = photos.iter().map(key).collect();
        let found = user_data(&self.store, actor, &keys).await?;
        for photo in photos {
            photo.user_data = found.get(&key(photo)).copied().unwrap_or_default();
        }
        Ok(())
    }

    /// One photo.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn photo(&self, actor: &Actor, id: PhotoId) -> Result<Photo> {
        let photo = self.store.photo(&actor.scope, id).await?;
        let mut photo = photo.ok_or(ServiceError::NotFound)?;
        self.add_user_data(actor, std::slice::from_mut(&mut photo))
            .await?;
        Ok(photo)
    }
}
