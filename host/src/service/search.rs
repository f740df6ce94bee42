//! Search over everything that a caller may read.

use super::error::Result;
use super::items::read_capability;
use super::movies::Movies;
use super::music::Music;
use super::photo_albums::PhotoAlbums;
use super::photos::Photos;
use super::tv::Tv;
use crate::auth::actor::Actor;
use crate::auth::capability::Capability;
use crate::domain::change::ItemType;
use crate::domain::list::{Listing, Page};
use crate::domain::music::{Artist, Release, Track};
use crate::domain::photo::Photo;
use crate::domain::photo_album::PhotoAlbum;
use crate::domain::video::{Episode, Movie, Show};

/// What is looked for.
#[derive(Debug)]
pub struct SearchRequest {
    /// Words, each the beginning of one of the item's.
    pub text: String,
    /// What may be found; none for all.
    pub types: Vec<Searched>,
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
    /// Albums of photos.
    pub albums: Option<Listing<PhotoAlbum>>,
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
    music: Music,
    photos: Photos,
    albums: PhotoAlbums,
    movies: Movies,
    tv: Tv,
}

/// What can be looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Searched {
    /// Items of this type.
    Item(ItemType),
    /// Albums of photos.
    PhotoAlbum,
}

impl Searched {
    /// By the name that answers have for it.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "photo_album" => Some(Self::PhotoAlbum),
            _ => ItemType::from_name(name).map(Self::Item),
        }
    }

    /// What it takes to find it.
    fn capability(self) -> Capability {
        match self {
            Self::Item(item) => read_capability(item),
            Self::PhotoAlbum => Capability::PhotoAlbumsRead,
        }
    }
}

impl Search {
    /// Over what these show.
    pub fn new(music: Music, photos: Photos, albums: PhotoAlbums, movies: Movies, tv: Tv) -> Self {
        Self {
            music,
            photos,
            albums,
            movies,
            tv,
        }
    }

    /// Items that have, for each word asked for, one that begins with it; case and diacritics aside.
    ///
    /// # Errors
    /// The store's.
    pub async fn find(&self, actor: &Actor, request: &SearchRequest) -> Result<Found> {
        let wants = |what: Searched| {
            let asked = request.types.is_empty() || request.types.contains(&what);
            asked && actor.may(what.capability())
        };
        let wanted = |item| wants(Searched::Item(item));
        let (text, page) = (&request.text, request.page);
        let mut found = Found::default();
        if wanted(ItemType::MusicArtist) {
            found.artists = Some(self.music.search_artists(actor, text, page).await?);
        }
        if wanted(ItemType::MusicRelease) {
            found.releases = Some(self.music.search_releases(actor, text, page).await?);
        }
        if wanted(ItemType::MusicTrack) {
            found.tracks = Some(self.music.search_tracks(actor, text, page).await?);
        }
        if wanted(ItemType::Photo) {
            found.photos = Some(self.photos.search(actor, text, page).await?);
        }
        if wants(Searched::PhotoAlbum) {
            found.albums = Some(self.albums.search(actor, text, page).await?);
        }
        if wanted(ItemType::Movie) {
            found.movies = Some(self.movies.search(actor, text, page).await?);
        }
        if wanted(ItemType::TvShow) {
            found.shows = Some(self.tv.search_shows(actor, text, page).await?);
        }
        if wanted(ItemType::TvEpisode) {
            found.episodes = Some(self.tv.search_episodes(actor, text, page).await?);
        }
        Ok(found)
    }
}
