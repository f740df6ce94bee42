//! Search results.

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::response::Page;
use crate::views::movies::MovieView;
use crate::views::music::{ArtistView, ReleaseView, TrackView};
use crate::views::photo_albums::PhotoAlbumView;
use crate::views::photos::PhotoView;
use crate::views::tv::{EpisodeView, ShowView};
use svc_domain::id::UserId;
use svc_library::search::SearchResults;

/// The results of a search: `[items, total]` for each requested type that the caller can read.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "SearchResults"))]
pub struct SearchResultsView {
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

impl SearchResultsView {
    /// The results for this caller.
    pub fn new(found: SearchResults, caller: UserId) -> Self {
        let album = |album| PhotoAlbumView::new(album, caller);
        Self {
            music_artist: found.artists.map(Page::from),
            music_release: found.releases.map(Page::from),
            music_track: found.tracks.map(Page::from),
            photo: found.photos.map(Page::from),
            photo_album: found.albums.map(|found| Page::new(found, album)),
            movie: found.movies.map(Page::from),
            tv_show: found.shows.map(Page::from),
            tv_episode: found.episodes.map(Page::from),
        }
    }
}
