//! Browsing music.

use crate::items::user_data;
use svc_domain::change::ItemType;
use svc_domain::id::{MusicArtistId, MusicReleaseId, MusicTrackId};
use svc_domain::list::{ListRequest, Listing, OrderedPagination};
use svc_domain::music::{Artist, Genre, Release, Track};
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
pub use svc_store::{
    ArtistFilter, ArtistOrder, GenreOrder, ItemFilter, ReleaseFilter, ReleaseOrder, TrackFilter, TrackOrder,
};
use svc_store::{Hits, MusicRepository, UserItemRepository};

/// Music, as an actor sees it: what they do not see is as if it did not exist.
#[derive(Debug, Clone)]
pub struct Music {
    music: MusicRepository,
    user_items: UserItemRepository,
}

impl Music {
    /// Over this store.
    pub fn new(music: MusicRepository, user_items: UserItemRepository) -> Self {
        Self { music, user_items }
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
        let mut tracks = self.music.list_tracks(&actor.scope, filter, request).await?;
        self.add_user_data(actor, &mut tracks.items).await?;
        Ok(tracks)
    }

    /// Tracks that were found.
    ///
    /// # Errors
    /// The store's.
    pub async fn found_tracks(&self, actor: &Actor, hits: Hits) -> Result<Listing<Track>> {
        let mut tracks = self.music.found_tracks(hits).await?;
        self.add_user_data(actor, &mut tracks.items).await?;
        Ok(tracks)
    }

    /// Releases that were found.
    ///
    /// # Errors
    /// The store's.
    pub async fn found_releases(&self, actor: &Actor, hits: Hits) -> Result<Listing<Release>> {
        Ok(self.music.found_releases(&actor.scope, hits).await?)
    }

    /// Artists that were found.
    ///
    /// # Errors
    /// The store's.
    pub async fn found_artists(&self, actor: &Actor, hits: Hits) -> Result<Listing<Artist>> {
        Ok(self.music.found_artists(&actor.scope, hits).await?)
    }

    async fn add_user_data(&self, actor: &Actor, tracks: &mut [Track]) -> Result<()> {
        let key = |track: &Track| (ItemType::MusicTrack, track.id.get());
        let keys: Vec<_> = tracks.iter().map(key).collect();
        let found = user_data(&self.user_items, actor, &keys).await?;
        for track in tracks {
            track.user_data = found.get(&key(track)).copied().unwrap_or_default();
        }
        Ok(())
    }

    /// One track.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn track(&self, actor: &Actor, id: MusicTrackId) -> Result<Track> {
        let track = self.music.track(&actor.scope, id).await?;
        let mut track = track.ok_or(ServiceError::NotFound)?;
        self.add_user_data(actor, std::slice::from_mut(&mut track))
            .await?;
        Ok(track)
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
        Ok(self.music.list_releases(&actor.scope, filter, request).await?)
    }

    /// One release.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn release(&self, actor: &Actor, id: MusicReleaseId) -> Result<Release> {
        self.music
            .release(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }

    /// The tracks of a release, by disc and number.
    ///
    /// # Errors
    /// Not found; the store's.
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

    /// Artists.
    ///
    /// # Errors
    /// The store's.
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
    /// Not found; the store's.
    pub async fn artist(&self, actor: &Actor, id: MusicArtistId) -> Result<Artist> {
        self.music
            .artist(&actor.scope, id)
            .await?
            .ok_or(ServiceError::NotFound)
    }

    /// The releases of an artist, whichever the filter names.
    ///
    /// # Errors
    /// Not found; the store's.
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

    /// Genres.
    ///
    /// # Errors
    /// The store's.
    pub async fn list_genres(
        &self,
        actor: &Actor,
        request: &ListRequest<GenreOrder>,
    ) -> Result<Listing<Genre>> {
        Ok(self.music.list_genres(&actor.scope, request).await?)
    }
}
