//! Shows, seasons and episodes, their bytes and their pictures.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::answer::{Answer, ListView, Part};
use crate::extract::{Caller, PathId, State};
use crate::item_query::ItemQuery;
use crate::media_answer::MediaAnswer;
use crate::pagination;
use crate::problem::Problem;
use crate::query::{FromQuery, Query, QueryReader};
use crate::routes::video::{SourceQuery, VideoArtworkQuery, artwork, year};
use crate::views::tv::{EpisodeView, SeasonView, ShowView};
use svc_domain::id::{TvEpisodeId, TvSeasonId, TvShowId};
use svc_domain::list::{ListRequest, Order, OrderedPage};
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
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let filter = ShowFilter {
            genre: reader.text("genre", "Of this genre, by name."),
            year_from: year(reader, "yearFrom", "Of this year or later."),
            year_to: year(reader, "yearTo", "Of this year or earlier."),
            items: ItemFilter::default(),
        };
        Self {
            filter,
            items: ItemQuery::read(reader).with_watched(reader).with_random(reader),
            request: pagination::list(reader, SHOW_ORDERS, ShowOrder::Title),
        }
    }
}

/// A part of the seasons of a show.
#[derive(Debug)]
pub struct SeasonsQuery(OrderedPage);

impl FromQuery for SeasonsQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        Self(pagination::whole(reader, "seasonNumber"))
    }
}

/// A part of the episodes of a show.
#[derive(Debug)]
pub struct ShowEpisodesQuery(ItemQuery, OrderedPage);

impl FromQuery for ShowEpisodesQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let items = ItemQuery::read(reader).with_watched(reader);
        Self(
            items,
            pagination::ordered(reader, "episodeNumber", Order::Ascending),
        )
    }
}

/// A part of the episodes of a season.
#[derive(Debug)]
pub struct SeasonEpisodesQuery(ItemQuery, OrderedPage);

impl FromQuery for SeasonEpisodesQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let items = ItemQuery::read(reader).with_watched(reader);
        Self(items, pagination::whole(reader, "episodeNumber"))
    }
}

/// Shows
#[endpoint]
pub async fn list_shows(
    state: State,
    caller: Caller,
    query: Query<ShowQuery>,
) -> Result<Part<ShowView>, Problem> {
    let ShowQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let shows = state.tv.list_shows(&caller, &filter, &request).await?;
    Ok(Part(ListView::new(shows, ShowView::from)))
}

/// A show
#[endpoint]
pub async fn show_show(
    state: State,
    caller: Caller,
    tv_show_id: PathId<TvShowId>,
) -> Result<Answer<ShowView>, Problem> {
    Ok(Answer(state.tv.show(&caller, tv_show_id.0).await?.into()))
}

/// The seasons of a show, by number
#[endpoint]
pub async fn list_seasons(
    state: State,
    caller: Caller,
    query: Query<SeasonsQuery>,
    tv_show_id: PathId<TvShowId>,
) -> Result<Part<SeasonView>, Problem> {
    let seasons = state.tv.seasons(&caller, tv_show_id.0, query.0.0).await?;
    Ok(Part(ListView::new(seasons, SeasonView::from)))
}

/// The episodes of a show, by season and number
#[endpoint]
pub async fn list_show_episodes(
    state: State,
    caller: Caller,
    query: Query<ShowEpisodesQuery>,
    tv_show_id: PathId<TvShowId>,
) -> Result<Part<EpisodeView>, Problem> {
    let ShowEpisodesQuery(items, part) = query.0;
    let items = items.of(caller.user.id);
    let episodes = state
        .tv
        .show_episodes(&caller, tv_show_id.0, &items, part)
        .await?;
    Ok(Part(ListView::new(episodes, EpisodeView::from)))
}

/// A picture of a show
#[endpoint]
pub async fn show_show_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    tv_show_id: PathId<TvShowId>,
) -> Result<MediaAnswer, Problem> {
    artwork(&state, &caller, VideoSubject::Show(tv_show_id.0), query.0).await
}

/// A season
#[endpoint]
pub async fn show_season(
    state: State,
    caller: Caller,
    tv_season_id: PathId<TvSeasonId>,
) -> Result<Answer<SeasonView>, Problem> {
    Ok(Answer(state.tv.season(&caller, tv_season_id.0).await?.into()))
}

/// The episodes of a season, by number
#[endpoint]
pub async fn list_season_episodes(
    state: State,
    caller: Caller,
    query: Query<SeasonEpisodesQuery>,
    tv_season_id: PathId<TvSeasonId>,
) -> Result<Part<EpisodeView>, Problem> {
    let SeasonEpisodesQuery(items, part) = query.0;
    let items = items.of(caller.user.id);
    let episodes = state
        .tv
        .season_episodes(&caller, tv_season_id.0, &items, part)
        .await?;
    Ok(Part(ListView::new(episodes, EpisodeView::from)))
}

/// A picture of a season
#[endpoint]
pub async fn show_season_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    tv_season_id: PathId<TvSeasonId>,
) -> Result<MediaAnswer, Problem> {
    artwork(&state, &caller, VideoSubject::Season(tv_season_id.0), query.0).await
}

/// An episode
#[endpoint]
pub async fn show_episode(
    state: State,
    caller: Caller,
    tv_episode_id: PathId<TvEpisodeId>,
) -> Result<Answer<EpisodeView>, Problem> {
    Ok(Answer(state.tv.episode(&caller, tv_episode_id.0).await?.into()))
}

/// A picture beside an episode's files
#[endpoint]
pub async fn show_episode_artwork(
    state: State,
    caller: Caller,
    query: Query<VideoArtworkQuery>,
    tv_episode_id: PathId<TvEpisodeId>,
) -> Result<MediaAnswer, Problem> {
    artwork(&state, &caller, VideoSubject::Episode(tv_episode_id.0), query.0).await
}

/// The bytes of an episode's file
#[endpoint]
pub async fn stream_episode(
    state: State,
    caller: Caller,
    query: Query<SourceQuery>,
    tv_episode_id: PathId<TvEpisodeId>,
) -> Result<MediaAnswer, Problem> {
    let media = state
        .video
        .open_episode(&caller, tv_episode_id.0, query.0.source)
        .await?;
    let stream = state
        .open_streams
        .play(&caller, Capability::TvEpisodesPlay, media.id)?;
    Ok(MediaAnswer::video(media).as_stream(stream))
}
