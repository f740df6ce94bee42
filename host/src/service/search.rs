//! Search over everything that a caller may read.

use super::error::Result;
use crate::auth::actor::Actor;
use crate::auth::capability::Capability;
use crate::domain::change::ItemType;
use crate::domain::list::{Listing, Page};
use crate::domain::music::{Artist, Release, Track};
use crate::domain::photo::Photo;
use crate::domain::video::{Episode, Movie, Show};
use crate::store::Store;

/// What is looked for.
#[derive(Debug)]
pub struct SearchRequest {
    /// Words, each the beginning of one of the item's.
    pub text: String,
    /// Types of items; none for all.
    pub types: Vec<ItemType>,
    /// Which part of the hits of each type.
    pub page: Page,
}

/// What was found, by type; `None` for a type that was not asked for, or that the caller may not read.
#[derive(Debug, Default)]
pub struct Found {
    /// Artists.
    pub artists: Option<Listing<Artist>>,
    /// Releases.
    pub releases: Option<Listing<Release>>,
    /// Tracks.
    pub tracks: Option<Listing<Track>>,
    /// Photos.
    pub photos: Option<Listing<Photo>>,
    /// Movies.
    pub movies: Option<Listing<Movie>>,
    /// Shows.
    pub shows: Option<Listing<Show>>,
    /// Episodes.
    pub episodes: Option<Listing<Episode>>,
}

/// Finds items.
#[derive(Debug, Clone)]
pub struct Search {
    store: Store,
}

/// What it takes to find items of a type.
fn capability(item: ItemType) -> Capability {
    match item {
        ItemType::MusicTrack => Capability::MusicTracksRead,
        ItemType::MusicRelease => Capability::MusicReleasesRead,
        ItemType::MusicArtist => Capability::MusicArtistsRead,
        ItemType::Photo => Capability::PhotosRead,
        ItemType::Movie => Capability::MoviesRead,
        ItemType::TvShow | ItemType::TvEpisode => Capability::TvEpisodesRead,
    }
}

impl Search {
    /// Over this store.
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// Items that have, for each word asked for, one that begins with it; case and diacritics aside.
    ///
    /// # Errors
    /// The store's.
    pub async fn find(&self, actor: &Actor, request: &SearchRequest) -> Result<Found> {
        let wanted = |item: ItemType| {
            let asked = request.types.is_empty() || request.types.contains(&item);
            asked && actor.may(capability(item))
        };
        let (store, scope, text, page) = (&self.store, &actor.scope, &request.text, request.page);
        let mut found = Found::default();
        if wanted(ItemType::MusicArtist) {
            found.artists = Some(store.search_artists(scope, text, page).await?);
        }
        if wanted(ItemType::MusicRelease) {
            found.releases = Some(store.search_releases(scope, text, page).await?);
        }
        if wanted(ItemType::MusicTrack) {
            found.tracks = Some(store.search_tracks(scope, text, page).await?);
        }
        if wanted(ItemType::Photo) {
            found.photos = Some(store.search_photos(scope, text, page).await?);
        }
        if wanted(ItemType::Movie) {
            found.movies = Some(store.search_movies(scope, text, page).await?);
        }
        if wanted(ItemType::TvShow) {
            found.shows = Some(store.search_shows(scope, text, page).await?);
        }
        if wanted(ItemType::TvEpisode) {
            found.episodes = Some(store.search_episodes(scope, text, page).await?);
        }
        Ok(found)
    }
}
