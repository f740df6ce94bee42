//! Lists tracks, releases, artists and genres.

use crate::items;
use svc_domain::id::{MusicArtistId, MusicReleaseId, MusicTrackId};
use svc_domain::list::{ListRequest, Listing, OrderedPagination};
use svc_domain::music::{Artist, Genre, Release, Track};
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
pub use svc_store::{
    ArtistFilter, ArtistOrder, GenreOrder, ItemFilter, ReleaseFilter, ReleaseOrder, TrackFilter, TrackOrder,
};
use svc_store::{Hits, MusicRepository, UserItemRepository};

/// Music; items outside of the actor's access filter are treated as not existing.
#[derive(Debug, Clone)]
pub struct Music {
    music: MusicRepository,
    user_items: UserItemRepository,
}

impl Music {
    /// Creates the service.
    pub fn new(music: MusicRepository, user_items: UserItemRepository) -> Self {
        Self { music, user_items }
    }

    /// Lists tracks.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list_tracks(
        &self,
        actor: &Actor,
        filter: &TrackFilter,
        request: &ListRequest<TrackOrder>,
    ) -> Result<Listing<Track>> {
        let mut tracks = self.music.list_tracks(&actor.scope, filter, request).await?;
        self.add_user_data(actor, &mut tracks.items).await?;
        Ok(tracks)
    }

    /// The tracks of search hits.
    ///
    /// # Errors
    /// Database errors.
    pub async fn tracks_of_hits(&self, actor: &Actor, hits: Hits) -> Result<Listing<Track>> {
        let mut tracks = self.music.tracks_of_hits(hits).await?;
        self.add_user_data(actor, &mut tracks.items).await?;
        Ok(tracks)
    }

    /// The releases of search hits.
    ///
    /// # Errors
    /// Database errors.
    pub async fn releases_of_hits(&self, actor: &Actor, hits: Hits) -> Result<Listing<Release>> {
        Ok(self.music.releases_of_hits(&actor.scope, hits).await?)
    }

    /// The artists of search hits.
    ///
    /// # Errors
    /// Database errors.
    pub async fn artists_of_hits(&self, actor: &Actor, hits: Hits) -> Result<Listing<Artist>> {
        Ok(self.music.artists_of_hits(&actor.scope, hits).await?)
    }

    async fn add_user_data(&self, actor: &Actor, tracks: &mut [Track]) -> Result<()> {
        items::add_user_data(&self.user_items, actor, tracks).await
    }

    /// One track.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn track(&self, actor: &Actor, id: MusicTrackId) -> Result<Track> {
        let track = self.music.track(&actor.scope, id).await?;
        let mut track = track.ok_or(ServiceError::NotFound)?;
        self.add_user_data(actor, std::slice::from_mut(&mut track))
            .await?;
        Ok(track)
    }

    /// Lists releases.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list_releases(
        &self,
        actor: &Actor,
        filter: &ReleaseFilter,
        request: &ListRequest<ReleaseOrder>,
    ) -> Result<Listing<Release>> {
        Ok(self.music.list_releases(&actor.scope, filter, request).await?)
    }

    /// One release.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn release(&self, actor: &Actor, id: MusicReleaseId) -> Result<Release> {
        self.music
            .release(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }

    /// The tracks of a release, by disc and number.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn release_tracks(
        &self,
        actor: &Actor,
        id: MusicReleaseId,
        part: OrderedPagination,
    ) -> Result<Listing<Track>> {
        self.release(actor, id).await?;
        let mut tracks = self.music.release_tracks(&actor.scope, id, part).await?;
        self.add_user_data(actor, &mut tracks.items).await?;
        Ok(tracks)
    }

    /// Lists artists.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list_artists(
        &self,
        actor: &Actor,
        filter: &ArtistFilter,
        request: &ListRequest<ArtistOrder>,
    ) -> Result<Listing<Artist>> {
        Ok(self.music.list_artists(&actor.scope, filter, request).await?)
    }

    /// One artist.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn artist(&self, actor: &Actor, id: MusicArtistId) -> Result<Artist> {
        self.music
            .artist(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }

    /// The releases of an artist; the filter's artist is ignored.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn artist_releases(
        &self,
        actor: &Actor,
        id: MusicArtistId,
        filter: ReleaseFilter,
        request: &ListRequest<ReleaseOrder>,
    ) -> Result<Listing<Release>> {
        self.artist(actor, id).await?;
        let filter = ReleaseFilter {
            artist: Some(id),
            ..filter
        };
        self.list_releases(actor, &filter, request).await
    }

    /// Lists genres.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list_genres(
        &self,
        actor: &Actor,
        request: &ListRequest<GenreOrder>,
    ) -> Result<Listing<Genre>> {
        Ok(self.music.list_genres(&actor.scope, request).await?)
    }
}
