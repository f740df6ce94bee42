//! Movies.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::items::ProgressView;
use crate::views::seconds;
use crate::views::video::{PersonView, VideoSourceView, by_source, views};
use svc_domain::id::MovieId;
use svc_domain::time::Timestamp;
use svc_domain::video::{Movie, all_missing};

/// A movie.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Movie"))]
#[serde(rename_all = "camelCase")]
pub struct MovieView {
    #[salvo(schema(value_type = String))]
    movie_id: MovieId,
    title: String,
    sort_title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    original_title: Option<String>,
    year: Option<i32>,
    /// The day, or as much of it as is known: `1995-12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    released_at: Option<String>,
    /// Seconds.
    runtime: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tagline: Option<String>,
    /// The series of movies that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    genres: Vec<String>,
    studios: Vec<String>,
    people: Vec<PersonView>,
    /// As it was found, often with a country: `US:R`.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_rating: Option<String>,
    /// Ids elsewhere by source, such as `imdb`.
    external_ids: BTreeMap<String, String>,
    /// Its files, the best first: what is there before what is missing, parts in order, the largest.
    sources: Vec<VideoSourceView>,
    /// Where its picture is, if there is one beside its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    artwork: Option<String>,
    /// How far the caller played it; left out if they never did.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressView>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    /// None of its files was there in the last run.
    missing: bool,
}

impl From<Movie> for MovieView {
    fn from(movie: Movie) -> Self {
        let has_artwork = movie.sources.iter().any(|source| source.has_artwork);
        Self {
            created_at: movie.created_at(),
            progress: movie.user_data.playback.progress().map(ProgressView::from),
            runtime: movie.runtime_ms().map(seconds),
            missing: all_missing(&movie.sources),
            artwork: has_artwork.then(|| format!("/api/v1/movies/{}/artwork", movie.id)),
            movie_id: movie.id,
            title: movie.title,
            sort_title: movie.sort_title,
            original_title: movie.original_title,
            year: movie.year,
            released_at: movie.released_on,
            overview: movie.overview,
            tagline: movie.tagline,
            collection: movie.collection,
            genres: movie.genres,
            studios: movie.studios,
            people: views(movie.people),
            content_rating: movie.content_rating,
            external_ids: by_source(movie.external_ids),
            sources: views(movie.sources),
        }
    }
}
