//! Movies, their files and artwork.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, PathId, State};
use crate::list_query::{ListFilter, ListOrder, ListQuery, OrderChoices};
use crate::media_response::MediaResponse;
use crate::query::{Query, QueryParams};
use crate::response::{Json, LinkedPage};
use crate::routes::video::{SourceQuery, VideoArtworkQuery, artwork};
use crate::views::movies::MovieView;
use svc_domain::id::MovieId;
use svc_domain::list::Order;
use svc_domain::video::VideoSubject;
use svc_identity::capability::Capability;
use svc_library::movies::{ItemFilter, MovieFilter, MovieOrder};

impl ListOrder for MovieOrder {
    const CHOICES: OrderChoices<Self> = OrderChoices {
        default: ("title", Self::Title, Order::Ascending),
        others: &[
            ("createdAt", Self::CreatedAt, Order::Descending),
            ("year", Self::Year, Order::Ascending),
            ("releasedAt", Self::ReleasedAt, Order::Descending),
            ("runtime", Self::Runtime, Order::Ascending),
        ],
    };
}

impl ListFilter for MovieFilter {
    type Order = MovieOrder;

    const HAS_WATCHED: bool = true;

    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            genre: params.text("genre", "Only movies of this genre, by name."),
            year_from: params.year("yearFrom", "Only movies of this year or later."),
            year_to: params.year("yearTo", "Only movies of this year or earlier."),
            items: ItemFilter::default(),
        }
    }

    fn item_filter(&mut self) -> &mut ItemFilter {
        &mut self.items
    }
}

/// List movies
#[endpoint]
pub async fn list_movies(
    state: State,
    caller: Caller,
    query: Query<ListQuery<MovieFilter>>,
) -> Result<LinkedPage<MovieView>, ApiError> {
    let (filter, request) = query.0.for_user(caller.user.id);
    Ok(state.movies.list(&caller, &filter, &request).await?.into())
}

/// Get a movie
#[endpoint]
pub async fn get_movie(
    state: State,
    caller: Caller,
    movie_id: PathId<MovieId>,
) -> Result<Json<MovieView>, ApiError> {
    Ok(Json(state.movies.movie(&caller, movie_id.0).await?.into()))
}

/// Get the artwork of a movie
///
/// Artwork of the movie from an image file.
#[endpoint]
pub async fn get_movie_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    movie_id: PathId<MovieId>,
) -> Result<MediaResponse, ApiError> {
    artwork(&state, &caller, VideoSubject::Movie(movie_id.0), query.0).await
}

/// Stream a file of a movie
#[endpoint]
pub async fn stream_movie(
    state: State,
    caller: Caller,
    query: Query<SourceQuery>,
    movie_id: PathId<MovieId>,
) -> Result<MediaResponse, ApiError> {
    let source = query.0.source;
    let media = state.video.open_movie(&caller, movie_id.0, source).await?;
    let streams = &state.open_streams;
    let stream = streams.play(&caller, Capability::MoviesPlay, media.id)?;
    Ok(MediaResponse::video(media).as_stream(stream))
}
