//! Search over all items that a caller may read.

use crate::item_kinds::{ItemKinds, ItemView};
use crate::items::read_capability;
use crate::movies::Movies;
use crate::music::Music;
use crate::photo_albums::PhotoAlbums;
use crate::photos::Photos;
use crate::tv::Tv;
use svc_domain::change::ItemType;
use svc_domain::kind::MediaKind;
use svc_domain::list::{Listing, Pagination};
use svc_domain::music::{Artist, Release, Track};
use svc_domain::photo::Photo;
use svc_domain::photo_album::PhotoAlbum;
use svc_domain::video::{Episode, Movie, Show};
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{Result, ServiceError};
use svc_store::{SearchIndex, SearchRepository, StoredKind};

/// Input of [`Search::find`].
#[derive(Debug)]
pub struct SearchRequest {
    /// Words; each must be a prefix of a word of the item.
    pub text: String,
    /// Types to search; empty for all.
    pub types: Vec<SearchType>,
    /// Page of each type's hits.
    pub page: Pagination,
}

/// Hits by type; `None` for a type that was not requested or that the caller may not read.
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
    /// TV shows.
    pub shows: Option<Listing<Show>>,
    /// Episodes.
    pub episodes: Option<Listing<Episode>>,
    /// Items of each kind that a plugin defines.
    pub items: Vec<(MediaKind, Listing<ItemView>)>,
}

/// The search service.
#[derive(Debug, Clone)]
pub struct Search {
    search: SearchRepository,
    music: Music,
    photos: Photos,
    albums: PhotoAlbums,
    movies: Movies,
    tv: Tv,
    items: ItemKinds,
}

/// A type that can be searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SearchType {
    /// Items of this type.
    Item(ItemType),
    /// Items of this kind, which a plugin defines.
    Kind(MediaKind),
    /// Albums of photos.
    PhotoAlbum,
}

impl SearchType {
    /// Parses the name of a type in the API.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "photo_album" => Some(Self::PhotoAlbum),
            _ if MediaKind::BUILT_IN.contains(&name) => None,
            _ => ItemType::from_name(name)
                .map(Self::Item)
                .or_else(|| name.parse().ok().map(Self::Kind)),
        }
    }

    /// The capability required to find it.
    fn capability(&self) -> Capability {
        match self {
            Self::Item(item) => read_capability(*item),
            Self::Kind(_) => Capability::ItemsRead,
            Self::PhotoAlbum => Capability::PhotoAlbumsRead,
        }
    }
}

/// Message for a type that is not known.
pub const UNKNOWN_TYPE: &str =
    "must be types of items, such as music_track, kinds of plugins, or photo_album";

fn item_of(index: SearchIndex) -> ItemType {
    match index {
        SearchIndex::Tracks => ItemType::MusicTrack,
        SearchIndex::Releases => ItemType::MusicRelease,
        SearchIndex::Artists => ItemType::MusicArtist,
        SearchIndex::Photos => ItemType::Photo,
        SearchIndex::Movies => ItemType::Movie,
        SearchIndex::Shows => ItemType::TvShow,
        SearchIndex::Episodes => ItemType::TvEpisode,
        SearchIndex::Items(_) => ItemType::Item,
    }
}

impl Search {
    /// Creates the service over these item services.
    pub fn new(
        search: SearchRepository,
        music: Music,
        photos: Photos,
        albums: PhotoAlbums,
        movies: Movies,
        tv: Tv,
        items: ItemKinds,
    ) -> Self {
        Self {
            search,
            music,
            photos,
            albums,
            movies,
            tv,
            items,
        }
    }

    /// Finds items with a matching word for each word of the text, ignoring case and diacritics.
    ///
    /// # Errors
    /// Database errors.
    pub async fn find(&self, actor: &Actor, request: &SearchRequest) -> Result<SearchResults> {
        let wants = |what: SearchType| {
            let asked = request.types.is_empty() || request.types.contains(&what);
            asked && actor.may(what.capability())
        };
        let kinds = self.requested_kinds(actor, request).await?;
        let (text, page) = (&request.text, request.page);
        let indexes = SearchIndex::BUILT_IN.into_iter();
        let indexes: Vec<_> = indexes
            .filter(|index| wants(SearchType::Item(item_of(*index))))
            .chain(kinds.iter().map(|kind| SearchIndex::Items(kind.number)))
            .collect();
        let hits = self.search.search(&actor.scope, &indexes, text, page).await?;
        let mut found = SearchResults::default();
        for (index, hits) in indexes.into_iter().zip(hits) {
            match index {
                SearchIndex::Tracks => found.tracks = Some(self.music.tracks_of_hits(actor, hits).await?),
                SearchIndex::Releases => {
                    found.releases = Some(self.music.releases_of_hits(actor, hits).await?);
                }
                SearchIndex::Artists => found.artists = Some(self.music.artists_of_hits(actor, hits).await?),
                SearchIndex::Photos => found.photos = Some(self.photos.of_hits(actor, hits).await?),
                SearchIndex::Movies => found.movies = Some(self.movies.of_hits(actor, hits).await?),
                SearchIndex::Shows => found.shows = Some(self.tv.shows_of_hits(actor, hits).await?),
                SearchIndex::Episodes => found.episodes = Some(self.tv.episodes_of_hits(actor, hits).await?),
                SearchIndex::Items(number) => {
                    if let Some(kind) = kinds.iter().find(|kind| kind.number == number) {
                        let items = self.items.of_hits(actor, kind, hits).await?;
                        found.items.push((kind.schema.kind.clone(), items));
                    }
                }
            }
        }
        if wants(SearchType::PhotoAlbum) {
            found.albums = Some(self.albums.search(actor, text, page).await?);
        }
        Ok(found)
    }

    /// The requested kinds of plugins that the actor may read.
    async fn requested_kinds(&self, actor: &Actor, request: &SearchRequest) -> Result<Vec<StoredKind>> {
        let types = &request.types;
        let all = types.is_empty() || types.contains(&SearchType::Item(ItemType::Item));
        if !all && !types.iter().any(|what| matches!(what, SearchType::Kind(_))) {
            return Ok(Vec::new());
        }
        let mut kinds: Vec<StoredKind> = self
            .items
            .kinds()
            .await?
            .into_iter()
            .map(|one| one.kind)
            .collect();
        let is_unknown = |what: &SearchType| matches!(what, SearchType::Kind(name) if kinds.iter().all(|kind| kind.schema.kind != *name));
        if types.iter().any(is_unknown) {
            return Err(ServiceError::invalid("types", UNKNOWN_TYPE));
        }
        let is_wanted =
            |kind: &StoredKind| all || types.contains(&SearchType::Kind(kind.schema.kind.clone()));
        kinds.retain(|kind| actor.may(Capability::ItemsRead) && is_wanted(kind));
        Ok(kinds)
    }
}
