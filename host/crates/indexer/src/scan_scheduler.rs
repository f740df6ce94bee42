//! Keeps the index up to date by itself: watches the directories, and scans them on a schedule.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::indexing::{Indexing, StartRun};
use crate::scan::{ChangedPaths, DirectoryWatch};
use futures_util::FutureExt as _;
use svc_domain::id::{DirectoryId, RunId};
use svc_domain::kind::MediaKind;
use svc_domain::list::Pagination;
use svc_domain::path::RelativePath;
use svc_domain::scan::{RunOptions, RunPath, RunStatus, RunTrigger, RunType};
use svc_domain::time::Timestamp;
use svc_identity::Context;
use svc_identity::error::{Result, ServiceError};
use svc_identity::settings::Settings;
use svc_identity::setup::Setup;
use svc_store::IndexRepository;

pub use crate::scan::WatchState;

/// How often settings are looked at, and whether watches hold.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often the schedule is.
const SCHEDULE_EVERY: Duration = Duration::from_secs(60);
/// After the start, the first run by itself over what is indexed already waits for this long: whoever starts the server may want another.
const FIRST_RUN_AFTER: Duration = Duration::from_secs(60);
/// A change is looked at when nothing else has changed for this long, so that one run finds a whole album.
const QUIET: Duration = Duration::from_millis(400);
/// A change waits for no longer than this, however busy its neighbours are.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often directories are looked at whose changes the system does not tell, and watching is tried anew.
const POLL_EVERY: Duration = Duration::from_secs(5 * 60);
/// How often a directory that is away is looked for.
const RETRY_EVERY: Duration = Duration::from_secs(30);
/// After a run that could not look at a change, the next one waits for this long, and twice as long after each other.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// The longest such wait: what is in the way for longer, a full disk or a database that is away, waits for people.
const LONGEST_RETRY: Duration = Duration::from_secs(5 * 60);

/// What came of looking at changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// A run has looked, or was told to stop.
    Seen,
    /// Another run was under way.
    Occupied,
    /// No run could start, or it broke off.
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
    /// Over this indexer. Nothing is watched before [`ScanScheduler::run`].
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

    /// The same without the wait after the start.
    #[must_use]
    pub fn at_once(self) -> Self {
        Self {
            first_run_after: Duration::ZERO,
            ..self
        }
    }

    fn watches(&self) -> MutexGuard<'_, HashMap<DirectoryId, Arc<DirectoryWatch>>> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How changes in a directory are noticed now.
    pub fn watch_state(&self, directory: DirectoryId) -> WatchState {
        self.watches()
            .get(&directory)
            .map_or(WatchState::Off, |watch| watch.state)
    }

    /// Goes on for as long as the server runs.
    pub async fn run(&self) {
        tokio::join!(self.follow_changes().boxed(), self.follow_settings().boxed());
    }

    /// Starts runs where something changed.
    async fn follow_changes(&self) {
        let mut retry = FIRST_RETRY;
        loop {
            self.changed.next().await;
            let first = Instant::now();
            while first.elapsed() < PATIENCE && tokio::time::timeout(QUIET, self.changed.next()).await.is_ok()
            {
            }
            let changed = self.changed.take();
            if changed.is_empty() {
                continue;
            }
            let wait = match self.look_at(&changed).await {
                Outcome::Seen => {
                    retry = FIRST_RETRY;
                    continue;
                }
                Outcome::Occupied => Duration::ZERO,
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

    /// Runs over these places, and waits for the end: what a run has passed already may be what changes meanwhile.
    async fn look_at(&self, changed: &[(MediaKind, RelativePath)]) -> Outcome {
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
                tracing::warn!(%error, "the run for changed paths could not start; it is retried");
                return Outcome::Failed;
            }
        };
        self.indexing.wait_until_idle().await;
        let Some(run) = run else {
            return Outcome::Occupied;
        };
        match self.indexing.run(run).await.map(|run| run.status) {
            // Unknown is a run that a reset deleted, together with what it was about.
            Ok(RunStatus::Completed | RunStatus::Stopped) | Err(ServiceError::NotFound) => Outcome::Seen,
            _ => Outcome::Failed,
        }
    }

    /// Watches what is to be watched, and runs what is due.
    async fn follow_settings(&self) {
        let first_run = Instant::now() + self.first_run_after;
        // When the schedule is looked at next.
        let mut next_look = first_run;
        // What changed before the watch began is still to be looked for.
        let mut is_behind = true;
        // Nothing may be in the index yet: then whoever has set the server up waits for a run.
        let mut is_first = true;
        let mut turn = tokio::time::interval(LOOK_EVERY);
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
                if Instant::now() >= next_look {
                    next_look = Instant::now() + SCHEDULE_EVERY;
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

    /// Watches what is not watched yet, or no longer, and looks where nothing tells.
    async fn watch(&self) -> Result<()> {
        let configured = self.indexing.directory_ids().await?;
        // A factory reset gives directories other ids.
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
            // Nobody told what happened meanwhile.
            let is_still_away = before == Some(WatchState::Failed) && watch.state == WatchState::Failed;
            if before.is_some() && !is_still_away {
                self.changed.add(&watch.kind, RelativePath::root());
            }
            self.watches().insert(id, Arc::new(watch));
        }
        Ok(())
    }

    /// Starts a run where nothing is indexed, unless nothing is to run by itself; false if none was started.
    ///
    /// # Errors
    /// The store's.
    pub async fn start_first(&self) -> Result<bool> {
        // The setup may have been a moment ago, and may have said so.
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

    /// Starts the run of the schedule; false if another is under way.
    async fn start_scheduled(&self) -> Result<bool> {
        let purge_before = self.settings.purge_missing_after().map(|after| self.ago(after));
        let options = RunOptions {
            trigger: RunTrigger::Schedule,
            ..RunOptions::default()
        };
        Ok(self.start(options, purge_before).await?.is_some())
    }

    /// Whether the schedule asks for a run.
    async fn is_due(&self) -> Result<bool> {
        let Some(every) = self.settings.scan_every() else {
            return Ok(false);
        };
        let since = self.ago(every);
        // Runs of single directories, by the watch, are none of the schedule's.
        let page = Pagination { take: 100, skip: 0 };
        let runs = self.indexing.runs(page).await?.items;
        let is_whole = |options: &RunOptions| {
            options.paths.is_empty() && options.media_kinds.is_empty() && !options.dry_run
        };
        Ok(!runs
            .iter()
            .any(|run| is_whole(&run.options) && run.started_at >= since))
    }

    fn ago(&self, duration: Duration) -> Timestamp {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.context.now().millis().saturating_sub(millis))
    }

    /// Starts a quick run; `None` if another is under way.
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

/// Whether a directory is to be watched anew. Blocks while it is looked up.
fn is_stale(watch: &DirectoryWatch) -> bool {
    match watch.state {
        WatchState::Ok => !watch.is_valid(),
        WatchState::Polling => watch.since.elapsed() >= POLL_EVERY,
        WatchState::Failed => watch.since.elapsed() >= RETRY_EVERY,
        WatchState::Off => true,
    }
}
