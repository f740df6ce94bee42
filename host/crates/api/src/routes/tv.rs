//! TV shows, seasons and episodes, their files and artwork.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, PathId, State};
use crate::list_query::{self, ItemQuery, ListFilter, ListOrder, ListQuery, OrderChoices};
use crate::media_response::MediaResponse;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, LinkedPage};
use crate::routes::video::{SourceQuery, VideoArtworkQuery, artwork};
use crate::views::tv::{EpisodeView, SeasonView, ShowView};
use svc_domain::id::{TvEpisodeId, TvSeasonId, TvShowId};
use svc_domain::list::{Order, OrderedPagination};
use svc_domain::video::VideoSubject;
use svc_identity::capability::Capability;
use svc_library::tv::{ItemFilter, ShowFilter, ShowOrder};

impl ListOrder for ShowOrder {
    const CHOICES: OrderChoices<Self> = OrderChoices {
        default: ("title", Self::Title, Order::Ascending),
        others: &[
            ("createdAt", Self::CreatedAt, Order::Descending),
            ("year", Self::Year, Order::Ascending),
        ],
    };
}

impl ListFilter for ShowFilter {
    type Order = ShowOrder;

    const HAS_WATCHED: bool = true;

    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            genre: params.text("genre", "Only shows of this genre, by name."),
            year_from: params.year("yearFrom", "Only shows of this year or later."),
            year_to: params.year("yearTo", "Only shows of this year or earlier."),
            items: ItemFilter::default(),
        }
    }

    fn item_filter(&mut self) -> &mut ItemFilter {
        &mut self.items
    }
}

/// The query of `GET /tv/shows/{tvShowId}/seasons`.
#[derive(Debug)]
pub struct SeasonsQuery(OrderedPagination);

impl FromQuery for SeasonsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(list_query::short_list_in_order_of(params, "seasonNumber"))
    }
}

/// The query of `GET /tv/shows/{tvShowId}/episodes`.
#[derive(Debug)]
pub struct ShowEpisodesQuery(ItemQuery, OrderedPagination);

impl FromQuery for ShowEpisodesQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let items = ItemQuery::read(params).with_watched(params);
        let page = list_query::page_in_order_of(params, "episodeNumber", Order::Ascending);
        Self(items, page)
    }
}

/// The query of `GET /tv/seasons/{tvSeasonId}/episodes`.
#[derive(Debug)]
pub struct SeasonEpisodesQuery(ItemQuery, OrderedPagination);

impl FromQuery for SeasonEpisodesQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let items = ItemQuery::read(params).with_watched(params);
        Self(items, list_query::short_list_in_order_of(params, "episodeNumber"))
    }
}

/// List TV shows
#[endpoint]
pub async fn list_shows(
    state: State,
    caller: Caller,
    query: Query<ListQuery<ShowFilter>>,
) -> Result<LinkedPage<ShowView>, ApiError> {
    let (filter, request) = query.0.for_user(caller.user.id);
    Ok(state.tv.list_shows(&caller, &filter, &request).await?.into())
}

/// Get a TV show
#[endpoint]
pub async fn get_show(
    state: State,
    caller: Caller,
    tv_show_id: PathId<TvShowId>,
) -> Result<Json<ShowView>, ApiError> {
    Ok(Json(state.tv.show(&caller, tv_show_id.0).await?.into()))
}

/// List the seasons of a TV show
///
/// Ordered by season number.
#[endpoint]
pub async fn list_seasons(
    state: State,
    caller: Caller,
    query: Query<SeasonsQuery>,
    tv_show_id: PathId<TvShowId>,
) -> Result<LinkedPage<SeasonView>, ApiError> {
    let seasons = state.tv.seasons(&caller, tv_show_id.0, query.0.0).await?;
    Ok(seasons.into())
}

/// List the episodes of a TV show
///
/// Ordered by season and episode number.
#[endpoint]
pub async fn list_show_episodes(
    state: State,
    caller: Caller,
    query: Query<ShowEpisodesQuery>,
    tv_show_id: PathId<TvShowId>,
) -> Result<LinkedPage<EpisodeView>, ApiError> {
    let ShowEpisodesQuery(items, page) = query.0;
    let (show, items) = (tv_show_id.0, items.for_user(caller.user.id));
    let episodes = state.tv.show_episodes(&caller, show, &items, page).await?;
    Ok(episodes.into())
}

/// Get the artwork of a TV show
#[endpoint]
pub async fn get_show_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    tv_show_id: PathId<TvShowId>,
) -> Result<MediaResponse, ApiError> {
    artwork(&state, &caller, VideoSubject::Show(tv_show_id.0), query.0).await
}

/// Get a season
#[endpoint]
pub async fn get_season(
    state: State,
    caller: Caller,
    tv_season_id: PathId<TvSeasonId>,
) -> Result<Json<SeasonView>, ApiError> {
    Ok(Json(state.tv.season(&caller, tv_season_id.0).await?.into()))
}

/// List the episodes of a season
///
/// Ordered by episode number.
#[endpoint]
pub async fn list_season_episodes(
    state: State,
    caller: Caller,
    query: Query<SeasonEpisodesQuery>,
    tv_season_id: PathId<TvSeasonId>,
) -> Result<LinkedPage<EpisodeView>, ApiError> {
    let SeasonEpisodesQuery(items, page) = query.0;
    let (season, items) = (tv_season_id.0, items.for_user(caller.user.id));
    let episodes = state.tv.season_episodes(&caller, season, &items, page).await?;
    Ok(episodes.into())
}

/// Get the artwork of a season
#[endpoint]
pub async fn get_season_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    tv_season_id: PathId<TvSeasonId>,
) -> Result<MediaResponse, ApiError> {
    artwork(&state, &caller, VideoSubject::Season(tv_season_id.0), query.0).await
}

/// Get an episode
#[endpoint]
pub async fn get_episode(
    state: State,
    caller: Caller,
    tv_episode_id: PathId<TvEpisodeId>,
) -> Result<Json<EpisodeView>, ApiError> {
    Ok(Json(state.tv.episode(&caller, tv_episode_id.0).await?.into()))
}

/// Get the artwork of an episode
///
/// Artwork of the episode from an image file.
#[endpoint]
pub async fn get_episode_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    tv_episode_id: PathId<TvEpisodeId>,
) -> Result<MediaResponse, ApiError> {
    artwork(&state, &caller, VideoSubject::Episode(tv_episode_id.0), query.0).await
}

/// Stream a file of an episode
#[endpoint]
pub async fn stream_episode(
    state: State,
    caller: Caller,
    query: Query<SourceQuery>,
    tv_episode_id: PathId<TvEpisodeId>,
) -> Result<MediaResponse, ApiError> {
    let (id, source) = (tv_episode_id.0, query.0.source);
    let media = state.video.open_episode(&caller, id, source).await?;
    let streams = &state.open_streams;
    let stream = streams.play(&caller, Capability::TvEpisodesPlay, media.id)?;
    Ok(MediaResponse::video(media).as_stream(stream))
}
