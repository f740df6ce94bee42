//! Playback history of the caller.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input, non_null};
use crate::date_time::DateTime;
use crate::extract::{Caller, PathId, State};
use crate::list_query;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, Page};
use crate::views::items::HistoryView;
use svc_domain::change::ItemType;
use svc_domain::id::MediaId;
use svc_domain::list::{Order, OrderedPagination};
use svc_library::history::PlaybackReport;

const PLAYED: &[(&str, ItemType)] = &[
    ("music_track", ItemType::MusicTrack),
    ("movie", ItemType::Movie),
    ("tv_episode", ItemType::TvEpisode),
    ("item", ItemType::Item),
];

/// A path parameter with the type of an item.
#[derive(Debug, Clone, Copy)]
pub struct ItemTypeName(pub ItemType);

impl std::str::FromStr for ItemTypeName {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        ItemType::from_name(name).map(Self).ok_or(())
    }
}

/// A report of playback progress.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportPlaybackInput {
    /// `music_track`, `movie`, `tv_episode` or `item`.
    media_type: String,
    /// Id of the item.
    media_id: String,
    /// Position of the player, in seconds: over all files of the item. For an item with pages, the number of the page.
    seconds: f64,
    /// `playing`, `paused`, `stopped`, or `completed`: played to the end or marked as watched.
    state: String,
    /// Time of the report, for reports that are sent later: a date with time and offset. Default: the current time, also
    /// in place of a future time.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    at: Option<DateTime>,
    /// Id of the played item in a playback queue of the caller, whose cursor is set to the reported position.
    playback_queue_item_id: Option<String>,
}

impl Input for ReportPlaybackInput {}

/// The query of `GET /history`.
#[derive(Debug)]
pub struct HistoryQuery {
    only: Option<ItemType>,
    page: OrderedPagination,
}

impl FromQuery for HistoryQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            only: params.choice("mediaType", "Only items of this type.", PLAYED),
            page: list_query::page_in_order_of(params, "playedAt", Order::Descending),
        }
    }
}

impl From<ReportPlaybackInput> for PlaybackReport {
    fn from(input: ReportPlaybackInput) -> Self {
        Self {
            media_type: input.media_type,
            media_id: input.media_id,
            seconds: input.seconds,
            state: input.state,
            at: input.at.map(|DateTime(at)| at),
            queue_item: input.playback_queue_item_id,
        }
    }
}

/// Report playback progress
///
/// A player sends a report when it starts, pauses, resumes, seeks, stops and ends, and about every ten seconds while it
/// plays. The playing time between two reports is the time between them, but at most the difference of their positions. An
/// item counts as played when its playing time reaches half of its length or four minutes; it counts again after it was
/// restarted from the beginning. An item counts as watched at a position beyond nine tenths of its length, or with
/// `completed`.
///
/// If several players report the same item, the last report wins. A report whose `at` is earlier than that of the last
/// report has no effect; the response is the current state.
#[endpoint(responses((status_code = 404, description = "A resource named in the body does not exist")))]
pub async fn report_playback(
    state: State,
    caller: Caller,
    body: Body<ReportPlaybackInput>,
) -> Result<Json<HistoryView>, ApiError> {
    let entry = state.history.report(&caller, body.0.into()).await?;
    Ok(Json(entry.into()))
}

/// List the items that the caller played, last played first
#[endpoint]
pub async fn list_history(
    state: State,
    caller: Caller,
    query: Query<HistoryQuery>,
) -> Result<Json<Page<HistoryView>>, ApiError> {
    let HistoryQuery { only, page } = query.0;
    Ok(state.history.list(&caller, only, page).await?.into())
}

/// Delete an item from the history
///
/// Resets its position, its play count and its watched state. Returns `false` if the caller never played the item.
#[endpoint]
pub async fn delete_history_entry(
    state: State,
    caller: Caller,
    media_type: PathId<ItemTypeName>,
    media_id: PathId<MediaId>,
) -> Result<Json<bool>, ApiError> {
    let item = media_type.0.0;
    Ok(Json(
        state.history.delete_for_user(&caller, item, media_id.0).await?,
    ))
}
