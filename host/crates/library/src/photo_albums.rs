//! Albums of photos: each has an owner, who alone changes it, and those whom they let see it.

use std::collections::HashSet;

use svc_domain::id::{PhotoAlbumId, PhotoId, UserId};
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::photo_album::{AlbumPhotoOutcome, AlbumReaders, PhotoAlbum, PhotoAlbumPatch};
use svc_events::{EventKind, Events, photos as told};
use svc_identity::actor::Actor;
use svc_identity::error::{FieldError, Result, ServiceError};
use svc_identity::names::check_display_name;
use svc_identity::{Context, run_to_completion};
pub use svc_store::AlbumOrder;
use svc_store::{NewPhotoAlbum, PhotoAlbumRepository, PhotoRepository, UserRepository};

/// Every limit of albums, each with its reason.
mod limits {
    /// Albums of one account: a person who makes one a week for twenty years has as many.
    pub(super) const ALBUMS: i64 = 1_000;
    /// Photos of one album. It is counted and spanned anew whenever it is shown.
    pub(super) const PHOTOS: i64 = 10_000;
    /// Accounts that an album is shared with; beyond it, it is for everyone.
    pub(super) const SHARED_WITH: usize = 200;
    /// Characters of a description: a page of text.
    pub(super) const DESCRIPTION: usize = 2_000;
}

/// Keeps albums.
#[derive(Debug, Clone)]
pub struct PhotoAlbums {
    context: Context,
    photo_albums: PhotoAlbumRepository,
    photos: PhotoRepository,
    users: UserRepository,
    events: Events,
}

/// What a client says of an album.
#[derive(Debug, Default)]
pub struct AlbumInput {
    /// Its name.
    pub name: Option<String>,
    /// What there is to say about it; `Some(None)` for nothing.
    pub description: Option<Option<String>>,
    /// Whether everyone who may look at albums sees it.
    pub everyone: Option<bool>,
    /// All accounts that see it.
    pub shared_with: Option<Vec<String>>,
    /// The picture that stands for it; `Some(None)` for the first.
    pub cover: Option<Option<String>>,
}

/// What became of one photo.
pub type PhotoResult = (String, AlbumPhotoOutcome);

/// A description trimmed, with its faults; an empty one is none.
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

/// The accounts that a request names, whether or not there are such.
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

/// The ids of a request's photos, each once, beside the texts that are none.
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

/// What became of each photo, in the order and spelling of the request, each once.
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
    /// Over this store.
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

    /// The albums that the actor sees.
    ///
    /// # Errors
    /// The store's.
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

    /// The albums that the actor sees and that are found by these words.
    ///
    /// # Errors
    /// The store's.
    pub async fn search(&self, actor: &Actor, text: &str, page: Pagination) -> Result<Listing<PhotoAlbum>> {
        Ok(self
            .photo_albums
            .search_photo_albums(&actor.scope, actor.user.id, text, page)
            .await?)
    }

    /// One album.
    ///
    /// # Errors
    /// Not found, also for one that the actor does not see; the store's.
    pub async fn get(&self, actor: &Actor, id: PhotoAlbumId) -> Result<PhotoAlbum> {
        let album = self
            .photo_albums
            .photo_album(&actor.scope, actor.user.id, id)
            .await?;
        album.ok_or(ServiceError::NotFound)
    }

    /// What a client says, as far as it makes sense by itself: whether there are such accounts and such a photo is
    /// asked later.
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

    /// The accounts of a request, each once, without the owner, who sees their album anyway.
    async fn known_users(&self, actor: &Actor, users: Option<Vec<UserId>>) -> Result<Option<Vec<UserId>>> {
        let Some(users) = users else {
            return Ok(None);
        };
        let known = self.users.known_users(&users).await?;
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

    /// Makes an album of the actor's.
    ///
    /// # Errors
    /// Invalid input; unknown account; conflict `too_many_photo_albums`; the store's.
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
            if !this
                .photo_albums
                .insert_photo_album(&new, limits::ALBUMS, now)
                .await?
            {
                let message = "you have as many albums as one may have";
                return Err(ServiceError::conflict("too_many_photo_albums", message));
            }
            this.publish(EventKind::PhotoAlbumCreated, (owner, id), &readers, None);
            Ok(())
        })
        .await?;
        self.get(actor, id).await
    }

    /// Changes an album of the actor's.
    ///
    /// # Errors
    /// Not found, also for somebody else's; invalid input; unknown account or cover; the store's.
    pub async fn update(&self, actor: &Actor, id: PhotoAlbumId, input: AlbumInput) -> Result<PhotoAlbum> {
        let mut patch = Self::check(input)?;
        self.own(actor, id).await?;
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
            let readers = this
                .photo_albums
                .update_photo_album(owner, id, &patch, now)
                .await?;
            let readers = readers.ok_or(ServiceError::NotFound)?;
            this.publish(EventKind::PhotoAlbumUpdated, (owner, id), &readers, None);
            Ok(())
        })
        .await?;
        self.get(actor, id).await
    }

    /// Deletes an album of the actor's, and no photo.
    ///
    /// # Errors
    /// Not found, also for somebody else's; the store's.
    pub async fn delete(&self, actor: &Actor, id: PhotoAlbumId) -> Result<()> {
        let (this, owner) = (self.clone(), actor.user.id);
        run_to_completion(&self.context.tasks, "photo-album-delete", async move {
            let readers = this.photo_albums.delete_photo_album(owner, id).await?;
            let readers = readers.ok_or(ServiceError::NotFound)?;
            this.publish(EventKind::PhotoAlbumDeleted, (owner, id), &readers, None);
            Ok(())
        })
        .await
    }

    /// Puts photos at the end of an album of the actor's; those in it stay where they are.
    ///
    /// # Errors
    /// Not found, also for somebody else's; the store's.
    pub async fn add(&self, actor: &Actor, id: PhotoAlbumId, photos: &[String]) -> Result<Vec<PhotoResult>> {
        let (ids, others) = parse(photos);
        let (this, owner, scope) = (self.clone(), actor.user.id, actor.scope.clone());
        let outcomes = run_to_completion(&self.context.tasks, "photo-album-add", async move {
            let now = this.context.now();
            let added = this
                .photo_albums
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

    /// Takes photos out of an album of the actor's.
    ///
    /// # Errors
    /// Not found, also for somebody else's; the store's.
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
