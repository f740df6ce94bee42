//! Movies, their bytes and their pictures.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::answer::{Answer, ListView, Part};
use crate::extract::{Caller, PathId, State};
use crate::item_query::ItemQuery;
use crate::media_answer::MediaAnswer;
use crate::pagination;
use crate::problem::Problem;
use crate::query::{FromQuery, Query, QueryReader};
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
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let filter = MovieFilter {
            genre: reader.text("genre", "Of this genre, by name."),
            year_from: year(reader, "yearFrom", "Of this year or later."),
            year_to: year(reader, "yearTo", "Of this year or earlier."),
            items: ItemFilter::default(),
        };
        Self {
            filter,
            items: ItemQuery::read(reader).with_watched(reader).with_random(reader),
            request: pagination::list(reader, ORDERS, MovieOrder::Title),
        }
    }
}

/// Movies
#[endpoint]
pub async fn list_movies(
    state: State,
    caller: Caller,
    query: Query<MovieQuery>,
) -> Result<Part<MovieView>, Problem> {
    let MovieQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let movies = state.movies.list(&caller, &filter, &request).await?;
    Ok(Part(ListView::new(movies, MovieView::from)))
}

/// A movie
#[endpoint]
pub async fn show_movie(
    state: State,
    caller: Caller,
    movie_id: PathId<MovieId>,
) -> Result<Answer<MovieView>, Problem> {
    Ok(Answer(state.movies.movie(&caller, movie_id.0).await?.into()))
}

/// A picture beside a movie's files
#[endpoint]
pub async fn show_movie_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    movie_id: PathId<MovieId>,
) -> Result<MediaAnswer, Problem> {
    artwork(&state, &caller, VideoSubject::Movie(movie_id.0), query.0).await
}

/// The bytes of a movie's file
#[endpoint]
pub async fn stream_movie(
    state: State,
    caller: Caller,
    query: Query<SourceQuery>,
    movie_id: PathId<MovieId>,
) -> Result<MediaAnswer, Problem> {
    let media = state
        .video
        .open_movie(&caller, movie_id.0, query.0.source)
        .await?;
    let stream = state
        .open_streams
        .play(&caller, Capability::MoviesPlay, media.id)?;
    Ok(MediaAnswer::video(media).as_stream(stream))
}
