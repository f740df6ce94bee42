//! Tests of playback: counted plays, progress, order of reports.

use svc_covers::covers;

use super::*;

const MINUTE: i64 = 60;

/// Applies reports (second, position in seconds, state) to an item with a length in seconds.
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
fn plays_are_counted_by_listened_time() {
    use PlayState::{Completed as C, Paused as H, Playing as P, Stopped as S};
    let song = Some(4 * MINUTE);
    let movie = Some(100 * MINUTE);
    // (case, length, reports, play count)
    let cases: &[(&str, Option<i64>, &[(i64, i64, PlayState)], i64)] = &[
        ("nothing but the start", song, &[(0, 0, P)], 0),
        ("less than half", song, &[(0, 0, P), (119, 119, S)], 0),
        ("half", song, &[(0, 0, P), (120, 120, S)], 1),
        ("all of it, in two reports", song, &[(0, 0, P), (240, 240, C)], 1),
        (
            "all of it, in many reports",
            song,
            &[(0, 0, P), (60, 60, P), (120, 120, P), (240, 240, C)],
            1,
        ),
        ("seek to the end", song, &[(0, 0, P), (2, 238, P), (4, 240, C)], 0),
        (
            "seek to the end in steps",
            song,
            &[(0, 0, P), (5, 80, P), (10, 160, P), (15, 240, C)],
            0,
        ),
        ("marked as done", song, &[(0, 240, C)], 0),
        (
            "no report for a day",
            song,
            &[(0, 10, P), (86_400, 10, P), (86_410, 20, S)],
            0,
        ),
        (
            "suspended, then resumed at the same position",
            song,
            &[(0, 0, P), (60, 60, P), (9_000, 60, P), (9_060, 120, S)],
            1,
        ),
        (
            "paused in between",
            song,
            &[(0, 0, P), (60, 60, H), (9_000, 60, P), (9_060, 120, S)],
            1,
        ),
        ("seek while paused", song, &[(0, 0, H), (240, 240, H)], 0),
        (
            "a part repeatedly",
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
            "twice",
            song,
            &[(0, 0, P), (240, 240, C), (241, 0, P), (481, 240, C)],
            2,
        ),
        (
            "twice without an end",
            song,
            &[(0, 0, P), (235, 235, P), (250, 10, P), (400, 160, S)],
            2,
        ),
        (
            "resumed after it was counted",
            song,
            &[(0, 0, P), (150, 150, S), (900, 150, P), (990, 240, C)],
            1,
        ),
        ("four minutes of a movie", movie, &[(0, 0, P), (240, 240, S)], 1),
        (
            "a movie in three evenings",
            movie,
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
fn playback_near_the_end_is_watched_and_resumes_from_the_start() {
    use PlayState::{Completed, Paused, Playing, Stopped};
    let movie = Some(100 * MINUTE);
    // (position, state, watched, resumable, resume position)
    for (position, state, watched, resumable, from) in [
        (0, Playing, false, false, 0),
        (59, Stopped, false, false, 59),
        (60, Stopped, false, true, 60),
        (5_399, Paused, false, true, 5_399),
        (5_400, Paused, true, false, 0),
        (9_999_999, Stopped, true, false, 0),
        (30, Completed, true, false, 0),
    ] {
        let playback = played(movie, &[(0, position, state)]);
        let progress = playback.progress().unwrap();
        assert_eq!(
            (progress.watched, playback.resumable),
            (watched, resumable),
            "{position}"
        );
        assert_eq!(progress.position_ms, from * 1000, "{position}");
    }
    let again = played(
        movie,
        &[(0, 5_500, Stopped), (9_000, 0, Playing), (9_100, 100, Stopped)],
    );
    assert!(again.watched && again.resumable && !again.finished);
    assert_eq!(Playback::default().progress(), None);
    let short = played(Some(10), &[(0, 1, Stopped)]);
    assert!(short.resumable, "a twentieth of a short item");
}

#[test]
fn report_older_than_the_last_changes_nothing() {
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
fn extreme_numbers_do_not_overflow() {
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
