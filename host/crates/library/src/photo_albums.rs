//! Photo albums: only the owner changes an album, and shares it with others.

use std::collections::HashSet;

use svc_domain::id::{PhotoAlbumId, PhotoId, UserId};
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::photo_album::{AlbumPhotoOutcome, AlbumReaders, PhotoAlbum, PhotoAlbumPatch};
use svc_events::{EventKind, Events, photos as told};
use svc_identity::actor::Actor;
use svc_identity::error::{ErrorCode, FieldError, Result, ServiceError};
use svc_identity::names::check_display_name;
use svc_identity::{Context, run_to_completion};
pub use svc_store::AlbumOrder;
use svc_store::NewPhotoAlbum;

/// Limits of albums.
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
    events: Events,
}

/// Input of a new or changed album; `None` leaves a field unchanged.
#[derive(Debug, Default)]
pub struct AlbumInput {
    /// Title.
    pub name: Option<String>,
    /// Text; `Some(None)` removes it.
    pub description: Option<Option<String>>,
    /// Whether all users with `PhotoAlbums.Read` may see it.
    pub everyone: Option<bool>,
    /// Replaces the accounts that may see it.
    pub shared_with: Option<Vec<String>>,
    /// Cover photo; `Some(None)` selects the first photo.
    pub cover: Option<Option<String>>,
}

/// Result for one photo.
pub type PhotoResult = (String, AlbumPhotoOutcome);

/// Trims and checks a description; an empty one becomes `None`.
pub(super) fn check_description(
    description: Option<Option<String>>,
    errors: &mut Vec<FieldError>,
) -> Option<Option<String>> {
    let text = description?.map(|text| text.trim().to_owned());
    let text = text.filter(|text| !text.is_empty());
    if let Some(text) = &text {
        if text.chars().count() > limits::DESCRIPTION {
            errors.push(FieldError::new(
                "description",
                "must have at most 2000 characters",
            ));
        } else if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            errors.push(FieldError::new(
                "description",
                "must not contain control characters",
            ));
        }
    }
    Some(text)
}

/// Parses account ids without checking that they exist.
fn parse_users(texts: &[String], errors: &mut Vec<FieldError>) -> Vec<UserId> {
    if texts.len() > limits::SHARED_WITH {
        errors.push(FieldError::new("sharedWith", "must be at most 200"));
        return Vec::new();
    }
    let mut users = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        match text.parse() {
            Ok(user) => users.push(user),
            Err(_) => errors.push(FieldError::new(
                format!("sharedWith[{index}]"),
                "must be the id of a user",
            )),
        }
    }
    users
}

/// Parses photo ids, without duplicates; also returns the texts that are no ids.
fn parse(photos: &[String]) -> (Vec<PhotoId>, HashSet<&str>) {
    let (mut ids, mut seen, mut others) = (Vec::new(), HashSet::new(), HashSet::new());
    for text in photos {
        match text.parse::<PhotoId>() {
            Ok(id) if seen.insert(id) => ids.push(id),
            Ok(_) => {}
            Err(_) => {
                others.insert(text.as_str());
            }
        }
    }
    (ids, others)
}

/// The result for each photo, in the order and spelling of the request, without duplicates.
fn results(outcomes: Vec<(PhotoId, AlbumPhotoOutcome)>, others: HashSet<&str>) -> Vec<PhotoResult> {
    let known = outcomes
        .into_iter()
        .map(|(id, outcome)| (id.to_string(), outcome));
    let mut others: Vec<_> = others.into_iter().map(str::to_owned).collect();
    others.sort_unstable();
    let unknown = others
        .into_iter()
        .map(|text| (text, AlbumPhotoOutcome::NoSuchPhoto));
    known.chain(unknown).collect()
}

impl PhotoAlbums {
    /// Creates the service.
    pub fn new(context: Context, events: Events) -> Self {
        Self { context, events }
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
        let store = &self.context.store;
        Ok(store
            .list_photo_albums(&actor.scope, actor.user.id, by, order, page)
            .await?)
    }

    /// Searches the albums that the actor may see.
    ///
    /// # Errors
    /// Database errors.
    pub async fn search(&self, actor: &Actor, text: &str, page: Pagination) -> Result<Listing<PhotoAlbum>> {
        let store = &self.context.store;
        Ok(store
            .search_photo_albums(&actor.scope, actor.user.id, text, page)
            .await?)
    }

    /// Returns an album.
    ///
    /// # Errors
    /// Not found, also if the actor may not see it; database errors.
    pub async fn get(&self, actor: &Actor, id: PhotoAlbumId) -> Result<PhotoAlbum> {
        let store = &self.context.store;
        let album = store.photo_album(&actor.scope, actor.user.id, id).await?;
        album.ok_or(ServiceError::NotFound)
    }

    /// Validates the input without checking that accounts and cover exist.
    fn check(input: AlbumInput) -> Result<PhotoAlbumPatch> {
        let mut errors = Vec::new();
        let name = match input.name.as_deref().map(check_display_name).transpose() {
            Ok(name) => name,
            Err(message) => {
                errors.push(FieldError::new("name", message));
                None
            }
        };
        let description = check_description(input.description, &mut errors);
        let users = input.shared_with.map(|texts| parse_users(&texts, &mut errors));
        let cover = match input
            .cover
            .map(|cover| cover.map(|text| text.parse()).transpose())
        {
            Some(Ok(cover)) => Some(cover),
            Some(Err(_)) => {
                errors.push(FieldError::new(
                    "coverPhotoId",
                    "must be the id of a photo, or null",
                ));
                None
            }
            None => None,
        };
        if !errors.is_empty() {
            return Err(ServiceError::Invalid(errors));
        }
        Ok(PhotoAlbumPatch {
            name,
            description,
            everyone: input.everyone,
            users,
            cover,
        })
    }

    /// Checks the accounts of a request; removes duplicates and the owner, who always sees the album.
    async fn known_users(&self, actor: &Actor, users: Option<Vec<UserId>>) -> Result<Option<Vec<UserId>>> {
        let Some(users) = users else {
            return Ok(None);
        };
        let known = self.context.store.known_users(&users).await?;
        let unknown = users.iter().enumerate().filter(|(_, user)| !known.contains(user));
        let errors: Vec<FieldError> = unknown
            .map(|(index, _)| FieldError::new(format!("sharedWith[{index}]"), "there is no such user"))
            .collect();
        if !errors.is_empty() {
            return Err(ServiceError::Unknown(errors));
        }
        let mut users: Vec<UserId> = known.into_iter().filter(|user| *user != actor.user.id).collect();
        users.sort_unstable();
        Ok(Some(users))
    }

    /// Creates an album of the actor.
    ///
    /// # Errors
    /// Invalid input; unknown account; conflict `too_many_photo_albums`; database errors.
    pub async fn create(&self, actor: &Actor, input: AlbumInput) -> Result<PhotoAlbum> {
        let mut patch = Self::check(input)?;
        patch.users = self.known_users(actor, patch.users).await?;
        let now = self.context.now();
        let readers = AlbumReaders {
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
            readers: readers.clone(),
        };
        let (this, id, owner) = (self.clone(), new.id, actor.user.id);
        run_to_completion(&self.context.tasks, "photo-album-create", async move {
            let store = &this.context.store;
            if !store.insert_photo_album(&new, limits::ALBUMS, now).await? {
                let message = "you have reached the limit on albums";
                return Err(ServiceError::conflict(ErrorCode::TooManyPhotoAlbums, message));
            }
            this.publish(EventKind::PhotoAlbumCreated, (owner, id), &readers, None);
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
        self.own(actor, id).await?;
        patch.users = self.known_users(actor, patch.users).await?;
        if let Some(Some(cover)) = patch.cover {
            let store = &self.context.store;
            let seen = store.photo(&actor.scope, cover).await?.is_some();
            let albums = store.albums_of_photos(actor.user.id, &[cover]).await?;
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
            let store = &this.context.store;
            let readers = store.update_photo_album(owner, id, &patch, now).await?;
            let readers = readers.ok_or(ServiceError::NotFound)?;
            this.publish(EventKind::PhotoAlbumUpdated, (owner, id), &readers, None);
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
            let readers = this.context.store.delete_photo_album(owner, id).await?;
            let readers = readers.ok_or(ServiceError::NotFound)?;
            this.publish(EventKind::PhotoAlbumDeleted, (owner, id), &readers, None);
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
            let (store, now) = (&this.context.store, this.context.now());
            let added = store
                .add_to_photo_album(&scope, (owner, id), &ids, limits::PHOTOS, now)
                .await?;
            let (outcomes, added, readers) = added.ok_or(ServiceError::NotFound)?;
            if !added.is_empty() {
                let kind = EventKind::PhotoAlbumPhotosAdded;
                this.publish(kind, (owner, id), &readers, Some(&added));
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
            let (store, now) = (&this.context.store, this.context.now());
            let removed = store.remove_from_photo_album((owner, id), &ids, now).await?;
            let (outcomes, removed, readers) = removed.ok_or(ServiceError::NotFound)?;
            if !removed.is_empty() {
                let kind = EventKind::PhotoAlbumPhotosRemoved;
                this.publish(kind, (owner, id), &readers, Some(&removed));
            }
            Ok(outcomes)
        })
        .await?;
        Ok(results(outcomes, others))
    }

    async fn own(&self, actor: &Actor, id: PhotoAlbumId) -> Result<()> {
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
        readers: &AlbumReaders,
        photos: Option<&[PhotoId]>,
    ) {
        told::publish_album(&self.events, kind, album, readers, photos);
    }
}
