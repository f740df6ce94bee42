//! Shows, seasons and episodes.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::items::ProgressView;
use crate::views::seconds;
use crate::views::video::{ParseView, PersonView, VideoSourceView, by_source, views};
use svc_domain::id::{TvEpisodeId, TvSeasonId, TvShowId};
use svc_domain::time::Timestamp;
use svc_domain::video::{Episode, Season, Show, all_missing};

/// A show. Its counts are of what the caller sees.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "TvShow"))]
#[serde(rename_all = "camelCase")]
pub struct ShowView {
    #[salvo(schema(value_type = String))]
    tv_show_id: TvShowId,
    title: String,
    sort_title: String,
    year: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overview: Option<String>,
    genres: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_rating: Option<String>,
    /// Ids elsewhere by source, such as `tvdb`.
    external_ids: BTreeMap<String, String>,
    season_count: i64,
    episode_count: i64,
    /// Where its picture is, if there is one beside its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    artwork: Option<String>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
}

impl From<Show> for ShowView {
    fn from(show: Show) -> Self {
        Self {
            artwork: show
                .has_artwork
                .then(|| format!("/api/v1/tv/shows/{}/artwork", show.id)),
            created_at: show.id.created_at(),
            tv_show_id: show.id,
            title: show.title,
            sort_title: show.sort_title,
            year: show.year,
            overview: show.overview,
            genres: show.genres,
            content_rating: show.content_rating,
            external_ids: by_source(show.external_ids),
            season_count: show.season_count,
            episode_count: show.episode_count,
        }
    }
}

/// A season of a show.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "TvSeason"))]
#[serde(rename_all = "camelCase")]
pub struct SeasonView {
    #[salvo(schema(value_type = String))]
    tv_season_id: TvSeasonId,
    #[salvo(schema(value_type = String))]
    tv_show_id: TvShowId,
    /// 0 are the specials; null holds the episodes of no known season.
    season_number: Option<i32>,
    episode_count: i64,
    /// Where its picture is, if there is one beside its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    artwork: Option<String>,
}

impl From<Season> for SeasonView {
    fn from(season: Season) -> Self {
        Self {
            artwork: season
                .has_artwork
                .then(|| format!("/api/v1/tv/seasons/{}/artwork", season.id)),
            tv_season_id: season.id,
            tv_show_id: season.show,
            season_number: season.number,
            episode_count: season.episode_count,
        }
    }
}

/// An episode of a show.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "TvEpisode"))]
#[serde(rename_all = "camelCase")]
pub struct EpisodeView {
    #[salvo(schema(value_type = String))]
    tv_episode_id: TvEpisodeId,
    #[salvo(schema(value_type = String))]
    tv_show_id: TvShowId,
    show_title: String,
    #[salvo(schema(value_type = String))]
    tv_season_id: TvSeasonId,
    /// 0 are the specials.
    season_number: Option<i32>,
    episode_number: Option<i32>,
    /// The last number, when the file holds several.
    #[serde(skip_serializing_if = "Option::is_none")]
    episode_number_end: Option<i32>,
    /// Number since the show began.
    #[serde(skip_serializing_if = "Option::is_none")]
    absolute_number: Option<i32>,
    /// The day of the first showing: `2017-04-20`.
    #[serde(skip_serializing_if = "Option::is_none")]
    air_date: Option<String>,
    title: String,
    sort_title: String,
    /// Seconds.
    runtime: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overview: Option<String>,
    people: Vec<PersonView>,
    /// Ids elsewhere by source, such as `tvdb`.
    external_ids: BTreeMap<String, String>,
    /// Its files, the best first.
    sources: Vec<VideoSourceView>,
    /// How the name of its best file was understood.
    parse: Option<ParseView>,
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

impl From<Episode> for EpisodeView {
    fn from(episode: Episode) -> Self {
        let has_artwork = episode.sources.iter().any(|source| source.has_artwork);
        Self {
            created_at: episode.created_at(),
            progress: episode.user_data.playback.progress().map(ProgressView::from),
            runtime: episode.runtime_ms().map(seconds),
            missing: all_missing(&episode.sources),
            parse: episode.name_match().map(ParseView::from),
            artwork: has_artwork.then(|| format!("/api/v1/tv/episodes/{}/artwork", episode.id)),
            tv_episode_id: episode.id,
            tv_show_id: episode.show,
            show_title: episode.show_title,
            tv_season_id: episode.season,
            season_number: episode.season_number,
            episode_number: episode.number,
            episode_number_end: episode.number_end,
            absolute_number: episode.absolute,
            air_date: episode.air_date,
            title: episode.title,
            sort_title: episode.sort_title,
            overview: episode.overview,
            people: views(episode.people),
            external_ids: by_source(episode.external_ids),
            sources: views(episode.sources),
        }
    }
}
