//! The lines of a run's log, of bounded number: the counts tell the rest.

use svc_domain::id::{IdGenerator, RunId};
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{RunLogEntry, RunLogEvent};
use svc_domain::time::Timestamp;

/// Lines of one event that are kept of a run. A first run over a large library says the same of each file.
const MAX_LINES: u32 = 1_000;
/// Lines about files that could not be read: each is a question that somebody will ask.
const MAX_ERRORS: u32 = 10_000;

/// How many lines of an event are kept.
fn limit(event: RunLogEvent) -> u32 {
    match event {
        RunLogEvent::Errored | RunLogEvent::Quarantined => MAX_ERRORS,
        _ => MAX_LINES,
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
pub(super) struct RunLog<'a> {
    run: RunId,
    ids: &'a IdGenerator,
    written: [u32; RunLogEvent::ALL.len()],
}

impl<'a> RunLog<'a> {
    pub(super) fn new(run: RunId, ids: &'a IdGenerator) -> Self {
        Self {
            run,
            ids,
            written: [0; RunLogEvent::ALL.len()],
        }
    }

    /// A line about the run itself.
    pub(super) fn run_line(&mut self, event: RunLogEvent, now: Timestamp) -> RunLogEntry {
        self.entry(event, None, RelativePath::root(), Details::default(), now)
    }

    /// A line about a file; `None` when there are enough of this event.
    pub(super) fn line(
        &mut self,
        event: RunLogEvent,
        kind: &MediaKind,
        path: RelativePath,
        details: Details,
        now: Timestamp,
    ) -> Option<RunLogEntry> {
        let written = self.written.get_mut(event as usize)?;
        if *written >= limit(event) {
            return None;
        }
        *written += 1;
        Some(self.entry(event, Some(kind.clone()), path, details, now))
    }

    fn entry(
        &mut self,
        event: RunLogEvent,
        kind: Option<MediaKind>,
        path: RelativePath,
        details: Details,
        now: Timestamp,
    ) -> RunLogEntry {
        RunLogEntry {
            id: self.ids.next(now),
            run: self.run,
            event: event.as_str().to_owned(),
            kind,
            path,
            plugin: details.plugin,
            reason: details.reason,
            diff: details.diff,
        }
    }
}
