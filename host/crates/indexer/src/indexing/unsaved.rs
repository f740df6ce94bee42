//! Ends of runs that could not be stored, as on a full disk: kept until they can be, and told meanwhile. A process that
//! ends before finds the runs as it finds those that a crash cut off.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use svc_domain::id::RunId;
use svc_domain::scan::Run;
use svc_store::RunRepository;

/// The ends that the store does not have. There are few: a run that cannot be stored at its beginning is none.
#[derive(Debug, Clone, Default)]
pub(super) struct UnsavedRuns(Arc<Mutex<Vec<Run>>>);

impl UnsavedRuns {
    fn runs(&self) -> MutexGuard<'_, Vec<Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How this run ended, if the store does not know.
    pub(super) fn end_of(&self, id: RunId) -> Option<Run> {
        self.runs().iter().find(|run| run.id == id).cloned()
    }

    /// Stores the end of a run, and keeps it where that fails.
    pub(super) async fn save(&self, repository: &RunRepository, run: &Run) {
        if let Err(error) = repository.save_run(run).await {
            tracing::error!(target: "svc::scan", run = %run.id, %error, "the end of the run could not be stored");
            self.runs().push(run.clone());
        }
    }

    /// Stores what was kept.
    pub(super) async fn save_again(&self, repository: &RunRepository) {
        let kept = std::mem::take(&mut *self.runs());
        for run in &kept {
            self.save(repository, run).await;
        }
    }
}
