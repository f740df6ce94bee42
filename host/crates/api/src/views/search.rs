//! What a search found.

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::answer::ListView;
use crate::views::movies::MovieView;
use crate::views::music::{ArtistView, ReleaseView, TrackView};
use crate::views::photo_albums::PhotoAlbumView;
use crate::views::photos::PhotoView;
use crate::views::tv::{EpisodeView, ShowView};
use svc_domain::id::UserId;
use svc_library::search::Found;

/// What was found, `[items, total]` for each type of item that was asked for and that the caller may read.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Found"))]
pub struct FoundView {
    #[serde(skip_serializing_if = "Option::is_none")]
    music_artist: Option<ListView<ArtistView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    music_release: Option<ListView<ReleaseView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    music_track: Option<ListView<TrackView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    photo: Option<ListView<PhotoView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    photo_album: Option<ListView<PhotoAlbumView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    movie: Option<ListView<MovieView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tv_show: Option<ListView<ShowView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tv_episode: Option<ListView<EpisodeView>>,
}

impl FoundView {
    /// The view for this caller.
    pub fn new(found: Found, caller: UserId) -> Self {
        let album = |album| PhotoAlbumView::new(album, caller);
        Self {
            music_artist: found.artists.map(|found| ListView::new(found, ArtistView::from)),
            music_release: found
                .releases
                .map(|found| ListView::new(found, ReleaseView::from)),
            music_track: found.tracks.map(|found| ListView::new(found, TrackView::from)),
            photo: found.photos.map(|found| ListView::new(found, PhotoView::from)),
            photo_album: found.albums.map(|found| ListView::new(found, album)),
            movie: found.movies.map(|found| ListView::new(found, MovieView::from)),
            tv_show: found.shows.map(|found| ListView::new(found, ShowView::from)),
            tv_episode: found
                .episodes
                .map(|found| ListView::new(found, EpisodeView::from)),
        }
    }
}
