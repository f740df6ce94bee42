//! Events of a run: start, progress, pause and resume, committed changes, end.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::MissedTickBehavior;

use crate::scan::{Phase, Progress, RunTransition, ScanControl};
use svc_domain::id::RunId;
use svc_domain::scan::{Directory, Run, RunCounts, RunStatus};
use svc_domain::time::Clock;
use svc_events::indexing as messages;
use svc_events::indexing::RunProgress;
use svc_events::{EventKind, Events, items, photos};
use svc_store::PersistOutcome;

/// Minimum time between two progress events.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);

/// Publishes the events of one run.
#[derive(Debug, Clone)]
pub(super) struct RunEvents {
    pub(super) events: Events,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) run: RunId,
}

impl RunEvents {
    pub(super) fn started(&self, run: &Run) {
        self.events.publish(|| messages::started(run));
    }

    /// Publishes that the run was paused or resumed.
    pub(super) fn transitioned(&self, transition: RunTransition, counts: &RunCounts) {
        let kind = match transition {
            RunTransition::Paused => EventKind::IndexingPaused,
            RunTransition::Resumed => EventKind::IndexingResumed,
        };
        self.events
            .publish(|| messages::transitioned(kind, self.run, self.clock.now(), counts));
    }

    /// Publishes the changes of a committed transaction.
    pub(super) fn committed(&self, outcome: &PersistOutcome) {
        for (id, name) in &outcome.added_artists {
            self.events.publish(|| messages::artist_added(*id, name));
        }
        for (id, title) in &outcome.added_releases {
            self.events.publish(|| messages::release_added(*id, title));
        }
        for (id, class) in &outcome.updated_photos {
            self.events.publish(|| photos::updated(*id, *class));
        }
        for item in &outcome.items {
            self.events
                .publish(|| items::changed(item.id, &item.kind, item.change, &item.access_classes));
        }
    }

    /// Publishes that a directory became available or unavailable.
    pub(super) fn directory_changed(&self, directory: &Directory) {
        self.events.publish(|| messages::directory_changed(directory));
    }

    pub(super) fn ended(&self, run: &Run) {
        let kind = match run.status {
            RunStatus::Completed => EventKind::IndexingCompleted,
            RunStatus::Running | RunStatus::Paused | RunStatus::Stopped | RunStatus::Failed => {
                EventKind::IndexingStopped
            }
        };
        let at = run.completed_at.unwrap_or_else(|| self.clock.now());
        self.events.publish(|| messages::ended(kind, run, at));
    }
}

/// Number of processed files, and of all files found.
fn done_and_found(counts: &RunCounts) -> (u64, u64) {
    let done =
        |kind: &svc_domain::scan::KindCounts| kind.added + kind.updated + kind.unchanged + kind.errored;
    (
        counts.values().map(done).sum(),
        counts.values().map(|kind| kind.found).sum(),
    )
}

/// Estimated seconds until the end at the current rate. Until all directories are listed, the file count of the last
/// run is the estimate of the total; without it the result is `None`.
fn eta(done: u64, found: u64, expected: Option<u64>, seconds: f64) -> Option<f64> {
    let pace = done as f64 / seconds;
    let all = expected?.max(found);
    (pace > 0.0 && pace.is_finite()).then(|| all.saturating_sub(done) as f64 / pace)
}

/// Publishes the progress of a run periodically.
pub(super) struct ProgressPublisher<'a> {
    pub(super) events: &'a RunEvents,
    pub(super) control: &'a ScanControl,
    pub(super) progress: &'a Progress,
    pub(super) started: Instant,
    /// Number of files in the last run.
    pub(super) before: Option<u64>,
    /// Time and processed files of the last progress event.
    pub(super) last: Option<(Instant, u64)>,
}

impl ProgressPublisher<'_> {
    /// Runs until dropped; publishes nothing while the run is paused.
    pub(super) async fn publish_periodically(&mut self) -> Infallible {
        let mut turn = tokio::time::interval(PROGRESS_EVERY);
        // A delayed tick must not cause two events in quick succession.
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        turn.tick().await;
        loop {
            turn.tick().await;
            if matches!(self.control.phase(), Phase::Running | Phase::Pausing) {
                self.publish();
            }
        }
    }

    /// Publishes the final counts, unless the last event is recent and equal; a short run thus publishes them once.
    pub(super) fn publish_final(&mut self) {
        if self.last.is_none_or(|(at, _)| at.elapsed() >= PROGRESS_EVERY) {
            self.publish();
        }
    }

    fn publish(&mut self) {
        let counts = self.progress.counts();
        let (done, found) = done_and_found(&counts);
        let (since, already) = self.last.unwrap_or((self.started, 0));
        let seconds = since.elapsed().as_secs_f64();
        let running = self.started.elapsed().saturating_sub(self.control.paused_for());
        let expected = if self.progress.is_walked() {
            Some(found)
        } else {
            self.before
        };
        self.last = Some((Instant::now(), done));
        let files_per_second = if seconds > 0.0 {
            done.saturating_sub(already) as f64 / seconds
        } else {
            0.0
        };
        self.events.events.publish(|| {
            messages::progress(&RunProgress {
                run_id: self.events.run,
                state: "indexing",
                files_per_second: rounded(files_per_second),
                eta_seconds: eta(done, found, expected, running.as_secs_f64()).map(rounded),
                current_path: self.progress.current_path().map(|path| path.as_str().to_owned()),
                counts,
            })
        });
    }
}

/// Rounds to one decimal; estimates are no more exact.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eta_follows_from_rate_and_remaining_files() {
        // (done, found, expected, seconds, result)
        let cases = [
            (100, 400, Some(400), 10.0, Some(30.0)),
            (100, 200, Some(400), 10.0, Some(30.0)),
            (100, 400, Some(200), 10.0, Some(30.0)),
            (400, 400, Some(400), 10.0, Some(0.0)),
            (100, 400, None, 10.0, None),
            (0, 400, Some(400), 10.0, None),
            (0, 0, Some(0), 0.0, None),
        ];
        for (done, found, expected, seconds, expected_eta) in cases {
            assert_eq!(
                eta(done, found, expected, seconds),
                expected_eta,
                "{done} of {found}"
            );
        }
    }
}
