//! What a user did with an item: how far they played it, how often, and what they think of it.
//!
//! Clients report where they are; nobody else knows. A report is believed as far as the clock allows: between two
//! reports at most the time between them was listened to, and at most the way that the position went. So going to the
//! end of a track plays nothing, and a client that forgets to say that it stopped plays nothing either.

use crate::change::ItemType;
use crate::time::Timestamp;

/// An item of any type: its type says which id the number is.
pub type ItemKey = (ItemType, i64);

/// Playing that long counts as a play, if half of the length is more than that.
const LONG_PLAY_MS: i64 = 4 * 60 * 1000;
/// A playing begins anew by going back to within so much of the start, or a quarter of what is shorter.
const START_MS: i64 = 30 * 1000;
/// From so far on there is something to go on with, or from a twentieth of what is shorter.
const BEGUN_MS: i64 = 60 * 1000;
/// From this rating on, an item is a favorite: four of five stars.
pub const FAVORITE: f64 = 0.8;

/// What a player is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(i16)]
pub enum PlayState {
    /// It plays.
    Playing = 0,
    /// It is held.
    Paused = 1,
    /// It was ended before the end.
    #[default]
    Stopped = 2,
    /// It came to the end, or the user says that they are done with it.
    Completed = 3,
}

impl PlayState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Playing, Self::Paused, Self::Stopped, Self::Completed];

    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Playing => "playing",
            Self::Paused => "paused",
            Self::Stopped => "stopped",
            Self::Completed => "completed",
        }
    }

    /// The state of exactly this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// The state with this number in the store.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|state| *state as i16 == number)
    }
}

/// What a client says of its playing an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayReport {
    /// When it was so.
    pub at: Timestamp,
    /// Where.
    pub position_ms: i64,
    /// What the player does.
    pub state: PlayState,
}

/// How a user played an item, up to the last report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Playback {
    /// The last report's moment; never played without one.
    pub played_at: Option<Timestamp>,
    /// The last report's state.
    pub state: PlayState,
    /// The last report's position.
    pub position_ms: i64,
    /// Time listened to in the playing under way.
    pub listened_ms: i64,
    /// The playing under way was counted as a play.
    pub counted: bool,
    /// The playing under way came to the end, near enough.
    pub finished: bool,
    /// There is something to go on with.
    pub resumable: bool,
    /// Some playing came to the end.
    pub watched: bool,
    /// How often it was played.
    pub play_count: i64,
}

/// What is shown of it with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Where to go on; 0 after the end.
    pub position_ms: i64,
    /// Whether it was ever played to the end.
    pub watched: bool,
    /// How often it was played.
    pub play_count: i64,
}

impl Playback {
    /// Takes a report in. False for one that is older than the last, which changes nothing.
    pub fn report(&mut self, report: &PlayReport, length_ms: Option<i64>) -> bool {
        let length = length_ms.filter(|length| *length > 0);
        let position = report.position_ms.clamp(0, length.unwrap_or(i64::MAX));
        let elapsed = self.played_at.map(|before| report.at.millis() - before.millis());
        if elapsed.is_some_and(|elapsed| elapsed < 0) {
            return false;
        }
        if self.begins_anew(position, report.state, length) {
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
        // Nine tenths, without leaving the range of numbers.
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

    fn begins_anew(&self, position: i64, state: PlayState, length: Option<i64>) -> bool {
        let start = length.map_or(START_MS, |length| START_MS.min(length / 4));
        let went_back = position < self.position_ms && position <= start && state != PlayState::Completed;
        let after_the_end = self.state == PlayState::Completed && state == PlayState::Playing;
        self.played_at.is_none() || went_back || after_the_end
    }

    /// What is shown with the item, once it was played.
    pub fn progress(&self) -> Option<Progress> {
        self.played_at.map(|_| Progress {
            position_ms: if self.finished { 0 } else { self.position_ms },
            watched: self.watched,
            play_count: self.play_count,
        })
    }
}

/// All that a user did with an item.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UserData {
    /// How it was played.
    pub playback: Playback,
    /// From 0 to 1.
    pub rating: Option<f64>,
    /// When it was rated.
    pub rated_at: Option<Timestamp>,
}

/// An item with what a user did with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UserItem {
    /// The item.
    pub key: ItemKey,
    /// What they did.
    pub data: UserData,
}

/// An item of any type in few words, for lists that hold many types.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemSummary {
    /// Title, or the name of an artist or a photo's file.
    pub title: String,
    /// Playing time in milliseconds.
    pub duration_ms: Option<i64>,
    /// The names of a track's artists in order.
    pub artists: Vec<String>,
    /// A track's release, or an episode's show.
    pub parent: Option<(i64, String)>,
    /// An episode's season; 0 are the specials.
    pub season: Option<i32>,
    /// An episode's number in it.
    pub episode: Option<i32>,
    /// None of its files was there in the last run.
    pub missing: bool,
}

#[cfg(test)]
mod tests {
    use svc_covers::covers;

    use super::*;

    const MINUTE: i64 = 60;

    /// What becomes of reports of (second, position in seconds, state) for an item of so many seconds.
    fn played(length: Option<i64>, reports: &[(i64, i64, PlayState)]) -> Playback {
        let mut playback = Playback::default();
        for &(at, position, state) in reports {
            let report = PlayReport {
                at: Timestamp::from_millis(at * 1000),
                position_ms: position * 1000,
                state,
            };
            playback.report(&report, length.map(|length| length * 1000));
        }
        playback
    }

    #[covers("PATCH /api/v1/history")]
    #[test]
    fn plays_are_counted_by_listening_time_alone() {
        use PlayState::{Completed as C, Paused as H, Playing as P, Stopped as S};
        let song = Some(4 * MINUTE);
        let film = Some(100 * MINUTE);
        // (what, length, reports, plays)
        let cases: &[(&str, Option<i64>, &[(i64, i64, PlayState)], i64)] = &[
            ("nothing but the start", song, &[(0, 0, P)], 0),
            ("less than half", song, &[(0, 0, P), (119, 119, S)], 0),
            ("half", song, &[(0, 0, P), (120, 120, S)], 1),
            ("all of it, told twice", song, &[(0, 0, P), (240, 240, C)], 1),
            (
                "all of it, told often",
                song,
                &[(0, 0, P), (60, 60, P), (120, 120, P), (240, 240, C)],
                1,
            ),
            ("gone to the end", song, &[(0, 0, P), (2, 238, P), (4, 240, C)], 0),
            (
                "gone to the end in steps",
                song,
                &[(0, 0, P), (5, 80, P), (10, 160, P), (15, 240, C)],
                0,
            ),
            ("marked as done", song, &[(0, 240, C)], 0),
            (
                "forgotten for a day",
                song,
                &[(0, 10, P), (86_400, 10, P), (86_410, 20, S)],
                0,
            ),
            (
                "asleep, then gone on from where it was",
                song,
                &[(0, 0, P), (60, 60, P), (9_000, 60, P), (9_060, 120, S)],
                1,
            ),
            (
                "held in between",
                song,
                &[(0, 0, P), (60, 60, H), (9_000, 60, P), (9_060, 120, S)],
                1,
            ),
            ("a held player moves", song, &[(0, 0, H), (240, 240, H)], 0),
            (
                "a part again and again",
                song,
                &[(0, 100, P), (20, 120, P), (21, 100, P), (41, 120, P)],
                0,
            ),
            (
                "from the start again before half",
                song,
                &[(0, 0, P), (100, 100, P), (101, 0, P), (131, 30, S)],
                0,
            ),
            (
                "two times",
                song,
                &[(0, 0, P), (240, 240, C), (241, 0, P), (481, 240, C)],
                2,
            ),
            (
                "two times without an end",
                song,
                &[(0, 0, P), (235, 235, P), (250, 10, P), (400, 160, S)],
                2,
            ),
            (
                "gone on after it was counted",
                song,
                &[(0, 0, P), (150, 150, S), (900, 150, P), (990, 240, C)],
                1,
            ),
            ("four minutes of a film", film, &[(0, 0, P), (240, 240, S)], 1),
            (
                "a film in three evenings",
                film,
                &[
                    (0, 0, P),
                    (2_000, 2_000, S),
                    (90_000, 2_000, P),
                    (92_000, 4_000, S),
                    (180_000, 4_000, P),
                    (182_000, 6_000, C),
                ],
                1,
            ),
            ("of unknown length", None, &[(0, 0, P), (239, 239, S)], 0),
            (
                "four minutes of unknown length",
                None,
                &[(0, 0, P), (240, 240, S)],
                1,
            ),
            ("of no length", Some(0), &[(0, 0, P), (240, 240, S)], 1),
            ("at double speed", song, &[(0, 0, P), (120, 240, C)], 1),
        ];
        for (what, length, reports, plays) in cases {
            assert_eq!(played(*length, reports).play_count, *plays, "{what}");
        }
    }

    #[test]
    fn what_came_near_the_end_is_watched_and_goes_on_from_the_start() {
        use PlayState::{Completed, Paused, Playing, Stopped};
        let film = Some(100 * MINUTE);
        // (position, state, watched, something to go on with, where)
        for (position, state, watched, resumable, from) in [
            (0, Playing, false, false, 0),
            (59, Stopped, false, false, 59),
            (60, Stopped, false, true, 60),
            (5_399, Paused, false, true, 5_399),
            (5_400, Paused, true, false, 0),
            (9_999_999, Stopped, true, false, 0),
            (30, Completed, true, false, 0),
        ] {
            let playback = played(film, &[(0, position, state)]);
            let progress = playback.progress().unwrap();
            assert_eq!(
                (progress.watched, playback.resumable),
                (watched, resumable),
                "{position}"
            );
            assert_eq!(progress.position_ms, from * 1000, "{position}");
        }
        let again = played(
            film,
            &[(0, 5_500, Stopped), (9_000, 0, Playing), (9_100, 100, Stopped)],
        );
        assert!(again.watched && again.resumable && !again.finished);
        assert_eq!(Playback::default().progress(), None);
        let short = played(Some(10), &[(0, 1, Stopped)]);
        assert!(short.resumable, "a twentieth of what is short");
    }

    #[test]
    fn report_of_an_older_moment_changes_nothing() {
        let mut playback = played(Some(240), &[(100, 50, PlayState::Playing)]);
        let before = playback;
        let late = PlayReport {
            at: Timestamp::from_millis(99_999),
            position_ms: 200_000,
            state: PlayState::Completed,
        };
        assert!(!playback.report(&late, Some(240_000)));
        assert_eq!(playback, before);
        assert!(playback.report(
            &PlayReport {
                at: Timestamp::from_millis(100_000),
                ..late
            },
            None
        ));
        assert_eq!(playback.listened_ms, 0, "no time passed");
    }

    #[test]
    fn numbers_of_any_size_do_no_harm() {
        for length in [None, Some(i64::MAX), Some(-1), Some(1)] {
            let mut playback = Playback::default();
            for (at, position) in [
                (0, i64::MAX / 20),
                (i64::MAX / 2, 0),
                (i64::MAX / 2, i64::MAX / 20),
            ] {
                let report = PlayReport {
                    at: Timestamp::from_millis(at),
                    position_ms: position,
                    state: PlayState::Playing,
                };
                assert!(playback.report(&report, length));
            }
        }
    }
}
