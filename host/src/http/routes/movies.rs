//! Movies, their bytes and their pictures.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use super::video::{SourceQuery, VideoArtworkQuery, year};
use crate::domain::id::MovieId;
use crate::domain::list::{Order, Page};
use crate::domain::video::VideoSubject;
use crate::http::answer::{Answer, ListView};
use crate::http::extract::{Caller, PathId, State};
use crate::http::media_answer::MediaAnswer;
use crate::http::pagination;
use crate::http::problem::Problem;
use crate::http::query::{FromQuery, Query, QueryReader};
use crate::http::views::movies::MovieView;
use crate::service::movies::{MovieFilter, MovieOrder};

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
    by: MovieOrder,
    order: Order,
    page: Page,
}

impl FromQuery for MovieQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let filter = MovieFilter {
            genre: reader.text("genre", "Of this genre, by name."),
            year_from: year(reader, "yearFrom", "Of this year or later."),
            year_to: year(reader, "yearTo", "Of this year or earlier."),
            added_since: reader.moment("addedSince", "First indexed then or later."),
        };
        let (by, order) =
            pagination::ordering(reader, ORDERS).unwrap_or((MovieOrder::Title, Order::Ascending));
        Self {
            filter,
            by,
            order,
            page: pagination::page(reader),
        }
    }
}

/// Movies
#[endpoint]
pub async fn list_movies(
    state: State,
    caller: Caller,
    query: Query<MovieQuery>,
) -> Result<Answer<ListView<MovieView>>, Problem> {
    let MovieQuery {
        filter,
        by,
        order,
        page,
    } = query.0;
    let movies = state.movies.list(&caller, &filter, by, order, page).await?;
    Ok(Answer(ListView::new(movies, MovieView::from)))
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
    movie_id: PathId<MovieId>,
    query: Query<VideoArtworkQuery>,
) -> Result<MediaAnswer, Problem> {
    let subject = VideoSubject::Movie(movie_id.0);
    Ok(MediaAnswer::picture_file(
        state.video.open_artwork(&caller, subject, query.0.kind).await?,
    ))
}

/// The bytes of a movie's file
#[endpoint]
pub async fn stream_movie(
    state: State,
    caller: Caller,
    movie_id: PathId<MovieId>,
    query: Query<SourceQuery>,
) -> Result<MediaAnswer, Problem> {
    Ok(MediaAnswer::video(
        state
            .video
            .open_movie(&caller, movie_id.0, query.0.source)
            .await?,
    ))
}
