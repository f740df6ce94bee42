//! Music: artists, releases, tracks, genres, files and artwork.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, PathId, State};
use crate::list_query::{self, ListFilter, ListOrder, ListQuery, OrderChoices};
use crate::media_response::MediaResponse;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, LinkedPage};
use crate::thumbnail_size::ArtworkQuery;
use crate::views::music::{ArtistView, GenreView, ReleaseView, TrackView};
use svc_domain::id::{MusicArtistId, MusicReleaseId, MusicTrackId};
use svc_domain::list::{ListRequest, Order, OrderedPagination};
use svc_identity::capability::Capability;
use svc_library::music::{
    ArtistFilter, ArtistOrder, GenreOrder, ItemFilter, ReleaseFilter, ReleaseOrder, TrackFilter, TrackOrder,
};

impl ListOrder for TrackOrder {
    const CHOICES: OrderChoices<Self> = OrderChoices {
        default: ("title", Self::Title, Order::Ascending),
        others: &[
            ("createdAt", Self::CreatedAt, Order::Descending),
            ("year", Self::Year, Order::Ascending),
            ("duration", Self::Duration, Order::Ascending),
        ],
    };
}

impl ListOrder for ReleaseOrder {
    const CHOICES: OrderChoices<Self> = OrderChoices {
        default: ("title", Self::Title, Order::Ascending),
        others: &[
            ("createdAt", Self::CreatedAt, Order::Descending),
            ("year", Self::Year, Order::Ascending),
        ],
    };
}

impl ListOrder for ArtistOrder {
    const CHOICES: OrderChoices<Self> = OrderChoices {
        default: ("name", Self::Name, Order::Ascending),
        others: &[("createdAt", Self::CreatedAt, Order::Descending)],
    };
}

impl ListOrder for GenreOrder {
    const CHOICES: OrderChoices<Self> = OrderChoices {
        default: ("name", Self::Name, Order::Ascending),
        others: &[],
    };
}

impl ListFilter for TrackFilter {
    type Order = TrackOrder;

    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            artist: artist(params),
            release: params.parsed("releaseId", "Only tracks of this release.", "the id of a release"),
            genre: params.text("genre", "Only tracks of this genre, by name."),
            year_from: params.year("yearFrom", "Only tracks of this year or later."),
            year_to: params.year("yearTo", "Only tracks of this year or earlier."),
            items: ItemFilter::default(),
        }
    }

    fn item_filter(&mut self) -> &mut ItemFilter {
        &mut self.items
    }
}

fn artist(params: &mut QueryParams<'_>) -> Option<MusicArtistId> {
    params.parsed(
        "artistId",
        "Only items credited to this artist.",
        "the id of an artist",
    )
}

impl ListFilter for ReleaseFilter {
    type Order = ReleaseOrder;

    fn read(params: &mut QueryParams<'_>) -> Self {
        let artist = artist(params);
        let ArtistReleaseFilter(filter) = ArtistReleaseFilter::read(params);
        Self { artist, ..filter }
    }

    fn item_filter(&mut self) -> &mut ItemFilter {
        &mut self.items
    }
}

/// Filter of the releases of the artist in the path.
#[derive(Debug)]
pub struct ArtistReleaseFilter(ReleaseFilter);

impl ListFilter for ArtistReleaseFilter {
    type Order = ReleaseOrder;

    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(ReleaseFilter {
            artist: None,
            genre: params.text("genre", "Only releases with a track of this genre, by name."),
            year_from: params.year("yearFrom", "Only releases of this year or later."),
            year_to: params.year("yearTo", "Only releases of this year or earlier."),
            items: ItemFilter::default(),
        })
    }

    fn item_filter(&mut self) -> &mut ItemFilter {
        &mut self.0.items
    }
}

impl ListFilter for ArtistFilter {
    type Order = ArtistOrder;

    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            genre: params.text("genre", "Only artists with a track of this genre, by name."),
            year_from: params.year("yearFrom", "Only artists with a track of this year or later."),
            year_to: params.year("yearTo", "Only artists with a track of this year or earlier."),
            items: ItemFilter::default(),
        }
    }

    fn item_filter(&mut self) -> &mut ItemFilter {
        &mut self.items
    }
}

/// The query of `GET /music/releases/{musicReleaseId}/tracks`.
#[derive(Debug)]
pub struct ReleaseTracksQuery(OrderedPagination);

impl FromQuery for ReleaseTracksQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(list_query::short_list_in_order_of(params, "trackNumber"))
    }
}

/// List artists
///
/// `genre`, `yearFrom` and `yearTo` must hold for the same track. Tracks of an artist are those that credit the artist and
/// those on a release that credits the artist.
#[endpoint]
pub async fn list_artists(
    state: State,
    caller: Caller,
    query: Query<ListQuery<ArtistFilter>>,
) -> Result<LinkedPage<ArtistView>, ApiError> {
    let (filter, request) = query.0.for_user(caller.user.id);
    let artists = state.music.list_artists(&caller, &filter, &request).await?;
    Ok(artists.into())
}

/// Get an artist
#[endpoint]
pub async fn get_artist(
    state: State,
    caller: Caller,
    music_artist_id: PathId<MusicArtistId>,
) -> Result<Json<ArtistView>, ApiError> {
    Ok(Json(state.music.artist(&caller, music_artist_id.0).await?.into()))
}

/// List the releases of an artist
#[endpoint]
pub async fn list_artist_releases(
    state: State,
    caller: Caller,
    query: Query<ListQuery<ArtistReleaseFilter>>,
    music_artist_id: PathId<MusicArtistId>,
) -> Result<LinkedPage<ReleaseView>, ApiError> {
    let (ArtistReleaseFilter(filter), request) = query.0.for_user(caller.user.id);
    let (music, artist) = (&state.music, music_artist_id.0);
    let releases = music.artist_releases(&caller, artist, filter, &request);
    Ok(releases.await?.into())
}

/// List releases
#[endpoint]
pub async fn list_releases(
    state: State,
    caller: Caller,
    query: Query<ListQuery<ReleaseFilter>>,
) -> Result<LinkedPage<ReleaseView>, ApiError> {
    let (filter, request) = query.0.for_user(caller.user.id);
    let releases = state.music.list_releases(&caller, &filter, &request).await?;
    Ok(releases.into())
}

/// Get a release
#[endpoint]
pub async fn get_release(
    state: State,
    caller: Caller,
    music_release_id: PathId<MusicReleaseId>,
) -> Result<Json<ReleaseView>, ApiError> {
    let release = state.music.release(&caller, music_release_id.0).await?;
    Ok(Json(release.into()))
}

/// List the tracks of a release
///
/// Ordered by disc and track number.
#[endpoint]
pub async fn list_release_tracks(
    state: State,
    caller: Caller,
    query: Query<ReleaseTracksQuery>,
    music_release_id: PathId<MusicReleaseId>,
) -> Result<LinkedPage<TrackView>, ApiError> {
    let (music, release) = (&state.music, music_release_id.0);
    Ok(music.release_tracks(&caller, release, query.0.0).await?.into())
}

/// Get the artwork of a release
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

/// List tracks
#[endpoint]
pub async fn list_tracks(
    state: State,
    caller: Caller,
    query: Query<ListQuery<TrackFilter>>,
) -> Result<LinkedPage<TrackView>, ApiError> {
    let (filter, request) = query.0.for_user(caller.user.id);
    let tracks = state.music.list_tracks(&caller, &filter, &request).await?;
    Ok(tracks.into())
}

/// Get a track
#[endpoint]
pub async fn get_track(
    state: State,
    caller: Caller,
    music_track_id: PathId<MusicTrackId>,
) -> Result<Json<TrackView>, ApiError> {
    Ok(Json(state.music.track(&caller, music_track_id.0).await?.into()))
}

/// Get the artwork of a track
///
/// The picture that is embedded in the track's file.
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

/// List genres
#[endpoint]
pub async fn list_genres(
    state: State,
    caller: Caller,
    query: Query<ListRequest<GenreOrder>>,
) -> Result<LinkedPage<GenreView>, ApiError> {
    Ok(state.music.list_genres(&caller, &query.0).await?.into())
}

/// Stream the file of a track
#[endpoint]
pub async fn stream_track(
    state: State,
    caller: Caller,
    music_track_id: PathId<MusicTrackId>,
) -> Result<MediaResponse, ApiError> {
    let media = state.media.open_track(&caller, music_track_id.0).await?;
    let streams = &state.open_streams;
    let stream = streams.play(&caller, Capability::MusicTracksPlay, media.id)?;
    Ok(MediaResponse::file(media).as_stream(stream))
}
