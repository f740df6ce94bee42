//! TV shows, seasons and episodes.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::items::ProgressView;
use crate::views::seconds;
use crate::views::video::{ParseView, PersonView, VideoSourceView, by_source, views};
use svc_domain::id::{TvEpisodeId, TvSeasonId, TvShowId};
use svc_domain::time::Timestamp;
use svc_domain::video::{Episode, Season, Show, all_missing};

/// A TV show. Counts include only episodes that the caller has access to.
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
    /// Ids in other databases, by source such as `tvdb`.
    external_ids: BTreeMap<String, String>,
    season_count: i64,
    episode_count: i64,
    /// URL path of its artwork; absent if it has none.
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

/// A season of a TV show.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "TvSeason"))]
#[serde(rename_all = "camelCase")]
pub struct SeasonView {
    #[salvo(schema(value_type = String))]
    tv_season_id: TvSeasonId,
    #[salvo(schema(value_type = String))]
    tv_show_id: TvShowId,
    /// 0 for specials; `null` for episodes without a known season.
    season_number: Option<i32>,
    episode_count: i64,
    /// URL path of its artwork; absent if it has none.
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

/// An episode of a TV show.
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
    /// 0 for specials.
    season_number: Option<i32>,
    episode_number: Option<i32>,
    /// Number of the last episode, if the file contains several.
    #[serde(skip_serializing_if = "Option::is_none")]
    episode_number_end: Option<i32>,
    /// Number counted from the first episode of the show.
    #[serde(skip_serializing_if = "Option::is_none")]
    absolute_number: Option<i32>,
    /// Date of the first broadcast: `2017-04-20`.
    #[serde(skip_serializing_if = "Option::is_none")]
    air_date: Option<String>,
    title: String,
    sort_title: String,
    /// Runtime in seconds.
    runtime: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overview: Option<String>,
    people: Vec<PersonView>,
    /// Ids in other databases, by source such as `tvdb`.
    external_ids: BTreeMap<String, String>,
    /// The files of the episode, best first.
    sources: Vec<VideoSourceView>,
    /// How the name of the best file was parsed.
    parse: Option<ParseView>,
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
