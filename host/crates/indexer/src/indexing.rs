//! The indexer service. It controls runs: `start` begins one, `actions` pause, resume and stop it, `end` stores how it ended;
//! `queries` reads runs; `hold` keeps them from starting.

mod actions;
mod end;
mod hold;
mod queries;
mod request;
mod start;
mod unsaved;

use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use tokio::sync::watch;

use crate::run_events::{ProgressPublisher, RunEvents};
use crate::scan::{Phase, Progress, ScanControl, ScanRequest, Scanner};
use end::RunGuard;
use svc_domain::audit::AuditEvent;
use svc_domain::list::Pagination;
use svc_domain::scan::{Directory, Run, RunStatus, RunTrigger};
use svc_events::Events;
use svc_identity::audit::BackgroundLog;
use svc_store::RunRepository;
use unsaved::UnsavedRuns;

pub use hold::RunHold;
pub use request::{IndexAction, StartRun};
pub use svc_store::RunLogFilter;

/// Interval of updates to the row of the active run.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// Number of earlier runs searched for a file count.
const RUNS_SEARCHED: u32 = 5;

/// State of the indexer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexState {
    /// No run is active.
    Idle,
    /// A run is active.
    Indexing,
    /// The active run is paused.
    Paused,
}

#[derive(Debug)]
struct CurrentRun {
    run: Run,
    started: Instant,
    control: Arc<ScanControl>,
    progress: Arc<Progress>,
    events: RunEvents,
    ended: watch::Receiver<bool>,
}

impl CurrentRun {
    /// The run with its current counts.
    fn snapshot(&self) -> Run {
        let status = match self.control.phase() {
            Phase::Paused => RunStatus::Paused,
            Phase::Running | Phase::Pausing | Phase::Stopping | Phase::Ended => RunStatus::Running,
        };
        Run {
            status,
            counts: self.progress.counts(),
            files_opened: self.progress.files_opened(),
            warnings: self.progress.warnings(),
            seconds: self
                .started
                .elapsed()
                .saturating_sub(self.control.paused_for())
                .as_secs_f64(),
            ..self.run.clone()
        }
    }
}

/// The indexer service. At most one run is active.
#[derive(Debug, Clone)]
pub struct Indexing {
    scanner: Scanner,
    runs: RunRepository,
    events: Events,
    current: Arc<Mutex<Option<CurrentRun>>>,
    /// Whether a [`RunHold`] keeps runs from starting; set only while `current` is locked.
    held: Arc<watch::Sender<bool>>,
    unsaved: UnsavedRuns,
    log: BackgroundLog,
}

impl Indexing {
    /// Creates the service, which publishes run events to `events`.
    pub fn new(scanner: Scanner, runs: RunRepository, log: BackgroundLog, events: Events) -> Self {
        Self {
            scanner,
            runs,
            log,
            events,
            current: Arc::default(),
            held: Arc::new(watch::Sender::new(false)),
            unsaved: UnsavedRuns::default(),
        }
    }

    fn current(&self) -> MutexGuard<'_, Option<CurrentRun>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn execute(&self, request: ScanRequest, control: &Arc<ScanControl>, progress: &Arc<Progress>) {
        let current = self.current().as_ref().map(|current| {
            let (run, events) = (current.run.clone(), current.events.clone());
            (run, events, current.started)
        });
        let Some((run, events, started)) = current else {
            return;
        };
        let mut run_guard = RunGuard {
            indexing: self,
            ended: None,
        };
        let before: Vec<Directory> = request
            .targets
            .iter()
            .map(|target| target.directory.clone())
            .collect();
        let mut publisher = ProgressPublisher {
            events: &events,
            control,
            progress,
            started,
            before: self.files_before(&run).await,
            last: None,
        };
        tracing::info!(target: "svc::scan", run = %run.id, run_type = run.run_type.as_str(), "run started");
        let scan = self
            .scanner
            .run_on_dedicated_thread(request, control, progress)
            .boxed();
        // Concurrent: the update of the run's row may wait for the write lock that the scan holds.
        let outcome = tokio::select! {
            outcome = scan => outcome,
            never = self.save_periodically() => match never {},
            never = publisher.publish_periodically() => match never {},
        };
        // From here the run accepts no action. A stop that was accepted earlier determines its status.
        let stopped = control.finish().await;
        publisher.publish_final();
        self.publish_directory_changes(&events, &before).await;
        self.end(&mut run_guard, outcome, stopped, progress).await;
    }

    /// Writes an audit entry for a run. Automatic runs are grouped by their trigger, because a busy directory causes
    /// many per minute.
    async fn audit(&self, event: AuditEvent, run: &Run) {
        let trigger = run.options.trigger;
        let mut details = vec![
            ("trigger", trigger.as_str().to_owned()),
            ("runType", run.run_type.as_str().to_owned()),
        ];
        if event == AuditEvent::IndexRunEnded {
            details.push(("status", run.status.as_str().to_owned()));
        }
        if matches!(trigger, RunTrigger::User | RunTrigger::Command) {
            details.push(("runId", run.id.to_string()));
        }
        self.log.record(event, run.started_by, &details).await;
    }

    /// Number of files of the run's kinds in the last completed run.
    async fn files_before(&self, run: &Run) -> Option<u64> {
        let page = Pagination {
            take: RUNS_SEARCHED,
            skip: 0,
        };
        let runs = self.runs.list_runs(page).await.ok()?;
        let before = runs
            .items
            .into_iter()
            .find(|before| before.status == RunStatus::Completed)?;
        run.counts
            .keys()
            .map(|kind| before.counts.get(kind).map(|counts| counts.found))
            .sum()
    }

    /// Periodically updates the row of the active run.
    async fn save_periodically(&self) -> Infallible {
        let mut save = tokio::time::interval(SAVE_EVERY);
        save.tick().await;
        loop {
            save.tick().await;
            let run = self.current().as_ref().map(CurrentRun::snapshot);
            if let Some(run) = run
                && let Err(error) = self.runs.save_run(&run).await
            {
                tracing::warn!(target: "svc::scan", %error, "the state of the run could not be stored");
            }
        }
    }

    /// The state, with the active run if there is one.
    pub fn state(&self) -> (IndexState, Option<Run>) {
        let run = self.current().as_ref().map(CurrentRun::snapshot);
        let state = match run.as_ref().map(|run| run.status) {
            None => IndexState::Idle,
            Some(RunStatus::Paused) => IndexState::Paused,
            Some(_) => IndexState::Indexing,
        };
        (state, run)
    }

    /// The control of the active run.
    pub fn control(&self) -> Option<Arc<ScanControl>> {
        self.current()
            .as_ref()
            .map(|current| Arc::clone(&current.control))
    }

    /// Whether `ended` belongs to the active run.
    fn is_current(&self, ended: &watch::Receiver<bool>) -> bool {
        self.current()
            .as_ref()
            .is_some_and(|current| current.ended.same_channel(ended))
    }
}
