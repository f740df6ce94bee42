//! The log of a run, of limited length; the counts are complete.

use svc_domain::id::{IdGenerator, RunId};
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{RunLogEntry, RunLogEvent};
use svc_domain::time::Timestamp;

/// Maximum of entries per event. The first run over a large library repeats the same event for every file.
const MAX_LINES: u32 = 1_000;
/// Maximum of entries about unreadable files, which users look up individually.
const MAX_ERRORS: u32 = 10_000;

/// Maximum of entries for an event.
fn limit(event: RunLogEvent) -> u32 {
    match event {
        RunLogEvent::Errored | RunLogEvent::Quarantined => MAX_ERRORS,
        _ => MAX_LINES,
    }
}

/// Optional parts of an entry.
#[derive(Debug, Default)]
pub(super) struct Details {
    pub(super) plugin: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) diff: Option<String>,
}

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

    /// Builds an entry about the run itself.
    pub(super) fn run_line(&mut self, event: RunLogEvent, now: Timestamp) -> RunLogEntry {
        self.entry(event, None, RelativePath::root(), Details::default(), now)
    }

    /// Builds an entry about a file; `None` if the maximum for the event is reached.
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
