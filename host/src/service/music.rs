//! Browsing music.

use super::error::{Result, ServiceError};
use crate::auth::actor::Actor;
use crate::domain::id::{MusicArtistId, MusicReleaseId, MusicTrackId};
use crate::domain::list::{ListRequest, Listing};
use crate::domain::music::{Artist, Genre, Release, Track};
use crate::store::Store;
pub use crate::store::{ArtistOrder, GenreOrder, ReleaseFilter, ReleaseOrder, TrackFilter, TrackOrder};

/// Music, as an actor sees it: what they do not see is as if it did not exist.
#[derive(Debug, Clone)]
pub struct Music {
    store: Store,
}

impl Music {
    /// Over this store.
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// Tracks.
    ///
    /// # Errors
    /// The store's.
    pub async fn list_tracks(
        &self,
        actor: &Actor,
        filter: &TrackFilter,
        request: &ListRequest<TrackOrder>,
    ) -> Result<Listing<Track>> {
        Ok(self.store.list_tracks(&actor.scope, filter, request).await?)
    }

    /// One track.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn track(&self, actor: &Actor, id: MusicTrackId) -> Result<Track> {
        self.store
            .track(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }

    /// Releases.
    ///
    /// # Errors
    /// The store's.
    pub async fn list_releases(
        &self,
        actor: &Actor,
        filter: &ReleaseFilter,
        request: &ListRequest<ReleaseOrder>,
    ) -> Result<Listing<Release>> {
        Ok(self.store.list_releases(&actor.scope, filter, request).await?)
    }

    /// One release.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn release(&self, actor: &Actor, id: MusicReleaseId) -> Result<Release> {
        self.store
            .release(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }

    /// The tracks of a release, by disc and number.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn release_tracks(&self, actor: &Actor, id: MusicReleaseId) -> Result<Vec<Track>> {
        self.release(actor, id).await?;
        Ok(self.store.release_tracks(&actor.scope, id).await?)
    }

    /// Artists.
    ///
    /// # Errors
    /// The store's.
    pub async fn list_artists(
        &self,
        actor: &Actor,
        request: &ListRequest<ArtistOrder>,
    ) -> Result<Listing<Artist>> {
        Ok(self.store.list_artists(&actor.scope, request).await?)
    }

    /// One artist.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn artist(&self, actor: &Actor, id: MusicArtistId) -> Result<Artist> {
        self.store
            .artist(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }

    /// The releases of an artist.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn artist_releases(
        &self,
        actor: &Actor,
        id: MusicArtistId,
        request: &ListRequest<ReleaseOrder>,
    ) -> Result<Listing<Release>> {
        self.artist(actor, id).await?;
        let filter = ReleaseFilter {
            artist: Some(id),
            ..ReleaseFilter::default()
        };
        self.list_releases(actor, &filter, request).await
    }

    /// Genres.
    ///
    /// # Errors
    /// The store's.
    pub async fn list_genres(
        &self,
        actor: &Actor,
        request: &ListRequest<GenreOrder>,
    ) -> Result<Listing<Genre>> {
        Ok(self.store.list_genres(&actor.scope, request).await?)
    }
}
