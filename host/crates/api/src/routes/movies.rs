//! Movies, their bytes and their pictures.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, PathId, State};
use crate::item_query::ItemQuery;
use crate::media_response::MediaResponse;
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, LinkedPage, Page};
use crate::routes::video::{SourceQuery, VideoArtworkQuery, artwork, year};
use crate::views::movies::MovieView;
use svc_domain::id::MovieId;
use svc_domain::list::{ListRequest, Order};
use svc_domain::video::VideoSubject;
use svc_identity::capability::Capability;
use svc_library::movies::{ItemFilter, MovieFilter, MovieOrder};

const ORDERS: &[(&str, MovieOrder, Order)] = &[
    ("title", MovieOrder::Title, Order::Ascending),
    ("createdAt", MovieOrder::CreatedAt, Order::Descending),
    ("year", MovieOrder::Year, Order::Ascending),
    ("releasedAt", MovieOrder::ReleasedAt, Order::Descending),
    ("runtime", MovieOrder::Runtime, Order::Ascending),
];

/// Which movies, in which order.
#[derive(Debug)]
pub struct MovieQuery {
    filter: MovieFilter,
    items: ItemQuery,
    request: ListRequest<MovieOrder>,
}

impl FromQuery for MovieQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let filter = MovieFilter {
            genre: params.text("genre", "Of this genre, by name."),
            year_from: year(params, "yearFrom", "Of this year or later."),
            year_to: year(params, "yearTo", "Of this year or earlier."),
            items: ItemFilter::default(),
        };
        Self {
            filter,
            items: ItemQuery::read(params).with_watched(params).with_random(params),
            request: pagination::list(params, ORDERS, MovieOrder::Title),
        }
    }
}

/// Movies
#[endpoint]
pub async fn list_movies(
    state: State,
    caller: Caller,
    query: Query<MovieQuery>,
) -> Result<LinkedPage<MovieView>, ApiError> {
    let MovieQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let movies = state.movies.list(&caller, &filter, &request).await?;
    Ok(LinkedPage(Page::new(movies, MovieView::from)))
}

/// A movie
#[endpoint]
pub async fn get_movie(
    state: State,
    caller: Caller,
    movie_id: PathId<MovieId>,
) -> Result<Json<MovieView>, ApiError> {
    Ok(Json(state.movies.movie(&caller, movie_id.0).await?.into()))
}

/// A picture beside a movie's files
#[endpoint]
pub async fn get_movie_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    movie_id: PathId<MovieId>,
) -> Result<MediaResponse, ApiError> {
    artwork(&state, &caller, VideoSubject::Movie(movie_id.0), query.0).await
}

/// The bytes of a movie's file
#[endpoint]
pub async fn stream_movie(
    state: State,
    caller: Caller,
    query: Query<SourceQuery>,
    movie_id: PathId<MovieId>,
) -> Result<MediaResponse, ApiError> {
    let media = state
        .video
        .open_movie(&caller, movie_id.0, query.0.source)
        .await?;
    let stream = state
        .open_streams
        .play(&caller, Capability::MoviesPlay, media.id)?;
    Ok(MediaResponse::video(media).as_stream(stream))
}
