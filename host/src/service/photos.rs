//! Browsing photos.

use super::error::{Result, ServiceError};
use crate::auth::actor::Actor;
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
        Ok(self.store.list_photos(&actor.scope, filter, request).await?)
    }

    /// One photo.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn photo(&self, actor: &Actor, id: PhotoId) -> Result<Photo> {
        self.store
            .photo(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }
}
