//! Runs of the indexer: carrying out, holding, stopping. They begin in `start`; what is known of them is in `queries`.

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
use crate::scan::{Phase, Progress, Refused, ScanControl, ScanEnd, ScanError, ScanRequest, Scanner};
use svc_domain::audit::AuditEvent;
use svc_domain::list::Pagination;
use svc_domain::scan::{Directory, Run, RunStatus, RunTrigger};
use svc_events::Events;
use svc_identity::audit::BackgroundLog;
use svc_identity::error::ServiceError;
use svc_store::RunRepository;

pub use request::{IndexAction, StartRun};
use unsaved::UnsavedRuns;

pub use svc_store::RunLogFilter;

/// How often the row of a run under way is brought up to date.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// How long an action is waited for: long enough for the files at hand of almost any library, and no longer than
/// somebody looks at a button. What takes longer comes by itself.
const EFFECT_WAIT: Duration = Duration::from_secs(2);

/// Runs that are looked through for one that tells how many files there are.
const RUNS_BEFORE: u32 = 5;

/// What the indexer is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexState {
    /// No run.
    Idle,
    /// A run is under way.
    Indexing,
    /// A run is held.
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
    /// The run with its numbers of this moment.
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

/// Ends the current run when dropped, so that even a panic leaves the indexer idle. Whoever hears of the end can start
/// the next run, and hears of that after it.
struct RunGuard<'a> {
    indexing: &'a Indexing,
    ended: Option<Run>,
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

/// The indexer as the API and the command line use it. There is one run at a time.
#[derive(Debug, Clone)]
pub struct Indexing {
    scanner: Scanner,
    runs: RunRepository,
    events: Events,
    current: Arc<Mutex<Option<CurrentRun>>>,
    unsaved: UnsavedRuns,
    log: BackgroundLog,
}

impl Indexing {
    /// The indexer over this scanner, which tells what happens.
    pub fn new(scanner: Scanner, runs: RunRepository, log: BackgroundLog, events: Events) -> Self {
        Self {
            scanner,
            runs,
            log,
            events,
            current: Arc::default(),
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
        let mut teller = ProgressPublisher {
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
        // Side by side: while the run's row waits for the database's writer, the scan that holds it must go on.
        let outcome = tokio::select! {
            outcome = scan => outcome,
            never = self.keep_saving() => match never {},
            never = teller.publish_periodically() => match never {},
        };
        // From here on nothing can be asked of the run. A stop that was granted before is one, however far it came.
        let stopped = control.finish().await;
        teller.publish_final();
        self.publish_directory_changes(&events, &before).await;
        self.end(&mut run_guard, outcome, stopped, progress).await;
    }

    /// Tells which directories came or went since.
    async fn publish_directory_changes(&self, events: &RunEvents, before: &[Directory]) {
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

    async fn end(
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
                progress.warn(queries::why_it_broke_off(&error).to_owned());
                RunStatus::Failed
            }
        };
        run.warnings = progress.warnings();
        run.completed_at = Some(self.scanner.clock.now());
        self.unsaved.save(&self.runs, &run).await;
        self.note(AuditEvent::IndexRunEnded, &run).await;
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

    /// Writes a line of the audit log about a run. Those that nobody asked for are told by what set them off: a busy
    /// directory has many a minute, which are one line.
    async fn note(&self, event: AuditEvent, run: &Run) {
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
        self.log.note(event, run.started_by, &details).await;
    }

    /// Files of this run's kinds that the last complete one found.
    async fn files_before(&self, run: &Run) -> Option<u64> {
        let page = Pagination {
            take: RUNS_BEFORE,
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

    /// Brings the row of the run under way up to date from time to time.
    async fn keep_saving(&self) -> Infallible {
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

    /// What the indexer is doing, with the run if there is one.
    pub fn state(&self) -> (IndexState, Option<Run>) {
        let run = self.current().as_ref().map(CurrentRun::snapshot);
        let state = match run.as_ref().map(|run| run.status) {
            None => IndexState::Idle,
            Some(RunStatus::Paused) => IndexState::Paused,
            Some(_) => IndexState::Indexing,
        };
        (state, run)
    }

    /// What threads of the run under way ask.
    pub fn control(&self) -> Option<Arc<ScanControl>> {
        self.current()
            .as_ref()
            .map(|current| Arc::clone(&current.control))
    }

    /// Pauses, resumes or stops the run, and waits shortly for the effect, which comes after the files at hand.
    ///
    /// # Errors
    /// Conflict `index_action_conflict` when the state does not permit it.
    pub async fn act(&self, action: IndexAction) -> Result<IndexState, ServiceError> {
        let conflict = |message| ServiceError::conflict("index_action_conflict", message);
        let current = self.current().as_ref().map(|current| {
            let control = Arc::clone(&current.control);
            (control, current.ended.clone())
        });
        let Some((control, mut ended)) = current else {
            return match action {
                IndexAction::Resume => Ok(IndexState::Idle),
                IndexAction::Pause | IndexAction::Stop => Err(conflict("no run is under way")),
            };
        };
        let mut phases = control.phases();
        // Too little time is no fault, and a sender that is gone is an end.
        match action {
            IndexAction::Resume => control.resume(),
            IndexAction::Pause => {
                control.pause().map_err(|refused| {
                    conflict(match refused {
                        Refused(Phase::Paused) => "the run is paused already",
                        Refused(_) => "the run is about to end",
                    })
                })?;
                let held = phases.wait_for(|phase| *phase != Phase::Pausing);
                let _ = tokio::time::timeout(EFFECT_WAIT, held).await;
            }
            IndexAction::Stop => {
                control.stop();
                let _ = tokio::time::timeout(EFFECT_WAIT, ended.wait_for(|ended| *ended)).await;
            }
        }
        Ok(self.state().0)
    }

    /// Asks the run to end, if there is one, without waiting for it.
    pub fn ask_to_stop(&self) {
        if let Some(current) = self.current().as_ref() {
            current.control.stop();
        }
    }

    /// Waits until no run is under way.
    pub async fn wait_until_idle(&self) {
        loop {
            let Some(mut ended) = self.current().as_ref().map(|current| current.ended.clone()) else {
                return;
            };
            // An error means that the run's task is gone: nobody ends a run that it left behind.
            let is_gone = ended.wait_for(|ended| *ended).await.is_err();
            if is_gone && self.is_current(&ended) {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Whether the run under way is the one that tells its end here.
    fn is_current(&self, ended: &watch::Receiver<bool>) -> bool {
        self.current()
            .as_ref()
            .is_some_and(|current| current.ended.same_channel(ended))
    }
}
