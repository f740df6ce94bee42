//! What the caller played, and how far.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::extract::{Body, Caller, Input, PathId, State, not_null};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams, parse_moment};
use crate::response::{Json, Page};
use crate::views::items::HistoryView;
use svc_domain::change::ItemType;
use svc_domain::id::MediaId;
use svc_domain::list::{Order, OrderedPagination};
use svc_identity::error::ServiceError;
use svc_library::history::NewReport;

const PLAYED: &[(&str, ItemType)] = &[
    ("music_track", ItemType::MusicTrack),
    ("movie", ItemType::Movie),
    ("tv_episode", ItemType::TvEpisode),
];

/// A type of item in the path.
#[derive(Debug, Clone, Copy)]
pub struct ItemTypeName(pub ItemType);

impl std::str::FromStr for ItemTypeName {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        ItemType::from_name(name).map(Self).ok_or(())
    }
}

/// What a client says of its playing.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportPlaybackInput {
    /// `music_track`, `movie` or `tv_episode`.
    media_type: String,
    /// The item.
    media_id: String,
    /// Where in the item the player is.
    seconds: f64,
    /// `playing`, `paused`, `stopped`, or `completed`: played to the end, or marked as watched.
    state: String,
    /// When it was so, for what is told later than it happened: a date with time and offset. Now if left out, or if it
    /// lies in the future.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    at: Option<String>,
    /// The place in a queue of the caller's that is played: its cursor goes along.
    playback_queue_item_id: Option<String>,
}

impl Input for ReportPlaybackInput {}

/// Which part of the history.
#[derive(Debug)]
pub struct HistoryQuery {
    only: Option<ItemType>,
    part: OrderedPagination,
}

impl FromQuery for HistoryQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            only: params.choice("mediaType", "Of this type alone.", PLAYED),
            part: pagination::ordered(params, "playedAt", Order::Descending),
        }
    }
}

/// Says where a player is
///
/// To be sent when a player starts, is held, goes on, is moved, stops and comes to the end, and about every ten seconds
/// while it plays. Between two reports the item counts as listened to for at most the time between them, and at most
/// the way between their positions; after half of its length or four minutes of that it counts as played, once until it
/// is begun again from its start. Beyond nine tenths of the length, or with `completed`, it counts as watched.
///
/// With several players the last report holds. One whose `at` lies before that of the last report changes nothing, and is
/// answered with what is known.
#[endpoint(responses((status_code = 404, description = "There is nothing of what the body names")))]
pub async fn report_playback(
    state: State,
    caller: Caller,
    body: Body<ReportPlaybackInput>,
) -> Result<Json<HistoryView>, ApiError> {
    let input = body.0;
    let at = match input.at.as_deref().map(parse_moment) {
        Some(None) => {
            let message = "must be a date with time (2026-11-21T10:30:00Z)";
            return Err(ServiceError::invalid("at", message).into());
        }
        given => given.flatten(),
    };
    let new = NewReport {
        media_type: input.media_type,
        media_id: input.media_id,
        seconds: input.seconds,
        state: input.state,
        at,
        queue_item: input.playback_queue_item_id,
    };
    Ok(Json(state.history.report(&caller, new).await?.into()))
}

/// What the caller played, the last first
#[endpoint]
pub async fn list_history(
    state: State,
    caller: Caller,
    query: Query<HistoryQuery>,
) -> Result<Json<Page<HistoryView>>, ApiError> {
    let HistoryQuery { only, part } = query.0;
    let history = state.history.list(&caller, only, part).await?;
    Ok(Json(Page::new(history, HistoryView::from)))
}

/// Forgets that an item was played
///
/// It is unwatched again, its plays are gone, and it begins at its start. `false` if it was never played.
#[endpoint]
pub async fn delete_history_entry(
    state: State,
    caller: Caller,
    media_type: PathId<ItemTypeName>,
    media_id: PathId<MediaId>,
) -> Result<Json<bool>, ApiError> {
    let item = media_type.0.0;
    Ok(Json(state.history.forget(&caller, item, media_id.0).await?))
}
