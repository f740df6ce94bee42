//! Runs by schedule and the first run.

use super::ScanScheduler;
use svc_domain::list::Pagination;
use svc_domain::scan::{RunOptions, RunTrigger};
use svc_identity::error::Result;

impl ScanScheduler {
    /// Starts a run if nothing is indexed and automatic runs are enabled; returns whether it did.
    ///
    /// # Errors
    /// Database errors.
    pub async fn start_first(&self) -> Result<bool> {
        // The setup may have changed settings a moment ago.
        self.settings.reload().await?;
        let by_itself = self.settings.watch_directories() || self.settings.scan_every().is_some();
        if !by_itself
            || self.indexing.directory_ids().await?.is_empty()
            || !self.index.is_index_empty().await?
        {
            return Ok(false);
        }
        let options = RunOptions {
            trigger: RunTrigger::Start,
            ..RunOptions::default()
        };
        Ok(self.start(options, None).await?.is_some())
    }

    /// Starts the scheduled run; false if another run is active.
    pub(super) async fn start_scheduled(&self) -> Result<bool> {
        let purge_before = self.settings.purge_missing_after().map(|after| self.ago(after));
        let options = RunOptions {
            trigger: RunTrigger::Schedule,
            ..RunOptions::default()
        };
        Ok(self.start(options, purge_before).await?.is_some())
    }

    /// Whether the scheduled run is due.
    pub(super) async fn is_due(&self) -> Result<bool> {
        let Some(every) = self.settings.scan_every() else {
            return Ok(false);
        };
        let since = self.ago(every);
        // Runs of single directories, started by watches, do not count.
        let page = Pagination { take: 100, skip: 0 };
        let runs = self.indexing.runs(page).await?.items;
        let is_whole = |options: &RunOptions| {
            options.paths.is_empty() && options.media_kinds.is_empty() && !options.dry_run
        };
        Ok(!runs
            .iter()
            .any(|run| is_whole(&run.options) && run.started_at >= since))
    }
}
