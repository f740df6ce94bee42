//! Movies: lists with filters and orders, and single movies.

use crate::db::Database;
use crate::query::access_filter::{AccessFilter, and_in_folder};
use crate::query::item_filter::{Filtered, ItemFilter};
use crate::query::media_list::{MediaFilter, MediaOrder};
use crate::query::pages::{MediaRows, Sort, in_order};
#[cfg(test)]
use crate::query::pages::{OrderCase, order_cases_of};
use crate::query::where_clause::WhereClause;
use crate::search::Hits;
use crate::video::OF_MOVIES;
use svc_database::Result;
use svc_domain::change::ItemType;
use svc_domain::id::MovieId;
use svc_domain::library::MediaScope;
use svc_domain::list::{ListRequest, Listing};
use svc_domain::text::fold;
use svc_domain::user_data::UserData;
use svc_domain::video::{Movie, external_ids, people, texts};

/// Filter of movies.
#[derive(Debug, Clone, Default)]
pub struct MovieFilter {
    /// Of this genre, ignoring case and diacritics.
    pub genre: Option<String>,
    /// Of this year or later.
    pub year_from: Option<i32>,
    /// Of this year or earlier.
    pub year_to: Option<i32>,
    /// Filters that all lists of items share.
    pub items: ItemFilter,
}

/// Order of a list of movies. Movies without the value come last in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovieOrder {
    /// Sort title.
    Title,
    /// Time at which the item was first indexed.
    CreatedAt,
    /// Year of the release.
    Year,
    /// Day of the release.
    ReleasedAt,
    /// Duration.
    Runtime,
}

impl MediaOrder for MovieOrder {
    fn sort(self) -> Sort {
        match self {
            Self::Title => Sort::text("title", "m.sort_title"),
            Self::CreatedAt => Sort::key("createdAt"),
            Self::Year => Sort::number("year", "m.year").nullable(),
            Self::ReleasedAt => Sort::text("releasedAt", "m.released_on").nullable(),
            Self::Runtime => Sort::number("runtime", "m.runtime_ms").nullable(),
        }
    }
}

const MOVIES: MediaRows = MediaRows {
    from: "movies m",
    key: "m.movie_id",
};
const FILTERED: Filtered = Filtered {
    item: ItemType::Movie,
    access: AccessFilter::Movies,
    key: MOVIES.key,
    first_at: |moment| MovieId::first_at(moment).get(),
};
const BY_ID: &str = "SELECT m.movie_id, m.title, m.sort_title, m.original_title, m.year, m.released_on, m.overview, \
    m.tagline, m.content_rating, m.collection, m.genres, m.studios, m.people, m.external_ids \
    FROM movies m WHERE m.movie_id";

#[derive(sqlx::FromRow, serde::Deserialize)]
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

impl MediaFilter for MovieFilter {
    type Order = MovieOrder;

    const ROWS: MediaRows = MOVIES;

    fn item_filter(&self) -> &ItemFilter {
        &self.items
    }

    fn where_clause(&self, scope: &MediaScope) -> WhereClause<'_> {
        let mut movies = WhereClause::of_media(AccessFilter::Movies, "m.movie_id", scope);
        movies.push(
            "m.movie_id IN (SELECT movie_id FROM movie_genres WHERE key = ",
            self.genre.as_deref().map(fold),
            ")",
        );
        movies.push("m.year >= ", self.year_from, "");
        movies.push("m.year <= ", self.year_to, "");
        self.items.restrict_to(&mut movies, FILTERED, scope);
        movies
    }
}

/// Movies in the scope.
#[derive(Debug, Clone)]
pub struct MovieRepository {
    pub(crate) db: Database,
}

impl MovieRepository {
    /// Movies, missing ones included.
    pub async fn list_movies(
        &self,
        scope: &MediaScope,
        filter: &MovieFilter,
        request: &ListRequest<MovieOrder>,
    ) -> Result<Listing<Movie>> {
        let (scope, page) = self.db.page_of_media(scope, filter, request).await?;
        let movies = self.movies_by_id(&scope, &page.items).await?;
        Ok(page.with_items(movies))
    }

    /// A movie in the scope.
    pub async fn movie(&self, scope: &MediaScope, id: MovieId) -> Result<Option<Movie>> {
        let access_condition = AccessFilter::Movies.and("m.movie_id", scope);
        Ok(self.movies(scope, &[id.get()], &access_condition).await?.pop())
    }

    /// These movies, in this order, without an access check.
    pub(crate) async fn movies_by_id(&self, scope: &MediaScope, ids: &[i64]) -> Result<Vec<Movie>> {
        let movies = self.movies(scope, ids, "").await?;
        Ok(in_order(ids, movies, |movie| movie.id.get()))
    }

    async fn movies(&self, scope: &MediaScope, ids: &[i64], access_condition: &str) -> Result<Vec<Movie>> {
        let seen_files = and_in_folder(scope);
        let queries = [(BY_ID, access_condition), (OF_MOVIES, seen_files.as_str())];
        let (rows, sources) = self.db.rows_of_two_listed(queries, ids).await?;
        let mut movies: Vec<Movie> = rows.into_iter().map(|row: MovieRow| row.into()).collect();
        let mut sources = super::sources(sources);
        for movie in &mut movies {
            movie.sources = sources.remove(&movie.id.get()).unwrap_or_default();
        }
        Ok(movies)
    }

    /// The movies of search hits.
    pub async fn movies_of_hits(&self, scope: &MediaScope, hits: Hits) -> Result<Listing<Movie>> {
        let movies = self.movies_by_id(scope, &hits.items).await?;
        Ok(hits.with_items(movies))
    }
}

/// The statements that read a page, one per order.
#[cfg(test)]
pub(crate) fn order_cases() -> Vec<OrderCase> {
    let orders = [
        MovieOrder::Title,
        MovieOrder::CreatedAt,
        MovieOrder::Year,
        MovieOrder::ReleasedAt,
        MovieOrder::Runtime,
    ];
    orders
        .into_iter()
        .flat_map(|by| order_cases_of(MOVIES, by.sort()))
        .collect()
}
