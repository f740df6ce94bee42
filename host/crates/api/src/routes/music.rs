//! Music: artists, releases, tracks, genres, and their bytes.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, PathId, State};
use crate::item_query::ItemQuery;
use crate::media_response::MediaResponse;
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, LinkedPage, Page};
use crate::thumbnail_size::ArtworkQuery;
use crate::views::music::{ArtistView, GenreView, ReleaseView, TrackView};
use svc_domain::id::{MusicArtistId, MusicReleaseId, MusicTrackId};
use svc_domain::list::{ListRequest, Order, OrderedPagination};
use svc_identity::capability::Capability;
use svc_library::music::{
    ArtistFilter, ArtistOrder, GenreOrder, ItemFilter, ReleaseFilter, ReleaseOrder, TrackFilter, TrackOrder,
};

const TRACK_ORDERS: &[(&str, TrackOrder, Order)] = &[
    ("title", TrackOrder::Title, Order::Ascending),
    ("createdAt", TrackOrder::CreatedAt, Order::Descending),
    ("year", TrackOrder::Year, Order::Ascending),
    ("duration", TrackOrder::Duration, Order::Ascending),
];
const RELEASE_ORDERS: &[(&str, ReleaseOrder, Order)] = &[
    ("title", ReleaseOrder::Title, Order::Ascending),
    ("createdAt", ReleaseOrder::CreatedAt, Order::Descending),
    ("year", ReleaseOrder::Year, Order::Ascending),
];
const ARTIST_ORDERS: &[(&str, ArtistOrder, Order)] = &[
    ("name", ArtistOrder::Name, Order::Ascending),
    ("createdAt", ArtistOrder::CreatedAt, Order::Descending),
];
const GENRE_ORDERS: &[(&str, GenreOrder, Order)] = &[("name", GenreOrder::Name, Order::Ascending)];

fn year(params: &mut QueryParams<'_>, name: &str, about: &str) -> Option<i32> {
    params
        .integer(name, about, 0..=9999)
        .and_then(|year| i32::try_from(year).ok())
}

/// Which tracks, in which order.
#[derive(Debug)]
pub struct TrackQuery {
    filter: TrackFilter,
    items: ItemQuery,
    request: ListRequest<TrackOrder>,
}

impl FromQuery for TrackQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let filter = TrackFilter {
            artist: params.parsed("artistId", "Credited to this artist.", "the id of an artist"),
            release: params.parsed("releaseId", "On this release.", "the id of a release"),
            genre: params.text("genre", "Of this genre, by name."),
            year_from: year(params, "yearFrom", "Of this year or later."),
            year_to: year(params, "yearTo", "Of this year or earlier."),
            items: ItemFilter::default(),
        };
        Self {
            filter,
            items: ItemQuery::read(params).with_random(params),
            request: pagination::list(params, TRACK_ORDERS, TrackOrder::Title),
        }
    }
}

/// Which releases, in which order.
#[derive(Debug)]
pub struct ReleaseQuery {
    filter: ReleaseFilter,
    items: ItemQuery,
    request: ListRequest<ReleaseOrder>,
}

impl ReleaseQuery {
    fn of_artist(params: &mut QueryParams<'_>, artist: Option<MusicArtistId>) -> Self {
        let filter = ReleaseFilter {
            artist,
            genre: params.text("genre", "With a track of this genre, by name."),
            year_from: year(params, "yearFrom", "Of this year or later."),
            year_to: year(params, "yearTo", "Of this year or earlier."),
            items: ItemFilter::default(),
        };
        Self {
            filter,
            items: ItemQuery::read(params).with_random(params),
            request: pagination::list(params, RELEASE_ORDERS, ReleaseOrder::Title),
        }
    }
}

impl FromQuery for ReleaseQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let artist = params.parsed("artistId", "Credited to this artist.", "the id of an artist");
        Self::of_artist(params, artist)
    }
}

/// Which releases of the artist that the path names, in which order.
#[derive(Debug)]
pub struct ArtistReleasesQuery(ReleaseQuery);

impl FromQuery for ArtistReleasesQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(ReleaseQuery::of_artist(params, None))
    }
}

/// Which artists, in which order.
#[derive(Debug)]
pub struct ArtistQuery {
    filter: ArtistFilter,
    items: ItemQuery,
    request: ListRequest<ArtistOrder>,
}

impl FromQuery for ArtistQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let filter = ArtistFilter {
            genre: params.text("genre", "With a track of this genre, by name."),
            year_from: year(params, "yearFrom", "With a track of this year or later."),
            year_to: year(params, "yearTo", "With a track of this year or earlier."),
            items: ItemFilter::default(),
        };
        Self {
            filter,
            items: ItemQuery::read(params).with_random(params),
            request: pagination::list(params, ARTIST_ORDERS, ArtistOrder::Name),
        }
    }
}

/// A part of the list of genres, in which order.
#[derive(Debug)]
pub struct GenreQuery(ListRequest<GenreOrder>);

impl FromQuery for GenreQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(pagination::list(params, GENRE_ORDERS, GenreOrder::Name))
    }
}

/// Which part of the tracks of a release.
#[derive(Debug)]
pub struct ReleaseTracksQuery(OrderedPagination);

impl FromQuery for ReleaseTracksQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(pagination::whole(params, "trackNumber"))
    }
}

/// Artists
///
/// Genre and years are those of one track that they are credited on, or that is on a release of theirs.
#[endpoint]
pub async fn list_artists(
    state: State,
    caller: Caller,
    query: Query<ArtistQuery>,
) -> Result<LinkedPage<ArtistView>, ApiError> {
    let ArtistQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let artists = state.music.list_artists(&caller, &filter, &request).await?;
    Ok(LinkedPage(Page::new(artists, ArtistView::from)))
}

/// An artist
#[endpoint]
pub async fn get_artist(
    state: State,
    caller: Caller,
    music_artist_id: PathId<MusicArtistId>,
) -> Result<Json<ArtistView>, ApiError> {
    Ok(Json(state.music.artist(&caller, music_artist_id.0).await?.into()))
}

/// The releases of an artist
#[endpoint]
pub async fn list_artist_releases(
    state: State,
    caller: Caller,
    query: Query<ArtistReleasesQuery>,
    music_artist_id: PathId<MusicArtistId>,
) -> Result<LinkedPage<ReleaseView>, ApiError> {
    let ReleaseQuery {
        mut filter,
        items,
        request,
    } = query.0.0;
    filter.items = items.of(caller.user.id);
    let releases = state
        .music
        .artist_releases(&caller, music_artist_id.0, filter, &request)
        .await?;
    Ok(LinkedPage(Page::new(releases, ReleaseView::from)))
}

/// Releases
#[endpoint]
pub async fn list_releases(
    state: State,
    caller: Caller,
    query: Query<ReleaseQuery>,
) -> Result<LinkedPage<ReleaseView>, ApiError> {
    let ReleaseQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let releases = state.music.list_releases(&caller, &filter, &request).await?;
    Ok(LinkedPage(Page::new(releases, ReleaseView::from)))
}

/// A release
#[endpoint]
pub async fn get_release(
    state: State,
    caller: Caller,
    music_release_id: PathId<MusicReleaseId>,
) -> Result<Json<ReleaseView>, ApiError> {
    Ok(Json(
        state.music.release(&caller, music_release_id.0).await?.into(),
    ))
}

/// The tracks of a release, by disc and number
#[endpoint]
pub async fn list_release_tracks(
    state: State,
    caller: Caller,
    query: Query<ReleaseTracksQuery>,
    music_release_id: PathId<MusicReleaseId>,
) -> Result<LinkedPage<TrackView>, ApiError> {
    let tracks = state
        .music
        .release_tracks(&caller, music_release_id.0, query.0.0)
        .await?;
    Ok(LinkedPage(Page::new(tracks, TrackView::from)))
}

/// The picture of a release
#[endpoint]
pub async fn get_release_artwork(
    state: State,
    caller: Caller,
    query: Query<ArtworkQuery>,
    music_release_id: PathId<MusicReleaseId>,
) -> Result<MediaResponse, ApiError> {
    let id = music_release_id.0;
    Ok(match query.0.size {
        Some(size) => MediaResponse::thumbnail(state.thumbnails.release(&caller, id, size).await?),
        None => MediaResponse::picture(state.media.open_release_picture(&caller, id).await?),
    })
}

/// Tracks
#[endpoint]
pub async fn list_tracks(
    state: State,
    caller: Caller,
    query: Query<TrackQuery>,
) -> Result<LinkedPage<TrackView>, ApiError> {
    let TrackQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let tracks = state.music.list_tracks(&caller, &filter, &request).await?;
    Ok(LinkedPage(Page::new(tracks, TrackView::from)))
}

/// A track
#[endpoint]
pub async fn get_track(
    state: State,
    caller: Caller,
    music_track_id: PathId<MusicTrackId>,
) -> Result<Json<TrackView>, ApiError> {
    Ok(Json(state.music.track(&caller, music_track_id.0).await?.into()))
}

/// The picture in a track's file
#[endpoint]
pub async fn get_track_artwork(
    state: State,
    caller: Caller,
    query: Query<ArtworkQuery>,
    music_track_id: PathId<MusicTrackId>,
) -> Result<MediaResponse, ApiError> {
    let id = music_track_id.0;
    Ok(match query.0.size {
        Some(size) => MediaResponse::thumbnail(state.thumbnails.track(&caller, id, size).await?),
        None => MediaResponse::picture(state.media.open_track_picture(&caller, id).await?),
    })
}

/// Genres
#[endpoint]
pub async fn list_genres(
    state: State,
    caller: Caller,
    query: Query<GenreQuery>,
) -> Result<LinkedPage<GenreView>, ApiError> {
    let genres = state.music.list_genres(&caller, &query.0.0).await?;
    Ok(LinkedPage(Page::new(genres, GenreView::from)))
}

/// The bytes of a track's file
#[endpoint]
pub async fn stream_track(
    state: State,
    caller: Caller,
    music_track_id: PathId<MusicTrackId>,
) -> Result<MediaResponse, ApiError> {
    let media = state.media.open_track(&caller, music_track_id.0).await?;
    let stream = state
        .open_streams
        .play(&caller, Capability::MusicTracksPlay, media.id)?;
    Ok(MediaResponse::file(media).as_stream(stream))
}
