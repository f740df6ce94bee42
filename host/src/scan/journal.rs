//! The lines of a run's log, of bounded number: the counts tell the rest.

use crate::domain::id::{IdGenerator, RunId};
use crate::domain::kind::MediaKind;
use crate::domain::path::RelativePath;
use crate::domain::scan::RunLogEntry;
use crate::domain::time::Timestamp;

/// Lines of one event that are kept of a run. A first run over a large library says the same of each file.
const MAX_LINES: u32 = 1_000;
/// Lines about files that could not be read: each is a question that somebody will ask.
const MAX_ERRORS: u32 = 10_000;

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Added,
    Updated,
    Missing,
    Errored,
    RunStarted,
    RunCompleted,
    RunStopped,
}

impl Event {
    const COUNT: usize = 7;

    fn name(self) -> &'static str {
        match self {
            Self::Added => "file_added",
            Self::Updated => "file_updated",
            Self::Missing => "file_missing",
            Self::Errored => "file_errored",
            Self::RunStarted => "run_started",
            Self::RunCompleted => "run_completed",
            Self::RunStopped => "run_stopped",
        }
    }

    fn limit(self) -> u32 {
        if self == Self::Errored {
            MAX_ERRORS
        } else {
            MAX_LINES
        }
    }
}

/// What a line says beside its event and file.
#[derive(Debug, Default)]
pub(super) struct Details {
    pub(super) plugin: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) diff: Option<String>,
}

/// The log of one run.
pub(super) struct Journal<'a> {
    run: RunId,
    ids: &'a IdGenerator,
    written: [u32; Event::COUNT],
}

impl<'a> Journal<'a> {
    pub(super) fn new(run: RunId, ids: &'a IdGenerator) -> Self {
        Self {
            run,
            ids,
            written: [0; Event::COUNT],
        }
    }

    /// A line about the run itself.
    pub(super) fn run_line(&mut self, event: Event, now: Timestamp) -> RunLogEntry {
        self.entry(event, None, RelativePath::root(), Details::default(), now)
    }

    /// A line about a file; `None` when there are enough of this event.
    pub(super) fn line(
        &mut self,
        event: Event,
        kind: &MediaKind,
        path: RelativePath,
        details: Details,
        now: Timestamp,
    ) -> Option<RunLogEntry> {
        let written = self.written.get_mut(event as usize)?;
        if *written >= event.limit() {
            return None;
        }
        *written += 1;
        Some(self.entry(event, Some(kind.clone()), path, details, now))
    }

    fn entry(
        &mut self,
        event: Event,
        kind: Option<MediaKind>,
        path: RelativePath,
        details: Details,
        now: Timestamp,
    ) -> RunLogEntry {
        RunLogEntry {
            id: self.ids.next(now),
            run: self.run,
            event: event.name().to_owned(),
            kind,
            path,
            plugin: details.plugin,
            reason: details.reason,
            diff: details.diff,
        }
    }
}
