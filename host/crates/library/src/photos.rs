//! Lists photos and stores corrections of their metadata.

mod corrections;

use crate::items;
use corrections::check;
use svc_domain::id::{LibraryId, PhotoId};
use svc_domain::list::{ListRequest, Listing, Order};
use svc_domain::photo::Photo;
use svc_domain::photo_bucket::{Granularity, PhotoBucket};
use svc_events::{Events, photos as photo_events};
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{Result, ServiceError};
use svc_identity::{Context, run_to_completion};
use svc_store::{Hits, PhotoAlbumRepository, PhotoRepository, UserItemRepository};

pub use corrections::PhotoUpdate;
pub use svc_store::{BoundingBox, ItemFilter, PhotoFilter, PhotoOrder};

/// Photos; items outside of the actor's access filter are treated as not existing.
#[derive(Debug, Clone)]
pub struct Photos {
    context: Context,
    photos: PhotoRepository,
    photo_albums: PhotoAlbumRepository,
    user_items: UserItemRepository,
    events: Events,
}

impl Photos {
    /// Creates the service.
    pub fn new(
        context: Context,
        photos: PhotoRepository,
        photo_albums: PhotoAlbumRepository,
        user_items: UserItemRepository,
        events: Events,
    ) -> Self {
        Self {
            context,
            photos,
            photo_albums,
            user_items,
            events,
        }
    }

    /// Lists photos; none for an album that the actor may not see.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(
        &self,
        actor: &Actor,
        filter: &PhotoFilter,
        request: &ListRequest<PhotoOrder>,
    ) -> Result<Listing<Photo>> {
        if self.is_of_hidden_album(actor, filter).await? {
            return Ok(Listing {
                items: Vec::new(),
                total: 0,
                next: None,
            });
        }
        let mut photos = self.photos.list_photos(&actor.scope, filter, request).await?;
        self.add_albums(actor, &mut photos.items).await?;
        self.add_user_data(actor, &mut photos.items).await?;
        Ok(photos)
    }

    /// The photos of search hits.
    ///
    /// # Errors
    /// Database errors.
    pub async fn of_hits(&self, actor: &Actor, hits: Hits) -> Result<Listing<Photo>> {
        let mut photos = self.photos.photos_of_hits(hits).await?;
        self.add_albums(actor, &mut photos.items).await?;
        self.add_user_data(actor, &mut photos.items).await?;
        Ok(photos)
    }

    /// Counts photos by day or month, restricted to the filter's libraries.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub async fn buckets(
        &self,
        actor: &Actor,
        filter: &PhotoFilter,
        libraries: &[LibraryId],
        granularity: Granularity,
        order: Order,
    ) -> Result<Vec<PhotoBucket>> {
        if self.is_of_hidden_album(actor, filter).await? {
            return Ok(Vec::new());
        }
        let mut buckets = self
            .photos
            .photo_buckets(&actor.scope, filter, libraries, granularity)
            .await?;
        if order == Order::Descending {
            buckets.reverse();
        }
        Ok(buckets)
    }

    /// One photo.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn photo(&self, actor: &Actor, id: PhotoId) -> Result<Photo> {
        let photo = self.photos.photo(&actor.scope, id).await?;
        let mut photos = [photo.ok_or(ServiceError::NotFound)?];
        self.add_albums(actor, &mut photos).await?;
        self.add_user_data(actor, &mut photos).await?;
        let [photo] = photos;
        Ok(photo)
    }

    /// Stores corrections of a photo's metadata; its file stays unchanged.
    ///
    /// # Errors
    /// Not found; invalid values; database errors.
    pub async fn update(&self, actor: &Actor, id: PhotoId, update: PhotoUpdate) -> Result<Photo> {
        let (this, scope) = (self.clone(), actor.scope.clone());
        let patch = check(update);
        // An unknown photo is reported before invalid values.
        if patch.is_err() {
            self.photo(actor, id).await?;
        }
        let patch = patch?;
        run_to_completion(&self.context.tasks, "photo-update", async move {
            let now = this.context.now();
            let class = this.photos.update_photo(&scope, id, &patch, now).await?;
            let class = class.ok_or(ServiceError::NotFound)?;
            this.events.publish(|| photo_events::updated(id, class));
            Ok(())
        })
        .await?;
        self.photo(actor, id).await
    }

    async fn add_user_data(&self, actor: &Actor, photos: &mut [Photo]) -> Result<()> {
        items::add_user_data(&self.user_items, actor, photos).await
    }

    /// Whether the filter names an album that the actor may not see.
    async fn is_of_hidden_album(&self, actor: &Actor, filter: &PhotoFilter) -> Result<bool> {
        let Some(album) = filter.album else {
            return Ok(false);
        };
        let may = actor.may(Capability::PhotoAlbumsRead);
        Ok(!may
            || !self
                .photo_albums
                .can_see_photo_album(actor.user.id, album)
                .await?)
    }

    async fn add_albums(&self, actor: &Actor, photos: &mut [Photo]) -> Result<()> {
        if photos.is_empty() || !actor.may(Capability::PhotoAlbumsRead) {
            return Ok(());
        }
        let ids: Vec<PhotoId> = photos.iter().map(|photo| photo.id).collect();
        let mut albums = self.photo_albums.albums_of_photos(actor.user.id, &ids).await?;
        for photo in photos {
            photo.albums = albums.remove(&photo.id).unwrap_or_default();
        }
        Ok(())
    }
}
