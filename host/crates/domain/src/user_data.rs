//! Data of a user about an item: playback position, play count and rating.
//!
//! Clients report the playback position; the server cannot observe it. Between two reports the listened time grows by
//! the elapsed time or by the change of position, whichever is less. So seeking to the end does not count as playing,
//! and neither does a client that does not report its stop.

use crate::change::ItemType;
use crate::kind::MediaKind;
use crate::named_enum::named_enum;
use crate::time::Timestamp;

/// The type of an item and the number of its id.
pub type ItemKey = (ItemType, i64);

/// Listening for this long counts as a play, or for half of the length if that is less.
const LONG_PLAY_MS: i64 = 4 * 60 * 1000;
/// A playback starts over when the position goes back to within this time from the start, or to a quarter of the
/// length if that is less.
const START_MS: i64 = 30 * 1000;
/// Playback is resumable from this position, or from a twentieth of the length if that is less.
const BEGUN_MS: i64 = 60 * 1000;
/// Items with at least this rating are favorites: four of five stars.
pub const FAVORITE: f64 = 0.8;

named_enum! {
    /// The state of a player.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum PlayState: i16 {
        /// Plays.
        Playing = 0 => "playing",
        /// Paused.
        Paused = 1 => "paused",
        /// Stopped before the end.
        #[default]
        Stopped = 2 => "stopped",
        /// Played to the end, or marked as watched by the user.
        Completed = 3 => "completed",
    }
}

/// A client's report about the playback of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayReport {
    /// When the client observed it.
    pub at: Timestamp,
    /// Position in milliseconds.
    pub position_ms: i64,
    /// State of the player.
    pub state: PlayState,
}

/// The playback of an item by a user, up to the last report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Playback {
    /// Time of the last report; `None` if the item was never played.
    pub played_at: Option<Timestamp>,
    /// State in the last report.
    pub state: PlayState,
    /// Position in the last report, in milliseconds.
    pub position_ms: i64,
    /// Listened time of the current playback, in milliseconds.
    pub listened_ms: i64,
    /// Whether the current playback was counted as a play.
    pub counted: bool,
    /// Whether the current playback reached the last tenth or was completed.
    pub finished: bool,
    /// Whether a client should offer to resume.
    pub resumable: bool,
    /// Whether any playback was finished.
    pub watched: bool,
    /// Number of plays.
    pub play_count: i64,
}

/// The progress that is part of an item's representation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Position to resume from, in milliseconds; 0 if finished.
    pub position_ms: i64,
    /// Whether any playback was finished.
    pub watched: bool,
    /// Number of plays.
    pub play_count: i64,
}

impl Playback {
    /// Applies a report. Returns false and changes nothing if the report is older than the last one.
    pub fn report(&mut self, report: &PlayReport, length_ms: Option<i64>) -> bool {
        let length = length_ms.filter(|length| *length > 0);
        let position = report.position_ms.clamp(0, length.unwrap_or(i64::MAX));
        let elapsed = self.played_at.map(|before| report.at.millis() - before.millis());
        if elapsed.is_some_and(|elapsed| elapsed < 0) {
            return false;
        }
        if self.is_restart(position, report.state, length) {
            self.listened_ms = 0;
            self.counted = false;
        } else if self.state == PlayState::Playing {
            let way = position - self.position_ms;
            self.listened_ms += way.clamp(0, elapsed.unwrap_or(0));
        }
        let enough = length.map_or(LONG_PLAY_MS, |length| LONG_PLAY_MS.min((length / 2).max(1)));
        if !self.counted && self.listened_ms >= enough {
            self.counted = true;
            self.play_count += 1;
        }
        // Nine tenths of the length, computed without overflow.
        let near_the_end = length.is_some_and(|length| position >= length - length / 10);
        let begun = length.map_or(BEGUN_MS, |length| BEGUN_MS.min(length / 20));
        self.finished = report.state == PlayState::Completed || near_the_end;
        self.watched |= self.finished;
        self.resumable = !self.finished && position > 0 && position >= begun;
        self.played_at = Some(report.at);
        self.state = report.state;
        self.position_ms = position;
        true
    }

    fn is_restart(&self, position: i64, state: PlayState, length: Option<i64>) -> bool {
        let start = length.map_or(START_MS, |length| START_MS.min(length / 4));
        let went_back = position < self.position_ms && position <= start && state != PlayState::Completed;
        let after_the_end = self.state == PlayState::Completed && state == PlayState::Playing;
        self.played_at.is_none() || went_back || after_the_end
    }

    /// `None` if the item was never played.
    pub fn progress(&self) -> Option<Progress> {
        self.played_at.map(|_| Progress {
            position_ms: if self.finished { 0 } else { self.position_ms },
            watched: self.watched,
            play_count: self.play_count,
        })
    }
}

/// All data of a user about an item.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UserData {
    /// Position and play count.
    pub playback: Playback,
    /// From 0 to 1.
    pub rating: Option<f64>,
    /// When it was rated.
    pub rated_at: Option<Timestamp>,
}

/// An item with the data of a user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UserItem {
    /// The item.
    pub key: ItemKey,
    /// Data of the user.
    pub data: UserData,
}

/// A summary of an item, for lists with items of several types.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemSummary {
    /// Title, name of an artist, or file name of a photo.
    pub title: String,
    /// Playing time in milliseconds.
    pub duration_ms: Option<i64>,
    /// Artists of a track, in the order of the file.
    pub artists: Vec<String>,
    /// Release of a track or show of an episode: id and title.
    pub parent: Option<(i64, String)>,
    /// Season of an episode; 0 for specials.
    pub season: Option<i32>,
    /// Number of an episode within its season.
    pub episode: Option<i32>,
    /// Kind of an item of a plugin.
    pub kind: Option<MediaKind>,
    /// Pages of an item of a plugin.
    pub page_count: Option<i64>,
    /// The last scan found none of its files.
    pub missing: bool,
}

/// Positions in an item with pages count pages as seconds.
const PAGE_MS: i64 = 1000;

impl ItemSummary {
    /// The length with which positions are compared, in milliseconds.
    pub fn length_ms(&self) -> Option<i64> {
        let pages = self.page_count.map(|pages| pages.saturating_mul(PAGE_MS));
        self.duration_ms.or(pages)
    }
}

#[cfg(test)]
#[path = "user_data_tests.rs"]
mod tests;
