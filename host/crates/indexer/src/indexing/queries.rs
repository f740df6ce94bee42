//! Reads of the API: runs with their logs, file counts, directories.

use std::collections::BTreeMap;

use crate::indexing::{CurrentRun, Indexing};
use svc_domain::id::{DirectoryId, RunId};
use svc_domain::kind::MediaKind;
use svc_domain::list::{Listing, OrderedPagination, Pagination};
use svc_domain::scan::{Directory, Run, RunLogEntry};
use svc_identity::error::ServiceError;
use svc_store::RunLogFilter;

impl Indexing {
    /// Runs, newest first; the active one with its current counts.
    ///
    /// # Errors
    /// Database errors.
    pub async fn runs(&self, page: Pagination) -> Result<Listing<Run>, ServiceError> {
        let mut runs = self.runs.list_runs(page).await?;
        for run in &mut runs.items {
            if let Some(known) = self.run_in_memory(run.id) {
                *run = known;
            }
        }
        Ok(runs)
    }

    /// A run, with its current counts if it is active.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn run(&self, id: RunId) -> Result<Run, ServiceError> {
        match self.run_in_memory(id) {
            Some(run) => Ok(run),
            None => self.runs.run(id).await?.ok_or(ServiceError::NotFound),
        }
    }

    /// The run in memory, if it is newer than its row: the active one, or one whose end could not be stored.
    fn run_in_memory(&self, id: RunId) -> Option<Run> {
        let current = self.current();
        let live = current.as_ref().filter(|current| current.run.id == id);
        live.map(CurrentRun::snapshot).or_else(|| self.unsaved.end_of(id))
    }

    /// The log of a run.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn run_logs(
        &self,
        id: RunId,
        filter: &RunLogFilter,
        part: OrderedPagination,
    ) -> Result<Listing<RunLogEntry>, ServiceError> {
        Ok(self.runs.list_run_logs(id, filter, part).await?)
    }

    /// Number of indexed files by kind.
    ///
    /// # Errors
    /// Database errors.
    pub async fn file_counts(&self) -> Result<BTreeMap<MediaKind, i64>, ServiceError> {
        Ok(self.scanner.directories.file_counts().await?)
    }

    /// The configured directories.
    ///
    /// # Errors
    /// Database errors.
    pub async fn directories(&self) -> Result<Vec<Directory>, ServiceError> {
        Ok(self.scanner.directories.list_directories().await?)
    }

    /// The ids of the configured directories, without the rest of their rows.
    ///
    /// # Errors
    /// Database errors.
    pub async fn directory_ids(&self) -> Result<Vec<DirectoryId>, ServiceError> {
        Ok(self.scanner.directories.directory_ids().await?)
    }
}
