//! JSON of search results.

use std::collections::BTreeMap;

use salvo::oapi::{Components, RefOr, Schema, ToSchema};
use serde::Serialize;

use crate::response::Page;
use crate::views::kind_items::ItemView;
use crate::views::movies::MovieView;
use crate::views::music::{ArtistView, ReleaseView, TrackView};
use crate::views::photo_albums::PhotoAlbumView;
use crate::views::photos::PhotoView;
use crate::views::tv::{EpisodeView, ShowView};
use svc_domain::id::UserId;
use svc_library::search::SearchResults;

/// The results of a search: `[items, total]` for each requested type that the caller can read, and for each kind that a
/// plugin defines a further member with the name of the kind.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "SearchResults"))]
struct BuiltInResults {
    #[serde(skip_serializing_if = "Option::is_none")]
    music_artist: Option<Page<ArtistView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    music_release: Option<Page<ReleaseView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    music_track: Option<Page<TrackView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    photo: Option<Page<PhotoView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    photo_album: Option<Page<PhotoAlbumView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    movie: Option<Page<MovieView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tv_show: Option<Page<ShowView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tv_episode: Option<Page<EpisodeView>>,
}

/// The results of a search.
#[derive(Debug, Serialize)]
pub struct SearchResultsView {
    #[serde(flatten)]
    built_in: BuiltInResults,
    /// Items of each kind that a plugin defines, by its name.
    #[serde(flatten)]
    items: BTreeMap<String, Page<ItemView>>,
}

/// The members of the built-in types; the schema cannot name the kinds of plugins.
impl ToSchema for SearchResultsView {
    fn to_schema(components: &mut Components) -> RefOr<Schema> {
        let items: RefOr<Schema> = Page::<ItemView>::to_schema(components);
        let results = BuiltInResults::to_schema(components);
        if let Some(RefOr::Type(Schema::Object(results))) = components.schemas.get_mut("SearchResults") {
            results.additional_properties = Some(Box::new(items.into()));
        }
        results
    }
}

impl SearchResultsView {
    /// The results for this caller.
    pub fn new(found: SearchResults, caller: UserId) -> Self {
        let album = |album| PhotoAlbumView::new(album, caller);
        let built_in = BuiltInResults {
            music_artist: found.artists.map(Page::from),
            music_release: found.releases.map(Page::from),
            music_track: found.tracks.map(Page::from),
            photo: found.photos.map(Page::from),
            photo_album: found.albums.map(|found| Page::new(found, album)),
            movie: found.movies.map(Page::from),
            tv_show: found.shows.map(Page::from),
            tv_episode: found.episodes.map(Page::from),
        };
        Self {
            built_in,
            items: found
                .items
                .into_iter()
                .map(|(kind, items)| (kind.to_string(), Page::from(items)))
                .collect(),
        }
    }
}
