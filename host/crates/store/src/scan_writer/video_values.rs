//! The values of rows of movies, shows, episodes and their sources, in the order of `rows.rs`.

use crate::text::bounded_sort;
use svc_database::args::{Arg, args};
use svc_domain::video::{EpisodeFacts, MovieFacts, ShowFacts, VideoFacts};

fn json(texts: &[String]) -> String {
    serde_json::json!(texts).to_string()
}

pub(super) fn movie_values<'a>(id: i64, key: &'a str, movie: &'a MovieFacts) -> [Arg<'a>; 15] {
    args![
        id,
        key,
        movie.title.as_str(),
        bounded_sort(&movie.sort_title),
        movie.original_title.as_deref(),
        movie.year,
        movie.released_on.as_deref(),
        movie.overview.as_deref(),
        movie.tagline.as_deref(),
        movie.content_rating.as_deref(),
        movie.collection.as_deref(),
        json(&movie.genres),
        json(&movie.studios),
        movie.people.as_str(),
        movie.external_ids.as_str(),
    ]
}

pub(super) fn show_values<'a>(id: i64, key: &'a str, show: &'a ShowFacts) -> [Arg<'a>; 9] {
    args![
        id,
        key,
        show.title.as_str(),
        bounded_sort(&show.sort_title),
        show.year,
        show.overview.as_deref(),
        show.content_rating.as_deref(),
        json(&show.genres),
        show.external_ids.as_str(),
    ]
}

pub(super) fn episode_values<'a>(
    id: i64,
    key: &'a str,
    show: i64,
    season: i64,
    episode: &'a EpisodeFacts,
) -> [Arg<'a>; 13] {
    args![
        id,
        key,
        show,
        season,
        episode.number,
        episode.number_end,
        episode.absolute,
        episode.air_date.as_deref(),
        episode.title.as_str(),
        bounded_sort(&episode.sort_title),
        episode.overview.as_deref(),
        episode.people.as_str(),
        episode.external_ids.as_str(),
    ]
}

pub(super) fn source_values(
    id: i64,
    movie: Option<i64>,
    episode: Option<i64>,
    facts: &VideoFacts,
) -> [Arg<'_>; 16] {
    args![
        id,
        movie,
        episode,
        facts.edition.as_deref(),
        facts.part,
        facts.container.as_deref(),
        facts.bitrate,
        facts.duration_ms,
        facts.width,
        facts.height,
        facts.streams.as_str(),
        facts.chapters.as_str(),
        facts.subtitles.as_str(),
        facts.artwork.as_str(),
        facts.name_pattern.as_deref(),
        facts.name_confidence,
    ]
}
