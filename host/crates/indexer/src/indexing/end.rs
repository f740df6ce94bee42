//! How a run ends: its status, warnings and audit entry, and the guard that leaves the indexer idle.

use super::{CurrentRun, Indexing};
use crate::run_events::RunEvents;
use crate::scan::{Progress, ScanEnd, ScanError};
use svc_domain::audit::AuditEvent;
use svc_domain::scan::{Directory, Run, RunStatus};
use svc_store::StoreError;

/// Ends the current run when dropped, so that even a panic leaves the indexer idle. The state becomes idle before
/// subscribers receive the end, so that they can start the next run.
pub(super) struct RunGuard<'a> {
    pub(super) indexing: &'a Indexing,
    /// How the run ended; without it, the run failed.
    pub(super) ended: Option<Run>,
}

impl Drop for RunGuard<'_> {
    fn drop(&mut self) {
        let mut current = self.indexing.current();
        if let Some(current) = current.take() {
            let failed = || Run {
                status: RunStatus::Failed,
                ..current.snapshot()
            };
            current.events.ended(&self.ended.take().unwrap_or_else(failed));
        }
    }
}

/// Why a run failed, for clients: it names only causes that they can remedy.
fn failure_message(error: &ScanError) -> &'static str {
    match error {
        ScanError::Store(StoreError::Full(_)) => "the run was aborted: no space is left for the database",
        ScanError::Store(StoreError::Unavailable(_)) => "the run was aborted: the database is not available",
        _ => "the run was aborted; the server's log has the reason",
    }
}

impl Indexing {
    /// Publishes directories that became available or unavailable since `before`.
    pub(super) async fn publish_directory_changes(&self, events: &RunEvents, before: &[Directory]) {
        let now = match self.scanner.directories.list_directories().await {
            Ok(now) => now,
            Err(error) => {
                return tracing::warn!(target: "svc::scan", %error, "directories could not be read from the database");
            }
        };
        for directory in now {
            let before = before.iter().find(|before| before.id == directory.id);
            if before.is_some_and(|before| before.available != directory.available) {
                events.directory_changed(&directory);
            }
        }
    }

    /// Stores how the run ended, with its warnings and an audit entry.
    pub(super) async fn end(
        &self,
        run_guard: &mut RunGuard<'_>,
        outcome: Result<ScanEnd, ScanError>,
        stopped: bool,
        progress: &Progress,
    ) {
        let Some(mut run) = self.current().as_ref().map(CurrentRun::snapshot) else {
            return;
        };
        run.status = match outcome {
            Ok(ScanEnd::Completed) if !stopped => RunStatus::Completed,
            Ok(ScanEnd::Completed | ScanEnd::Stopped) => RunStatus::Stopped,
            Err(error) => {
                tracing::error!(target: "svc::scan", run = %run.id, %error, "run failed");
                progress.warn(failure_message(&error).to_owned());
                RunStatus::Failed
            }
        };
        run.warnings = progress.warnings();
        run.completed_at = Some(self.scanner.clock.now());
        self.unsaved.save(&self.runs, &run).await;
        self.audit(AuditEvent::IndexRunEnded, &run).await;
        tracing::info!(
            target: "svc::scan",
            run = %run.id,
            status = run.status.as_str(),
            seconds = run.seconds,
            files_opened = run.files_opened,
            "run ended"
        );
        run_guard.ended = Some(run);
    }
}
