//! The scan scheduler: watches directories and starts runs on changes and by schedule.

mod schedule;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;

use crate::indexing::{Indexing, StartRun};
use crate::scan::{ChangedPaths, DirectoryWatch};
use svc_domain::id::{DirectoryId, RunId};
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{RunOptions, RunPath, RunStatus, RunTrigger, RunType};
use svc_domain::time::Timestamp;
use svc_identity::Context;
use svc_identity::error::{Result, ServiceError};
use svc_identity::settings::Settings;
use svc_identity::setup::Setup;
use svc_store::IndexRepository;

pub use crate::scan::WatchState;

/// Interval of checks of settings and watches.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// Interval of checks of the schedule.
const SCHEDULE_EVERY: Duration = Duration::from_secs(60);
/// Delay of the first automatic run after the start of the server, if the index is not empty, so that an administrator
/// can start another run first.
const FIRST_RUN_AFTER: Duration = Duration::from_secs(60);
/// Changes are debounced for this time, so that one run covers a whole album.
const DEBOUNCE: Duration = Duration::from_millis(400);
/// Maximum debounce time under continuous changes.
const MAX_DEBOUNCE: Duration = Duration::from_secs(5);
/// Interval of polling, and of retries to use inotify.
const POLL_EVERY: Duration = Duration::from_secs(5 * 60);
/// Interval of retries for an unavailable directory.
const RETRY_EVERY: Duration = Duration::from_secs(30);
/// Initial back-off after a failed run for a change; doubles with each failure.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// Maximum back-off. Causes that last longer, such as a full disk, need an administrator.
const LONGEST_RETRY: Duration = Duration::from_secs(5 * 60);

/// Result of a run for changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// A run has completed or was stopped.
    Done,
    /// Another run was active.
    Busy,
    /// The run could not start or was aborted.
    Failed,
}

/// Looks after the index.
#[derive(Debug, Clone)]
pub struct ScanScheduler {
    context: Context,
    index: IndexRepository,
    indexing: Indexing,
    settings: Settings,
    setup: Setup,
    changed: Arc<ChangedPaths>,
    watches: Arc<Mutex<HashMap<DirectoryId, Arc<DirectoryWatch>>>>,
    first_run_after: Duration,
}

impl ScanScheduler {
    /// Creates the scheduler. It does nothing before [`ScanScheduler::run`].
    pub fn new(
        context: Context,
        index: IndexRepository,
        indexing: Indexing,
        settings: Settings,
        setup: Setup,
    ) -> Self {
        Self {
            context,
            index,
            indexing,
            settings,
            setup,
            changed: Arc::default(),
            watches: Arc::default(),
            first_run_after: FIRST_RUN_AFTER,
        }
    }

    /// Without the delay after the start.
    #[must_use]
    pub fn without_delay(self) -> Self {
        Self {
            first_run_after: Duration::ZERO,
            ..self
        }
    }

    fn watches(&self) -> MutexGuard<'_, HashMap<DirectoryId, Arc<DirectoryWatch>>> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How changes in a directory are detected.
    pub fn watch_state(&self, directory: DirectoryId) -> WatchState {
        self.watches()
            .get(&directory)
            .map_or(WatchState::Off, |watch| watch.state)
    }

    /// Scans the directories of these kinds soon, as after a change in them: their plugins changed.
    ///
    /// # Errors
    /// Database errors.
    pub async fn rescan(&self, kinds: &HashSet<MediaKind>) -> Result<()> {
        for directory in self.indexing.directories().await? {
            if kinds.contains(&directory.kind) {
                self.changed.add(&directory.kind, RelativePath::root());
            }
        }
        Ok(())
    }

    /// Runs until the server stops.
    pub async fn run(&self) {
        tokio::join!(self.process_changes().boxed(), self.process_schedule().boxed());
    }

    /// Starts runs for changed directories.
    async fn process_changes(&self) {
        let mut retry = FIRST_RETRY;
        loop {
            self.changed.next().await;
            let first = Instant::now();
            while first.elapsed() < MAX_DEBOUNCE
                && tokio::time::timeout(DEBOUNCE, self.changed.next()).await.is_ok()
            {}
            let changed = self.changed.take();
            if changed.is_empty() {
                continue;
            }
            let wait = match self.scan_changed(&changed).await {
                Outcome::Done => {
                    retry = FIRST_RETRY;
                    continue;
                }
                Outcome::Busy => Duration::ZERO,
                Outcome::Failed => {
                    let wait = retry;
                    retry = LONGEST_RETRY.min(retry * 2);
                    wait
                }
            };
            for (kind, path) in changed {
                self.changed.add(&kind, path);
            }
            tokio::time::sleep(wait).await;
        }
    }

    /// Scans these directories and waits for the end, because changes during a run may concern directories that it has
    /// passed.
    async fn scan_changed(&self, changed: &[(MediaKind, RelativePath)]) -> Outcome {
        let paths = changed.iter().map(|(kind, path)| RunPath {
            root_dir: kind.clone(),
            path: path.clone(),
        });
        let options = RunOptions {
            paths: paths.collect(),
            trigger: RunTrigger::Watch,
            ..RunOptions::default()
        };
        let run = match self.start(options, None).await {
            Ok(run) => run,
            Err(error) => {
                tracing::warn!(%error, "the run for changed paths could not be started; it is retried");
                return Outcome::Failed;
            }
        };
        self.indexing.wait_until_idle().await;
        let Some(run) = run else {
            return Outcome::Busy;
        };
        match self.indexing.run(run).await.map(|run| run.status) {
            // A reset deleted the run together with its directories.
            Ok(RunStatus::Completed | RunStatus::Stopped) | Err(ServiceError::NotFound) => Outcome::Done,
            _ => Outcome::Failed,
        }
    }

    /// Watches directories according to the settings, and starts due runs.
    async fn process_schedule(&self) {
        let first_run = Instant::now() + self.first_run_after;
        // The next check of the schedule.
        let mut next_check = first_run;
        // Changes before the watch began still need a scan.
        let mut is_behind = true;
        // If nothing is indexed, the user who completed the setup waits for the first run.
        let mut is_first = true;
        let mut turn = tokio::time::interval(CHECK_EVERY);
        loop {
            turn.tick().await;
            let outcome = async {
                let is_watching = self.settings.watch_directories();
                if is_watching {
                    self.watch().await?;
                } else {
                    self.watches().clear();
                    is_behind = true;
                }
                if !self.setup.has_owner().await? {
                    is_first = true;
                } else if is_first {
                    if self.start_first().await? {
                        is_behind = !is_watching;
                    }
                    is_first = false;
                }
                if Instant::now() >= next_check {
                    next_check = Instant::now() + SCHEDULE_EVERY;
                    if self.is_due().await? && self.start_scheduled().await? {
                        is_behind = !is_watching;
                    }
                }
                if is_watching && is_behind && Instant::now() >= first_run {
                    for watch in self.watches().values() {
                        self.changed.add(&watch.kind, RelativePath::root());
                    }
                    is_behind = false;
                }
                Ok::<(), ServiceError>(())
            };
            if let Err(error) = outcome.await {
                tracing::warn!(%error, "scan scheduler failed; it retries");
            }
        }
    }

    /// Starts missing and lost watches, and polls directories without inotify.
    async fn watch(&self) -> Result<()> {
        let configured = self.indexing.directory_ids().await?;
        // A factory reset changes the ids of directories.
        self.watches().retain(|id, _| configured.contains(id));
        let watches: Vec<Arc<DirectoryWatch>> = self.watches().values().cloned().collect();
        let holding = tokio::task::spawn_blocking(move || {
            let holding = watches.iter().filter(|watch| !is_stale(watch));
            holding.map(|watch| watch.directory).collect::<HashSet<_>>()
        });
        let holding = holding.await.map_err(ServiceError::internal)?;
        if configured.iter().all(|id| holding.contains(id)) {
            return Ok(());
        }
        for directory in self.indexing.directories().await? {
            if holding.contains(&directory.id) {
                continue;
            }
            let changed = Arc::clone(&self.changed);
            let id = directory.id;
            let watch = tokio::task::spawn_blocking(move || DirectoryWatch::start(&directory, &changed));
            let watch = watch.await.map_err(ServiceError::internal)?;
            let before = self.watches().get(&id).map(|before| before.state);
            // Changes while the directory was not watched need a scan.
            let is_still_away = before == Some(WatchState::Failed) && watch.state == WatchState::Failed;
            if before.is_some() && !is_still_away {
                self.changed.add(&watch.kind, RelativePath::root());
            }
            self.watches().insert(id, Arc::new(watch));
        }
        Ok(())
    }

    fn ago(&self, duration: Duration) -> Timestamp {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.context.now().millis().saturating_sub(millis))
    }

    /// Starts a quick run; `None` if another run is active.
    async fn start(&self, options: RunOptions, purge_before: Option<Timestamp>) -> Result<Option<RunId>> {
        let request = StartRun {
            run_type: RunType::Quick,
            options,
            purge_before,
        };
        match self.indexing.start(request, None).await {
            Ok(run) => Ok(Some(run.id)),
            Err(ServiceError::Conflict { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether a directory needs a new watch. Blocks.
fn is_stale(watch: &DirectoryWatch) -> bool {
    match watch.state {
        WatchState::Ok => !watch.is_valid(),
        WatchState::Polling => watch.since.elapsed() >= POLL_EVERY,
        WatchState::Failed => watch.since.elapsed() >= RETRY_EVERY,
        WatchState::Off => true,
    }
}
