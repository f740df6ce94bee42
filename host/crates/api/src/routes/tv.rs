//! Shows, seasons and episodes, their bytes and their pictures.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, PathId, State};
use crate::item_query::ItemQuery;
use crate::media_response::MediaResponse;
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, LinkedPage, Page};
use crate::routes::video::{SourceQuery, VideoArtworkQuery, artwork, year};
use crate::views::tv::{EpisodeView, SeasonView, ShowView};
use svc_domain::id::{TvEpisodeId, TvSeasonId, TvShowId};
use svc_domain::list::{ListRequest, Order, OrderedPagination};
use svc_domain::video::VideoSubject;
use svc_identity::capability::Capability;
use svc_library::tv::{ItemFilter, ShowFilter, ShowOrder};

const SHOW_ORDERS: &[(&str, ShowOrder, Order)] = &[
    ("title", ShowOrder::Title, Order::Ascending),
    ("createdAt", ShowOrder::CreatedAt, Order::Descending),
    ("year", ShowOrder::Year, Order::Ascending),
];

/// Which shows, in which order.
#[derive(Debug)]
pub struct ShowQuery {
    filter: ShowFilter,
    items: ItemQuery,
    request: ListRequest<ShowOrder>,
}

impl FromQuery for ShowQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let filter = ShowFilter {
            genre: params.text("genre", "Of this genre, by name."),
            year_from: year(params, "yearFrom", "Of this year or later."),
            year_to: year(params, "yearTo", "Of this year or earlier."),
            items: ItemFilter::default(),
        };
        Self {
            filter,
            items: ItemQuery::read(params).with_watched(params).with_random(params),
            request: pagination::list(params, SHOW_ORDERS, ShowOrder::Title),
        }
    }
}

/// A part of the seasons of a show.
#[derive(Debug)]
pub struct SeasonsQuery(OrderedPagination);

impl FromQuery for SeasonsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(pagination::whole(params, "seasonNumber"))
    }
}

/// A part of the episodes of a show.
#[derive(Debug)]
pub struct ShowEpisodesQuery(ItemQuery, OrderedPagination);

impl FromQuery for ShowEpisodesQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let items = ItemQuery::read(params).with_watched(params);
        Self(
            items,
            pagination::ordered(params, "episodeNumber", Order::Ascending),
        )
    }
}

/// A part of the episodes of a season.
#[derive(Debug)]
pub struct SeasonEpisodesQuery(ItemQuery, OrderedPagination);

impl FromQuery for SeasonEpisodesQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let items = ItemQuery::read(params).with_watched(params);
        Self(items, pagination::whole(params, "episodeNumber"))
    }
}

/// Shows
#[endpoint]
pub async fn list_shows(
    state: State,
    caller: Caller,
    query: Query<ShowQuery>,
) -> Result<LinkedPage<ShowView>, ApiError> {
    let ShowQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let shows = state.tv.list_shows(&caller, &filter, &request).await?;
    Ok(LinkedPage(Page::new(shows, ShowView::from)))
}

/// A show
#[endpoint]
pub async fn get_show(
    state: State,
    caller: Caller,
    tv_show_id: PathId<TvShowId>,
) -> Result<Json<ShowView>, ApiError> {
    Ok(Json(state.tv.show(&caller, tv_show_id.0).await?.into()))
}

/// The seasons of a show, by number
#[endpoint]
pub async fn list_seasons(
    state: State,
    caller: Caller,
    query: Query<SeasonsQuery>,
    tv_show_id: PathId<TvShowId>,
) -> Result<LinkedPage<SeasonView>, ApiError> {
    let seasons = state.tv.seasons(&caller, tv_show_id.0, query.0.0).await?;
    Ok(LinkedPage(Page::new(seasons, SeasonView::from)))
}

/// The episodes of a show, by season and number
#[endpoint]
pub async fn list_show_episodes(
    state: State,
    caller: Caller,
    query: Query<ShowEpisodesQuery>,
    tv_show_id: PathId<TvShowId>,
) -> Result<LinkedPage<EpisodeView>, ApiError> {
    let ShowEpisodesQuery(items, part) = query.0;
    let items = items.of(caller.user.id);
    let episodes = state
        .tv
        .show_episodes(&caller, tv_show_id.0, &items, part)
        .await?;
    Ok(LinkedPage(Page::new(episodes, EpisodeView::from)))
}

/// A picture of a show
#[endpoint]
pub async fn get_show_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    tv_show_id: PathId<TvShowId>,
) -> Result<MediaResponse, ApiError> {
    artwork(&state, &caller, VideoSubject::Show(tv_show_id.0), query.0).await
}

/// A season
#[endpoint]
pub async fn get_season(
    state: State,
    caller: Caller,
    tv_season_id: PathId<TvSeasonId>,
) -> Result<Json<SeasonView>, ApiError> {
    Ok(Json(state.tv.season(&caller, tv_season_id.0).await?.into()))
}

/// The episodes of a season, by number
#[endpoint]
pub async fn list_season_episodes(
    state: State,
    caller: Caller,
    query: Query<SeasonEpisodesQuery>,
    tv_season_id: PathId<TvSeasonId>,
) -> Result<LinkedPage<EpisodeView>, ApiError> {
    let SeasonEpisodesQuery(items, part) = query.0;
    let items = items.of(caller.user.id);
    let episodes = state
        .tv
        .season_episodes(&caller, tv_season_id.0, &items, part)
        .await?;
    Ok(LinkedPage(Page::new(episodes, EpisodeView::from)))
}

/// A picture of a season
#[endpoint]
pub async fn get_season_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    tv_season_id: PathId<TvSeasonId>,
) -> Result<MediaResponse, ApiError> {
    artwork(&state, &caller, VideoSubject::Season(tv_season_id.0), query.0).await
}

/// An episode
#[endpoint]
pub async fn get_episode(
    state: State,
    caller: Caller,
    tv_episode_id: PathId<TvEpisodeId>,
) -> Result<Json<EpisodeView>, ApiError> {
    Ok(Json(state.tv.episode(&caller, tv_episode_id.0).await?.into()))
}

/// A picture beside an episode's files
#[endpoint]
pub async fn get_episode_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    tv_episode_id: PathId<TvEpisodeId>,
) -> Result<MediaResponse, ApiError> {
    artwork(&state, &caller, VideoSubject::Episode(tv_episode_id.0), query.0).await
}

/// The bytes of an episode's file
#[endpoint]
pub async fn stream_episode(
    state: State,
    caller: Caller,
    query: Query<SourceQuery>,
    tv_episode_id: PathId<TvEpisodeId>,
) -> Result<MediaResponse, ApiError> {
    let media = state
        .video
        .open_episode(&caller, tv_episode_id.0, query.0.source)
        .await?;
    let stream = state
        .open_streams
        .play(&caller, Capability::TvEpisodesPlay, media.id)?;
    Ok(MediaResponse::video(media).as_stream(stream))
}
