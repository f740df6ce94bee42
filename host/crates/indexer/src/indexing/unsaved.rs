//! Ends of runs that could not be stored, for example on a full disk. They are kept in memory and retried. If the
//! process ends before that, the next start handles these runs like interrupted ones.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use svc_domain::id::RunId;
use svc_domain::scan::Run;
use svc_store::RunRepository;

/// The unsaved ends. There are few, because a run that cannot be stored at its start does not begin.
#[derive(Debug, Clone, Default)]
pub(super) struct UnsavedRuns(Arc<Mutex<Vec<Run>>>);

impl UnsavedRuns {
    fn runs(&self) -> MutexGuard<'_, Vec<Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The unsaved end of a run, if there is one.
    pub(super) fn end_of(&self, id: RunId) -> Option<Run> {
        self.runs().iter().find(|run| run.id == id).cloned()
    }

    /// Stores the end of a run, or keeps it for a retry if that fails.
    pub(super) async fn save(&self, repository: &RunRepository, run: &Run) {
        if let Err(error) = repository.save_run(run).await {
            tracing::error!(target: "svc::scan", run = %run.id, %error, "the end of the run could not be stored");
            self.runs().push(run.clone());
        }
    }

    pub(super) async fn retry(&self, repository: &RunRepository) {
        let kept = std::mem::take(&mut *self.runs());
        for run in &kept {
            self.save(repository, run).await;
        }
    }
}
