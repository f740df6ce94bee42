//! JSON of movies.

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
    /// Release date, as far as it is known: `1995-12-15`, `1995-12` or `1995`.
    #[serde(skip_serializing_if = "Option::is_none")]
    released_at: Option<String>,
    /// Runtime in seconds.
    runtime: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overview: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tagline: Option<String>,
    /// Name of the movie series that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<String>,
    genres: Vec<String>,
    studios: Vec<String>,
    people: Vec<PersonView>,
    /// As in the metadata of the file, often with a country: `US:R`.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_rating: Option<String>,
    /// Ids in other databases, by source such as `imdb`.
    external_ids: BTreeMap<String, String>,
    /// The files of the movie, best first: available before missing files, parts in order, larger before smaller files.
    sources: Vec<VideoSourceView>,
    /// URL path of its artwork; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    artwork: Option<String>,
    /// Playback progress of the caller; absent if the caller never played it.
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressView>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    /// All its files were missing in the last run of the indexer.
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
