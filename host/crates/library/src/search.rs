//! Search over everything that a caller may read.

use crate::items::read_capability;
use crate::movies::Movies;
use crate::music::Music;
use crate::photo_albums::PhotoAlbums;
use crate::photos::Photos;
use crate::tv::Tv;
use svc_domain::change::ItemType;
use svc_domain::list::{Listing, Pagination};
use svc_domain::music::{Artist, Release, Track};
use svc_domain::photo::Photo;
use svc_domain::photo_album::PhotoAlbum;
use svc_domain::video::{Episode, Movie, Show};
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::Result;
use svc_store::{SearchIndex, SearchRepository};

/// What is looked for.
#[derive(Debug)]
pub struct SearchRequest {
    /// Words, each the beginning of one of the item's.
    pub text: String,
    /// What may be found; none for all.
    pub types: Vec<SearchType>,
    /// Which part of the hits of each type.
    pub page: Pagination,
}

/// What was found, by type; `None` for a type that was not asked for, or that the caller may not read.
#[derive(Debug, Default)]
pub struct SearchResults {
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
    search: SearchRepository,
    music: Music,
    photos: Photos,
    albums: PhotoAlbums,
    movies: Movies,
    tv: Tv,
}

/// What can be looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchType {
    /// Items of this type.
    Item(ItemType),
    /// Albums of photos.
    PhotoAlbum,
}

impl SearchType {
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

/// The type of the items of an index.
fn item_of(index: SearchIndex) -> ItemType {
    match index {
        SearchIndex::Tracks => ItemType::MusicTrack,
        SearchIndex::Releases => ItemType::MusicRelease,
        SearchIndex::Artists => ItemType::MusicArtist,
        SearchIndex::Photos => ItemType::Photo,
        SearchIndex::Movies => ItemType::Movie,
        SearchIndex::Shows => ItemType::TvShow,
        SearchIndex::Episodes => ItemType::TvEpisode,
    }
}

impl Search {
    /// Over what these show.
    pub fn new(
        search: SearchRepository,
        music: Music,
        photos: Photos,
        albums: PhotoAlbums,
        movies: Movies,
        tv: Tv,
    ) -> Self {
        Self {
            search,
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
    pub async fn find(&self, actor: &Actor, request: &SearchRequest) -> Result<SearchResults> {
        let wants = |what: SearchType| {
            let asked = request.types.is_empty() || request.types.contains(&what);
            asked && actor.may(what.capability())
        };
        let (text, page) = (&request.text, request.page);
        let indexes = SearchIndex::ALL.into_iter();
        let indexes: Vec<_> = indexes
            .filter(|index| wants(SearchType::Item(item_of(*index))))
            .collect();
        let hits = self.search.search(&actor.scope, &indexes, text, page).await?;
        let mut found = SearchResults::default();
        for (index, hits) in indexes.into_iter().zip(hits) {
            match index {
                SearchIndex::Tracks => found.tracks = Some(self.music.found_tracks(actor, hits).await?),
                SearchIndex::Releases => found.releases = Some(self.music.found_releases(actor, hits).await?),
                SearchIndex::Artists => found.artists = Some(self.music.found_artists(actor, hits).await?),
                SearchIndex::Photos => found.photos = Some(self.photos.found(actor, hits).await?),
                SearchIndex::Movies => found.movies = Some(self.movies.found(actor, hits).await?),
                SearchIndex::Shows => found.shows = Some(self.tv.found_shows(actor, hits).await?),
                SearchIndex::Episodes => found.episodes = Some(self.tv.found_episodes(actor, hits).await?),
            }
        }
        if wants(SearchType::PhotoAlbum) {
            found.albums = Some(self.albums.search(actor, text, page).await?);
        }
        Ok(found)
    }
}
