//! One run: connects the phases.

mod open_root;
mod request;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use flume::{Receiver, Sender};
use futures_util::FutureExt as _;
use tokio::task::JoinHandle;

use crate::scan::control::ScanControl;
use crate::scan::diff::Diff;
use crate::scan::error::ScanError;
use crate::scan::extract::Extract;
use crate::scan::mark_missing::MarkMissing;
use crate::scan::persist::{Persister, Stored};
use crate::scan::progress::Progress;
use crate::scan::roots::ScanRoot;
use crate::scan::run_log::RunLog;
use crate::scan::threads::thread_pool;
use crate::scan::walk::{DirectoryListing, Walk};
use crate::scan::work::{MissingFiles, Persist, WorkChunk};
use svc_domain::id::{DirectoryId, FileId, IdGenerator};
use svc_domain::path::RelativePath;
use svc_domain::scan::{RunLogEvent, RunType};
use svc_domain::time::Clock;
use svc_platform::tasks::{self, Tasks};
use svc_plugin_host::Plugins;
use svc_store::{DirectoryRepository, IndexRepository, PersistOutcome, ScanBatch, ScanWriter, StoreError};

pub use request::{ScanEnd, ScanRequest, Target};

/// Capacity of the channel from walk to diff, in directories.
const QUEUED_LISTINGS: usize = 128;
/// Capacity of the channel from diff to extract, in chunks.
pub(super) const QUEUED_CHUNKS: usize = 32;
/// Capacity of the channel from extract to persist, in chunks.
pub(super) const QUEUED_RESULTS: usize = 64;
/// From so many read files on, the statistics of the database's tables are worth a second.
const MANY_FILES: u64 = 1000;
/// Listing directories is limited by kernel and disk, not by cores.
const WALK_THREADS: usize = 2;

/// Runs the indexer.
#[derive(Debug, Clone)]
pub struct Scanner {
    /// Folders and files of the index.
    pub index: IndexRepository,
    /// Media directories.
    pub directories: DirectoryRepository,
    /// The extractors.
    pub plugins: Plugins,
    /// Generates ids of new rows.
    pub ids: Arc<IdGenerator>,
    /// The injected clock.
    pub clock: Arc<dyn Clock>,
    /// Number of extract threads.
    pub threads: usize,
    /// Runs tasks to completion.
    pub tasks: Tasks,
}

/// A root with the paths to scan.
pub(super) type RootParts = (Arc<ScanRoot>, Vec<RelativePath>);

impl Scanner {
    /// Scans these roots. At the end every readable file is indexed; failures are stored with their files and counted,
    /// and do not end the run.
    ///
    /// # Errors
    /// Only if the database or the system fails; stored changes stay.
    pub async fn run(
        &self,
        request: ScanRequest,
        control: &Arc<ScanControl>,
        progress: &Arc<Progress>,
    ) -> Result<ScanEnd, ScanError> {
        let mut roots: Vec<RootParts> = Vec::new();
        for Target { directory, parts } in request.targets.clone() {
            let root = self.open_root(directory, progress).await?;
            roots.extend(root.map(|root| (Arc::new(root), parts)));
        }
        let roots: Arc<[RootParts]> = roots.into();
        let mut writer = self.index.scan_writer(Arc::clone(&self.ids));
        let mut run_log = RunLog::new(request.run, &self.ids);
        self.write_log(&mut writer, &mut run_log, RunLogEvent::RunStarted)
            .await?;
        let (missing_by_root, stored) = self
            .index_changes(&request, &roots, control, progress, &mut writer, &mut run_log)
            .boxed()
            .await?;
        let stopped = || control.is_stopping();
        if let Some(_in_flight) = control.checkpoint_async().await {
            self.mark_missing(
                &request,
                &roots,
                missing_by_root,
                &stored.moved,
                progress,
                &mut writer,
                &mut run_log,
            )
            .boxed()
            .await?;
        }
        if !request.dry_run {
            if !stopped() {
                self.read_stale_files(
                    &roots,
                    &stored.left_unread,
                    control,
                    progress,
                    &mut writer,
                    &mut run_log,
                )
                .boxed()
                .await?;
            }
            let in_flight = control.checkpoint_async().await;
            if let Some(before) = request.purge_before.filter(|_| in_flight.is_some()) {
                writer.purge_missing(before, self.clock.now()).await?;
            }
            let recomputed = writer.recompute_aggregates(self.clock.now()).await?;
            if progress.files_opened() >= MANY_FILES {
                writer.refresh_statistics().await?;
            }
            progress.committed(PersistOutcome {
                items: recomputed.items,
                ..PersistOutcome::default()
            });
        }
        let (end, event) = if stopped() {
            (ScanEnd::Stopped, RunLogEvent::RunStopped)
        } else {
            (ScanEnd::Completed, RunLogEvent::RunCompleted)
        };
        self.write_log(&mut writer, &mut run_log, event).await?;
        Ok(end)
    }

    /// As [`Scanner::run`], on a dedicated thread.
    ///
    /// # Errors
    /// As there, and if the scan panics.
    pub async fn run_on_dedicated_thread(
        &self,
        request: ScanRequest,
        control: &Arc<ScanControl>,
        progress: &Arc<Progress>,
    ) -> Result<ScanEnd, ScanError> {
        let (scanner, control, progress) = (self.clone(), Arc::clone(control), Arc::clone(progress));
        let scan = async move { scanner.run(request, &control, &progress).await };
        tasks::spawn_dedicated_thread("scan", scan.boxed())?
            .await
            .map_err(|_| ScanError::Panicked)?
    }

    /// Runs the first four phases, which index all new and changed files; returns the missing files.
    async fn index_changes(
        &self,
        request: &ScanRequest,
        roots: &Arc<[RootParts]>,
        control: &Arc<ScanControl>,
        progress: &Arc<Progress>,
        writer: &mut ScanWriter,
        run_log: &mut RunLog<'_>,
    ) -> Result<(MissingByRoot, Stored), ScanError> {
        let (listing_sender, listings) = flume::bounded(QUEUED_LISTINGS);
        let (work_sender, work) = flume::bounded(QUEUED_CHUNKS);
        let (result_sender, results) = flume::bounded(QUEUED_RESULTS);
        let walk = walk(roots, request.run_type, control, progress, listing_sender)?;
        let extract = self.extract(self.threads, control, progress, work, result_sender.clone())?;
        let diff = Diff {
            index: &self.index,
            ids: &self.ids,
            clock: self.clock.as_ref(),
            run_type: request.run_type,
            dry_run: request.dry_run,
            progress,
            work: work_sender,
            results: result_sender,
        };
        let persister = self.persister(progress, run_log, writer);
        let (missing_by_root, stored, walked, extracted) = tokio::join!(
            diff.run(listings).boxed(),
            persister.run(results).boxed(),
            walk,
            extract
        );
        let stored = stored?;
        let missing_by_root = missing_by_root?;
        walked?;
        extracted?;
        Ok((missing_by_root, stored))
    }

    pub(super) fn persister<'a, 'j>(
        &'a self,
        progress: &'a Progress,
        run_log: &'a mut RunLog<'j>,
        writer: &'a mut ScanWriter,
    ) -> Persister<'a, 'j> {
        Persister {
            index: &self.index,
            clock: self.clock.as_ref(),
            progress,
            run_log,
            writer,
            left_unread: HashSet::new(),
        }
    }

    /// Starts the extract threads, which end when there is no more work.
    pub(super) fn extract(
        &self,
        threads: usize,
        control: &Arc<ScanControl>,
        progress: &Arc<Progress>,
        work: Receiver<WorkChunk>,
        results: Sender<Persist>,
    ) -> Result<JoinHandle<()>, ScanError> {
        let pool = thread_pool("svc-extract", threads)?;
        let (plugins, control, progress) = (self.plugins.clone(), Arc::clone(control), Arc::clone(progress));
        Ok(tokio::task::spawn_blocking(move || {
            let extract = Extract {
                plugins: &plugins,
                control: &control,
                progress: &progress,
                work,
                results,
            };
            pool.broadcast(|_| extract.run());
        }))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one run, each named")]
    async fn mark_missing(
        &self,
        request: &ScanRequest,
        roots: &[RootParts],
        mut missing_by_root: MissingByRoot,
        moved: &HashSet<FileId>,
        progress: &Progress,
        writer: &mut ScanWriter,
        run_log: &mut RunLog<'_>,
    ) -> Result<(), StoreError> {
        for (root, parts) in roots {
            let now = self.clock.now();
            let directory = &root.directory;
            let missing_files = missing_by_root.remove(&directory.id).unwrap_or_default();
            for warning in root.unclaimed_warnings() {
                progress.warn(warning);
            }
            let there = if root.is_still_there() {
                let mark_missing = MarkMissing {
                    index: &self.index,
                    writer: &mut *writer,
                    progress,
                    run_log: &mut *run_log,
                    root,
                    moved,
                    now,
                    accept_missing: request.accept_missing,
                    dry_run: request.dry_run,
                };
                mark_missing
                    .run(root.vanished_folders(parts), missing_files)
                    .await?
            } else {
                progress.warn(format!(
                    "{}: became unavailable during the run; none of its files is marked as missing",
                    directory.path.display()
                ));
                false
            };
            if !there && !request.dry_run {
                self.directories
                    .set_directory_available(directory.id, false, now)
                    .await?;
            }
        }
        Ok(())
    }

    /// Writes an entry about the run itself into its log.
    async fn write_log(
        &self,
        writer: &mut ScanWriter,
        run_log: &mut RunLog<'_>,
        event: RunLogEvent,
    ) -> Result<(), StoreError> {
        let now = self.clock.now();
        let batch = ScanBatch {
            logs: vec![run_log.run_line(event, now)],
            now,
            ..ScanBatch::default()
        };
        writer.persist(&batch).await.map(drop)
    }
}

type MissingByRoot = HashMap<DirectoryId, Vec<MissingFiles>>;

/// Starts the walk over all paths of all roots, one after the other.
fn walk(
    roots: &Arc<[RootParts]>,
    run_type: RunType,
    control: &Arc<ScanControl>,
    progress: &Arc<Progress>,
    listings: Sender<DirectoryListing>,
) -> Result<JoinHandle<()>, ScanError> {
    let pool = thread_pool("svc-walk", WALK_THREADS)?;
    let (roots, control, progress) = (Arc::clone(roots), Arc::clone(control), Arc::clone(progress));
    Ok(tokio::task::spawn_blocking(move || {
        for (root, parts) in roots.iter() {
            let listings = listings.clone();
            let walk = Walk {
                root,
                run_type,
                control: &control,
                progress: &progress,
                listings,
            };
            for part in parts {
                pool.install(|| walk.run(part));
            }
        }
        progress.walked();
    }))
}
