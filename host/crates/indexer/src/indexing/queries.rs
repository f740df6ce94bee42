//! What is known of runs, files and directories.

use std::collections::BTreeMap;

use crate::indexing::{CurrentRun, Indexing};
use crate::scan::ScanError;
use svc_domain::id::{DirectoryId, RunId};
use svc_domain::kind::MediaKind;
use svc_domain::list::{Listing, OrderedPagination, Pagination};
use svc_domain::scan::{Directory, Run, RunCounts, RunLogEntry};
use svc_identity::error::ServiceError;
use svc_store::{RunLogFilter, StoreError};

/// What clients are told: no more than what they can do something about.
pub(super) fn why_it_broke_off(error: &ScanError) -> &'static str {
    match error {
        ScanError::Store(StoreError::Full(_)) => "the run broke off: no space is left for the database",
        ScanError::Store(StoreError::Unavailable(_)) => "the run broke off: the database is not available",
        _ => "the run broke off; the server's log has the reason",
    }
}

impl Indexing {
    /// The counts of the run under way.
    pub fn live_counts(&self) -> Option<RunCounts> {
        self.current().as_ref().map(|current| current.progress.counts())
    }

    /// Runs, newest first; the one under way with the numbers of this moment.
    ///
    /// # Errors
    /// The store's.
    pub async fn runs(&self, page: Pagination) -> Result<Listing<Run>, ServiceError> {
        let mut runs = self.runs.list_runs(page).await?;
        for run in &mut runs.items {
            if let Some(known) = self.known(run.id) {
                *run = known;
            }
        }
        Ok(runs)
    }

    /// One run, with the numbers of this moment if it is under way.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn run(&self, id: RunId) -> Result<Run, ServiceError> {
        match self.known(id) {
            Some(run) => Ok(run),
            None => self.runs.run(id).await?.ok_or(ServiceError::NotFound),
        }
    }

    /// A run of which more is known here than in the store: the one under way, or one whose end could not be stored.
    fn known(&self, id: RunId) -> Option<Run> {
        let current = self.current();
        let live = current.as_ref().filter(|current| current.run.id == id);
        live.map(CurrentRun::snapshot).or_else(|| self.unsaved.end_of(id))
    }

    /// The log of a run.
    ///
    /// # Errors
    /// Not found for an unknown run; the store's.
    pub async fn run_logs(
        &self,
        id: RunId,
        filter: &RunLogFilter,
        part: OrderedPagination,
    ) -> Result<Listing<RunLogEntry>, ServiceError> {
        Ok(self.runs.list_run_logs(id, filter, part).await?)
    }

    /// Files in the index, by kind.
    ///
    /// # Errors
    /// The store's.
    pub async fn counts(&self) -> Result<BTreeMap<MediaKind, i64>, ServiceError> {
        Ok(self.scanner.directories.file_counts().await?)
    }

    /// The configured directories.
    ///
    /// # Errors
    /// The store's.
    pub async fn directories(&self) -> Result<Vec<Directory>, ServiceError> {
        Ok(self.scanner.directories.list_directories().await?)
    }

    /// The ids of the configured directories, which is asked often.
    ///
    /// # Errors
    /// The store's.
    pub async fn directory_ids(&self) -> Result<Vec<DirectoryId>, ServiceError> {
        Ok(self.scanner.directories.directory_ids().await?)
    }
}
