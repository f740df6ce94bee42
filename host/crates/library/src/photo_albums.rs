//! Photo albums: only the owner changes an album, and shares it with others.

mod input;

use input::{parse, results};
use svc_domain::id::{PhotoAlbumId, PhotoId, UserId};
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::photo_album::{AlbumPhotoOutcome, AlbumViewers, PhotoAlbum};
use svc_events::{EventKind, Events, photos as photo_events};
use svc_identity::actor::Actor;
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_identity::{Context, run_to_completion};
use svc_store::{NewPhotoAlbum, PhotoAlbumRepository, PhotoRepository, UserRepository};

pub use input::AlbumInput;
pub(super) use input::check_description;
pub use svc_store::AlbumOrder;

mod limits {
    /// Albums per account: one a week for twenty years.
    pub(super) const ALBUMS: i64 = 1_000;
    /// Photos per album. Count and time span are computed on each request.
    pub(super) const PHOTOS: i64 = 10_000;
    /// Accounts with which an album is shared; for more, share it with everyone.
    pub(super) const SHARED_WITH: usize = 200;
    /// Characters of a description.
    pub(super) const DESCRIPTION: usize = 2_000;
}

/// The service for photo albums.
#[derive(Debug, Clone)]
pub struct PhotoAlbums {
    context: Context,
    photo_albums: PhotoAlbumRepository,
    photos: PhotoRepository,
    users: UserRepository,
    events: Events,
}

/// Result for one photo.
pub type PhotoResult = (String, AlbumPhotoOutcome);

impl PhotoAlbums {
    /// Creates the service.
    pub fn new(
        context: Context,
        photo_albums: PhotoAlbumRepository,
        photos: PhotoRepository,
        users: UserRepository,
        events: Events,
    ) -> Self {
        Self {
            context,
            photo_albums,
            photos,
            users,
            events,
        }
    }

    /// Lists the albums that the actor may see.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(
        &self,
        actor: &Actor,
        by: AlbumOrder,
        order: Order,
        page: Pagination,
    ) -> Result<Listing<PhotoAlbum>> {
        Ok(self
            .photo_albums
            .list_photo_albums(&actor.scope, actor.user.id, by, order, page)
            .await?)
    }

    /// Searches the albums that the actor may see.
    ///
    /// # Errors
    /// Database errors.
    pub async fn search(&self, actor: &Actor, text: &str, page: Pagination) -> Result<Listing<PhotoAlbum>> {
        Ok(self
            .photo_albums
            .search_photo_albums(&actor.scope, actor.user.id, text, page)
            .await?)
    }

    /// Returns an album.
    ///
    /// # Errors
    /// Not found, also if the actor may not see it; database errors.
    pub async fn get(&self, actor: &Actor, id: PhotoAlbumId) -> Result<PhotoAlbum> {
        let album = self
            .photo_albums
            .photo_album(&actor.scope, actor.user.id, id)
            .await?;
        album.ok_or(ServiceError::NotFound)
    }

    /// Creates an album of the actor.
    ///
    /// # Errors
    /// Invalid input; unknown account; conflict `too_many_photo_albums`; database errors.
    pub async fn create(&self, actor: &Actor, input: AlbumInput) -> Result<PhotoAlbum> {
        let mut patch = Self::check(input)?;
        patch.users = self.known_users(actor, patch.users).await?;
        let now = self.context.now();
        let viewers = AlbumViewers {
            everyone: patch.everyone.unwrap_or_default(),
            users: patch.users.unwrap_or_default(),
        };
        let new = NewPhotoAlbum {
            id: self.context.ids.next(now),
            owner: actor.user.id,
            name: patch
                .name
                .ok_or_else(|| ServiceError::invalid("name", "is missing"))?,
            description: patch.description.flatten(),
            viewers: viewers.clone(),
        };
        let (this, id, owner) = (self.clone(), new.id, actor.user.id);
        run_to_completion(&self.context.tasks, "photo-album-create", async move {
            if !this
                .photo_albums
                .insert_photo_album(&new, limits::ALBUMS, now)
                .await?
            {
                let message = "you have reached the limit on albums";
                return Err(ServiceError::conflict(ErrorCode::TooManyPhotoAlbums, message));
            }
            this.publish(EventKind::PhotoAlbumCreated, (owner, id), &viewers, None);
            Ok(())
        })
        .await?;
        self.get(actor, id).await
    }

    /// Changes an album of the actor.
    ///
    /// # Errors
    /// Not found, also for another user's album; invalid input; unknown account or cover; database errors.
    pub async fn update(&self, actor: &Actor, id: PhotoAlbumId, input: AlbumInput) -> Result<PhotoAlbum> {
        let mut patch = Self::check(input)?;
        self.require_own(actor, id).await?;
        patch.users = self.known_users(actor, patch.users).await?;
        if let Some(Some(cover)) = patch.cover {
            let seen = self.photos.photo(&actor.scope, cover).await?.is_some();
            let albums = self
                .photo_albums
                .albums_of_photos(actor.user.id, &[cover])
                .await?;
            if !seen || albums.get(&cover).is_none_or(|albums| !albums.contains(&id)) {
                return Err(ServiceError::unknown(
                    "coverPhotoId",
                    "there is no such photo in the album",
                ));
            }
        }
        let (this, owner) = (self.clone(), actor.user.id);
        run_to_completion(&self.context.tasks, "photo-album-update", async move {
            let now = this.context.now();
            let viewers = this
                .photo_albums
                .update_photo_album(owner, id, &patch, now)
                .await?;
            let viewers = viewers.ok_or(ServiceError::NotFound)?;
            this.publish(EventKind::PhotoAlbumUpdated, (owner, id), &viewers, None);
            Ok(())
        })
        .await?;
        self.get(actor, id).await
    }

    /// Deletes an album of the actor, but not its photos.
    ///
    /// # Errors
    /// Not found, also for another user's album; database errors.
    pub async fn delete(&self, actor: &Actor, id: PhotoAlbumId) -> Result<()> {
        let (this, owner) = (self.clone(), actor.user.id);
        run_to_completion(&self.context.tasks, "photo-album-delete", async move {
            let viewers = this.photo_albums.delete_photo_album(owner, id).await?;
            let viewers = viewers.ok_or(ServiceError::NotFound)?;
            this.publish(EventKind::PhotoAlbumDeleted, (owner, id), &viewers, None);
            Ok(())
        })
        .await
    }

    /// Appends photos to an album of the actor; photos already in it keep their position.
    ///
    /// # Errors
    /// Not found, also for another user's album; database errors.
    pub async fn add(&self, actor: &Actor, id: PhotoAlbumId, photos: &[String]) -> Result<Vec<PhotoResult>> {
        let (ids, others) = parse(photos);
        let (this, owner, scope) = (self.clone(), actor.user.id, actor.scope.clone());
        let outcomes = run_to_completion(&self.context.tasks, "photo-album-add", async move {
            let now = this.context.now();
            let added = this
                .photo_albums
                .add_to_photo_album(&scope, (owner, id), &ids, limits::PHOTOS, now)
                .await?;
            let (outcomes, added, viewers) = added.ok_or(ServiceError::NotFound)?;
            if !added.is_empty() {
                let kind = EventKind::PhotoAlbumPhotosAdded;
                this.publish(kind, (owner, id), &viewers, Some(&added));
            }
            Ok(outcomes)
        })
        .await?;
        Ok(results(outcomes, others))
    }

    /// Removes photos from an album of the actor.
    ///
    /// # Errors
    /// Not found, also for another user's album; database errors.
    pub async fn remove(
        &self,
        actor: &Actor,
        id: PhotoAlbumId,
        photos: &[String],
    ) -> Result<Vec<PhotoResult>> {
        let (ids, others) = parse(photos);
        let (this, owner) = (self.clone(), actor.user.id);
        let outcomes = run_to_completion(&self.context.tasks, "photo-album-remove", async move {
            let now = this.context.now();
            let removed = this
                .photo_albums
                .remove_from_photo_album((owner, id), &ids, now)
                .await?;
            let (outcomes, removed, viewers) = removed.ok_or(ServiceError::NotFound)?;
            if !removed.is_empty() {
                let kind = EventKind::PhotoAlbumPhotosRemoved;
                this.publish(kind, (owner, id), &viewers, Some(&removed));
            }
            Ok(outcomes)
        })
        .await?;
        Ok(results(outcomes, others))
    }

    async fn require_own(&self, actor: &Actor, id: PhotoAlbumId) -> Result<()> {
        if self.get(actor, id).await?.owner == actor.user.id {
            Ok(())
        } else {
            Err(ServiceError::NotFound)
        }
    }

    fn publish(
        &self,
        kind: EventKind,
        album: (UserId, PhotoAlbumId),
        viewers: &AlbumViewers,
        photos: Option<&[PhotoId]>,
    ) {
        photo_events::publish_album(&self.events, kind, album, viewers, photos);
    }
}
