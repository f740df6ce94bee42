//! Summaries of items of any type, with history, progress and ratings of the caller.

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::views::seconds;
use svc_domain::change::ItemType;
use svc_domain::id::{MediaId, MusicReleaseId, TvShowId};
use svc_domain::kind::MediaKind;
use svc_domain::time::Timestamp;
use svc_domain::user_data::{ItemKey, ItemSummary, Progress};
use svc_library::items::UserItemDetails;

/// The release of a track.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ItemRelease"))]
#[serde(rename_all = "camelCase")]
struct ItemReleaseView {
    #[salvo(schema(value_type = String))]
    music_release_id: MusicReleaseId,
    title: String,
}

/// The TV show of an episode.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ItemShow"))]
#[serde(rename_all = "camelCase")]
struct ItemShowView {
    #[salvo(schema(value_type = String))]
    tv_show_id: TvShowId,
    title: String,
    /// 0 for specials.
    season_number: Option<i32>,
    episode_number: Option<i32>,
}

/// A summary of an item.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ItemSummary"))]
#[serde(rename_all = "camelCase")]
pub struct ItemSummaryView {
    /// Title of the item, name of an artist, or file name of a photo.
    title: String,
    /// Duration in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
    /// Artists of a track.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artists: Vec<String>,
    /// Release of a track.
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<ItemReleaseView>,
    /// TV show of an episode.
    #[serde(skip_serializing_if = "Option::is_none")]
    show: Option<ItemShowView>,
    /// Kind of an item that a plugin defines.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    kind: Option<MediaKind>,
    /// Pages of an item that a plugin defines.
    #[serde(skip_serializing_if = "Option::is_none")]
    page_count: Option<i64>,
    /// All its files were missing in the last run of the indexer.
    missing: bool,
}

impl ItemSummaryView {
    pub(super) fn new((item, _): ItemKey, summary: ItemSummary) -> Self {
        let (mut release, mut show) = (None, None);
        if let Some((id, title)) = summary.parent {
            if item == ItemType::TvEpisode {
                show = Some(ItemShowView {
                    tv_show_id: id.into(),
                    title,
                    season_number: summary.season,
                    episode_number: summary.episode,
                });
            } else {
                release = Some(ItemReleaseView {
                    music_release_id: id.into(),
                    title,
                });
            }
        }
        Self {
            title: summary.title,
            duration: summary.duration_ms.map(seconds),
            artists: summary.artists,
            release,
            show,
            kind: summary.kind,
            page_count: summary.page_count,
            missing: summary.missing,
        }
    }
}

/// The playback progress of the caller in an item.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Progress"))]
#[serde(rename_all = "camelCase")]
pub struct ProgressView {
    /// Position to resume at, in seconds; 0 after the item was played to the end.
    seconds: f64,
    /// The caller played it beyond nine tenths of its length once, or reported it as completed.
    watched: bool,
    /// Number of times that the caller played it.
    play_count: i64,
}

impl From<Progress> for ProgressView {
    fn from(progress: Progress) -> Self {
        Self {
            seconds: seconds(progress.position_ms),
            watched: progress.watched,
            play_count: progress.play_count,
        }
    }
}

/// An item in the history of the caller.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "HistoryEntry"))]
#[serde(rename_all = "camelCase")]
pub struct HistoryView {
    media_type: &'static str,
    #[salvo(schema(value_type = String))]
    media_id: MediaId,
    /// Last reported position of the player, in seconds.
    seconds: f64,
    /// Last reported state: `playing`, `paused`, `stopped` or `completed`.
    state: &'static str,
    /// The caller played it beyond nine tenths of its length once, or reported it as completed.
    watched: bool,
    /// Number of times that the caller played it.
    play_count: i64,
    /// Time of the last report.
    #[salvo(schema(value_type = Option<String>))]
    played_at: Option<Timestamp>,
    item: ItemSummaryView,
}

impl From<UserItemDetails> for HistoryView {
    fn from(known: UserItemDetails) -> Self {
        let playback = known.data.playback;
        Self {
            media_type: known.key.0.as_str(),
            media_id: known.key.1.into(),
            seconds: seconds(playback.position_ms),
            state: playback.state.as_str(),
            watched: playback.watched,
            play_count: playback.play_count,
            played_at: playback.played_at,
            item: ItemSummaryView::new(known.key, known.summary),
        }
    }
}

/// A movie, an episode or an item of a plugin to play next.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "CinemaItem"))]
#[serde(rename_all = "camelCase")]
pub struct CinemaItemView {
    /// `movie`, `tv_episode` or `item`.
    media_type: &'static str,
    #[salvo(schema(value_type = String))]
    media_id: MediaId,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressView>,
    item: ItemSummaryView,
}

impl From<UserItemDetails> for CinemaItemView {
    fn from(known: UserItemDetails) -> Self {
        Self {
            media_type: known.key.0.as_str(),
            media_id: known.key.1.into(),
            progress: known.data.playback.progress().map(ProgressView::from),
            item: ItemSummaryView::new(known.key, known.summary),
        }
    }
}

/// The rating of an item by the caller.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Rating"))]
#[serde(rename_all = "camelCase")]
pub struct RatingView {
    media_type: &'static str,
    #[salvo(schema(value_type = String))]
    media_id: MediaId,
    /// 0 to 1.
    rating: Option<f64>,
    #[salvo(schema(value_type = Option<String>))]
    rated_at: Option<Timestamp>,
    item: ItemSummaryView,
}

impl From<UserItemDetails> for RatingView {
    fn from(known: UserItemDetails) -> Self {
        Self {
            media_type: known.key.0.as_str(),
            media_id: known.key.1.into(),
            rating: known.data.rating,
            rated_at: known.data.rated_at,
            item: ItemSummaryView::new(known.key, known.summary),
        }
    }
}
