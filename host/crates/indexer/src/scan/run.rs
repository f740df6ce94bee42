//! One run: joins the phases.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use flume::{Receiver, Sender};
use futures_util::FutureExt as _;
use tokio::task::JoinHandle;

use crate::scan::control::ScanControl;
use crate::scan::diff::{Diff, FolderLoss, WorkChunk};
use crate::scan::error::ScanError;
use crate::scan::extract::Extract;
use crate::scan::mark_missing::MarkMissing;
use crate::scan::persist::{Persist, Persister, Stored};
use crate::scan::progress::Progress;
use crate::scan::roots::{KindExtractors, ScanRoot};
use crate::scan::run_log::RunLog;
use crate::scan::threads::thread_pool;
use crate::scan::walk::{DirectoryListing, Walk};
use svc_domain::id::{DirectoryId, FileId, IdGenerator, RunId};
use svc_domain::path::RelativePath;
use svc_domain::scan::{Directory, RunLogEvent, RunType};
use svc_domain::time::{Clock, Timestamp};
use svc_platform::media_root::MediaRoot;
use svc_platform::tasks::Tasks;
use svc_plugin_host::Plugins;
use svc_store::{DirectoryRepository, IndexRepository, ScanBatch, ScanWriter, StoreError};

/// Changed directories that wait for their comparison.
const QUEUED_LISTINGS: usize = 128;
/// Chunks of files that wait for a worker.
pub(super) const QUEUED_CHUNKS: usize = 32;
/// Chunks of records that wait for the store.
pub(super) const QUEUED_RESULTS: usize = 64;
/// Listing directories is bound by the kernel and the disk, not by cores.
const WALK_THREADS: usize = 2;

/// How a run came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanEnd {
    /// All was looked at.
    Completed,
    /// Ended early, as asked.
    Stopped,
}

/// A root directory to scan.
#[derive(Debug, Clone)]
pub struct Target {
    /// The directory.
    pub directory: Directory,
    /// The parts of it to look at, none of them below another; the root itself for all.
    pub parts: Vec<RelativePath>,
}

/// What a run is to do.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// The run.
    pub run: RunId,
    /// Quick or full.
    pub run_type: RunType,
    /// Where.
    pub targets: Vec<Target>,
    /// Change nothing: count and log what would be done.
    pub dry_run: bool,
    /// What is gone is meant to be gone, however much it is.
    pub accept_missing: bool,
    /// Forget files that have been missing since before this moment.
    pub purge_before: Option<Timestamp>,
}

/// Runs the indexer.
#[derive(Debug, Clone)]
pub struct Scanner {
    /// Folders and files of the index.
    pub index: IndexRepository,
    /// Media directories.
    pub directories: DirectoryRepository,
    /// Who reads the files.
    pub plugins: Plugins,
    /// Makes the ids of new rows.
    pub ids: Arc<IdGenerator>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Threads that read files.
    pub threads: usize,
    /// Carries runs to their end.
    pub tasks: Tasks,
}

/// A root with the parts of it that a run looks at.
pub(super) type RootParts = (Arc<ScanRoot>, Vec<RelativePath>);

impl Scanner {
    /// Scans these roots. Every file that can be read is in the index at the end; failures are stored with their
    /// files and counted, they do not end the run.
    ///
    /// # Errors
    /// Only when the database or the system fails; what was stored before stays.
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
        self.note(&mut writer, &mut run_log, RunLogEvent::RunStarted)
            .await?;
        let (losses, stored) = self
            .look(&request, &roots, control, progress, &mut writer, &mut run_log)
            .boxed()
            .await?;
        let stopped = || control.is_stopping();
        if let Some(_in_flight) = control.checkpoint_async().await {
            self.mark_missing(
                &request,
                &roots,
                losses,
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
                self.read_stale_files(&roots, &stored.left, control, progress, &mut writer, &mut run_log)
                    .boxed()
                    .await?;
            }
            let in_flight = control.checkpoint_async().await;
            if let Some(before) = request.purge_before.filter(|_| in_flight.is_some()) {
                writer.purge_missing(before, self.clock.now()).await?;
            }
            writer.recompute_aggregates(self.clock.now()).await?;
        }
        let (end, event) = if stopped() {
            (ScanEnd::Stopped, RunLogEvent::RunStopped)
        } else {
            (ScanEnd::Completed, RunLogEvent::RunCompleted)
        };
        self.note(&mut writer, &mut run_log, event).await?;
        Ok(end)
    }

    /// The first four phases: what is new or changed is in the index after them. Answers with what is gone.
    async fn look(
        &self,
        request: &ScanRequest,
        roots: &Arc<[RootParts]>,
        control: &Arc<ScanControl>,
        progress: &Arc<Progress>,
        writer: &mut ScanWriter,
        run_log: &mut RunLog<'_>,
    ) -> Result<(Losses, Stored), ScanError> {
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
        let (losses, stored, walked, extracted) = tokio::join!(
            diff.run(listings).boxed(),
            persister.run(results).boxed(),
            walk,
            extract
        );
        let stored = stored?;
        let losses = losses?;
        walked?;
        extracted?;
        Ok((losses, stored))
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
            left: HashSet::new(),
        }
    }

    /// Starts the threads that read files. They end when there is no more work.
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
        mut losses: Losses,
        moved: &HashSet<FileId>,
        progress: &Progress,
        writer: &mut ScanWriter,
        run_log: &mut RunLog<'_>,
    ) -> Result<(), StoreError> {
        for (root, parts) in roots {
            let now = self.clock.now();
            let directory = &root.directory;
            let losses = losses.remove(&directory.id).unwrap_or_default();
            let there = if root.is_still_there() {
                let settling = MarkMissing {
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
                settling.run(root.vanished_folders(parts), losses).await?
            } else {
                progress.warn(format!(
                    "{}: went away during the run; nothing of it is marked as missing",
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

    /// Writes a line about the run itself into its log.
    async fn note(
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

    /// Prepares a root; `None` for one that is not there, whose rows stay as they are.
    pub(super) async fn open_root(
        &self,
        directory: Directory,
        progress: &Progress,
    ) -> Result<Option<ScanRoot>, StoreError> {
        let now = self.clock.now();
        let plugins = KindExtractors {
            by_extension: self.plugins.by_extension(&directory.kind),
            related: self.plugins.related_extensions(&directory.kind),
        };
        if plugins.by_extension.is_empty() {
            progress.warn(format!(
                "{}: no plugin reads files of kind `{}`",
                directory.path.display(),
                directory.kind
            ));
            return Ok(None);
        }
        let folders = self.index.folders(directory.id).await?;
        let knows_files = folders.iter().any(|folder| folder.file_count > 0);
        let opened = MediaRoot::open(&directory.path).and_then(|root| Ok((root, is_empty(&directory)?)));
        let (id, path) = (directory.id, directory.path.clone());
        let opened = match opened {
            Ok((_, true)) if knows_files => Err("it is empty, but files of it are known".to_owned()),
            Ok((root, _)) => {
                ScanRoot::new(directory, root, plugins, folders).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        self.directories
            .set_directory_available(id, opened.is_ok(), now)
            .await?;
        match opened {
            Ok(root) => Ok(Some(root)),
            Err(reason) => {
                progress.warn(format!(
                    "{}: not available, left as it is: {reason}",
                    path.display()
                ));
                Ok(None)
            }
        }
    }
}

/// What is gone, by root.
type Losses = HashMap<DirectoryId, Vec<FolderLoss>>;

/// Starts the walk over all parts of all roots, one after the other.
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

fn is_empty(directory: &Directory) -> std::io::Result<bool> {
    Ok(std::fs::read_dir(&directory.path)?.next().is_none())
}
