//! Movies.

use super::OF_MOVIES;
use crate::domain::id::MovieId;
use crate::domain::library::MediaScope;
use crate::domain::list::{Listing, Order, Page};
use crate::domain::text::fold;
use crate::domain::time::Timestamp;
use crate::domain::user_data::UserData;
use crate::domain::video::{Movie, external_ids, people, texts};
use crate::store::Store;
use crate::store::args::{Arg, args};
use crate::store::error::Result;
use crate::store::select::{Conditions, direction, joined};
use crate::store::visibility::Visible;

/// Which movies.
#[derive(Debug, Clone, Default)]
pub struct MovieFilter {
    /// Of this genre, case and diacritics aside.
    pub genre: Option<String>,
    /// Of this year or later.
    pub year_from: Option<i32>,
    /// Of this year or earlier.
    pub year_to: Option<i32>,
    /// First indexed at this moment or later.
    pub added_since: Option<Timestamp>,
}

/// What a list of movies is ordered by. Movies without the value are the first in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovieOrder {
    /// Sort title.
    Title,
    /// First indexed.
    CreatedAt,
    /// Year of the release.
    Year,
    /// Day of the release.
    ReleasedAt,
    /// Length.
    Runtime,
}

impl MovieOrder {
    fn sql(self, order: Order) -> &'static str {
        match self {
            Self::Title => direction(
                order,
                "m.sort_title ASC, m.movie_id ASC",
                "m.sort_title DESC, m.movie_id DESC",
            ),
            Self::CreatedAt => direction(order, "m.movie_id ASC", "m.movie_id DESC"),
            Self::Year => direction(
                order,
                "m.year ASC NULLS FIRST, m.movie_id ASC",
                "m.year DESC NULLS LAST, m.movie_id DESC",
            ),
            Self::ReleasedAt => direction(
                order,
                "m.released_on ASC NULLS FIRST, m.movie_id ASC",
                "m.released_on DESC NULLS LAST, m.movie_id DESC",
            ),
            Self::Runtime => direction(
                order,
                "m.runtime_ms ASC NULLS FIRST, m.movie_id ASC",
                "m.runtime_ms DESC NULLS LAST, m.movie_id DESC",
            ),
        }
    }
}

const PAGE: &str = "SELECT m.movie_id AS id FROM movies m";
const ROWS: &str = "SELECT m.movie_id, m.title, m.sort_title, m.original_title, m.year, m.released_on, m.overview, \
    m.tagline, m.content_rating, m.collection, m.genres, m.studios, m.people, m.external_ids";
const JOINS: &str = "JOIN movies m ON m.movie_id = page.id";

#[derive(sqlx::FromRow)]
struct MovieRow {
    movie_id: i64,
    title: String,
    sort_title: String,
    original_title: Option<String>,
    year: Option<i32>,
    released_on: Option<String>,
    overview: Option<String>,
    tagline: Option<String>,
    content_rating: Option<String>,
    collection: Option<String>,
    genres: String,
    studios: String,
    people: String,
    external_ids: String,
}

impl From<MovieRow> for Movie {
    fn from(row: MovieRow) -> Self {
        Self {
            id: row.movie_id.into(),
            title: row.title,
            sort_title: row.sort_title,
            original_title: row.original_title,
            year: row.year,
            released_on: row.released_on,
            overview: row.overview,
            tagline: row.tagline,
            content_rating: row.content_rating,
            collection: row.collection,
            genres: texts(&row.genres),
            studios: texts(&row.studios),
            people: people(&row.people),
            external_ids: external_ids(&row.external_ids),
            sources: Vec::new(),
            user_data: UserData::default(),
        }
    }
}

fn conditions<'a>(scope: &MediaScope, filter: &'a MovieFilter) -> Conditions<'a> {
    let mut movies = Conditions::of_media(Visible::Movies, "m.movie_id", scope);
    movies.push(
        "m.movie_id IN (SELECT movie_id FROM movie_genres WHERE key = ",
        filter.genre.as_deref().map(fold),
        ")",
    );
    movies.push("m.year >= ", filter.year_from, "");
    movies.push("m.year <= ", filter.year_to, "");
    let first = filter.added_since.map(|moment| MovieId::first_at(moment).get());
    movies.push("m.movie_id >= ", first, "");
    movies
}

impl Store {
    /// Movies, missing ones included.
    pub async fn list_movies(
        &self,
        scope: &MediaScope,
        filter: &MovieFilter,
        by: MovieOrder,
        order: Order,
        page: Page,
    ) -> Result<Listing<Movie>> {
        let movies = conditions(scope, filter);
        let (sql, values) = movies.count("movies m");
        let total = self.pools().count(sql, values).await?;
        let (sql, values) = movies.page(PAGE, by.sql(order), page);
        Ok(Listing {
            items: self.movies(scope, &sql, by.sql(order), &values).await?,
            total,
        })
    }

    /// A movie.
    pub async fn movie(&self, scope: &MediaScope, id: MovieId) -> Result<Option<Movie>> {
        let seen = Visible::Movies.and("m.movie_id", scope);
        let page = format!("{PAGE} WHERE m.movie_id = $1{seen}");
        Ok(self
            .movies(scope, &page, "m.movie_id ASC", &args![id.get()])
            .await?
            .pop())
    }

    async fn movies(
        &self,
        scope: &MediaScope,
        page: &str,
        order: &'static str,
        values: &[Arg<'_>],
    ) -> Result<Vec<Movie>> {
        let rows: Vec<MovieRow> = self
            .pools()
            .fetch_all(joined(page, ROWS, JOINS, order), values)
            .await?;
        let mut movies: Vec<Movie> = rows.into_iter().map(Movie::from).collect();
        let ids: Vec<i64> = movies.iter().map(|movie| movie.id.get()).collect();
        let mut sources = self.video_sources(scope, OF_MOVIES, &ids).await?;
        for movie in &mut movies {
            movie.sources = sources.remove(&movie.id.get()).unwrap_or_default();
        }
        Ok(movies)
    }
}

/// The statement that reads a page, for each order.
#[cfg(test)]
pub(in crate::store) fn order_cases() -> Vec<(String, Vec<Arg<'static>>)> {
    let orders = [
        MovieOrder::Title,
        MovieOrder::CreatedAt,
        MovieOrder::Year,
        MovieOrder::ReleasedAt,
        MovieOrder::Runtime,
    ];
    let both = |by: MovieOrder| [by.sql(Order::Ascending), by.sql(Order::Descending)];
    let page = |order| Conditions::default().page(PAGE, order, Page::default());
    orders.into_iter().flat_map(both).map(page).collect()
}
