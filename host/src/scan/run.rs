//! One run: joins the phases.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::control::ScanControl;
use super::diff::{Diff, FolderLoss};
use super::extract::Extract;
use super::persist::Persisting;
use super::progress::Progress;
use super::roots::ScanRoot;
use super::settle;
use super::walk::Walk;
use crate::domain::id::{DirectoryId, IdGenerator, RunId};
use crate::domain::scan::{Directory, RunType};
use crate::domain::time::Clock;
use crate::media_root::MediaRoot;
use crate::plugins::Plugins;
use crate::store::{Store, StoreError};

/// Changed directories that wait for their comparison.
const QUEUED_LISTINGS: usize = 128;
/// Chunks of files that wait for a worker.
const QUEUED_CHUNKS: usize = 32;
/// Chunks of records that wait for the store.
const QUEUED_RESULTS: usize = 64;
/// Listing directories is bound by the kernel and the disk, not by cores.
const WALK_THREADS: usize = 2;

/// Why a run broke off.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gave no threads.
    #[error("cannot start the scan's threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A thread of the scan panicked.
    #[error("a thread of the scan failed")]
    Thread(#[from] tokio::task::JoinError),
}

/// How a run came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanEnd {
    /// All was looked at.
    Completed,
    /// Ended early, as asked.
    Stopped,
}

/// Runs the indexer.
#[derive(Debug, Clone)]
pub struct Scanner {
    /// Where the index is.
    pub store: Store,
    /// Who reads the files.
    pub plugins: Plugins,
    /// Makes the ids of new rows.
    pub ids: Arc<IdGenerator>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Threads that read files.
    pub threads: usize,
}

impl Scanner {
    /// Scans these roots. Every file that can be read is in the index at the end; failures are stored with their
    /// files and counted, they do not end the run.
    ///
    /// # Errors
    /// Only when the database or the system fails; what was stored before stays.
    pub async fn run(
        &self,
        run: RunId,
        run_type: RunType,
        directories: Vec<Directory>,
        control: &Arc<ScanControl>,
        progress: &Arc<Progress>,
    ) -> Result<ScanEnd, ScanError> {
        let mut roots = Vec::new();
        for directory in directories {
            roots.extend(self.open_root(directory, progress).await?.map(Arc::new));
        }
        let roots: Arc<[Arc<ScanRoot>]> = roots.into();
        let mut writer = self.store.scan_writer(Arc::clone(&self.ids));

        let (listing_sender, listings) = flume::bounded(QUEUED_LISTINGS);
        let (work_sender, work) = flume::bounded(QUEUED_CHUNKS);
        let (result_sender, results) = flume::bounded(QUEUED_RESULTS);

        let walk_pool = thread_pool("svc-walk", WALK_THREADS)?;
        let walk = tokio::task::spawn_blocking({
            let (roots, control, progress) = (Arc::clone(&roots), Arc::clone(control), Arc::clone(progress));
            move || {
                for root in roots.iter() {
                    let listings = listing_sender.clone();
                    let walk = Walk {
                        root,
                        run_type,
                        control: &control,
                        progress: &progress,
                        listings,
                    };
                    walk_pool.install(|| walk.run());
                }
                progress.walked();
            }
        });
        let extract_pool = thread_pool("svc-extract", self.threads)?;
        let extract = tokio::task::spawn_blocking({
            let (plugins, control, progress) =
                (self.plugins.clone(), Arc::clone(control), Arc::clone(progress));
            let results = result_sender.clone();
            move || {
                let extract = Extract {
                    plugins: &plugins,
                    control: &control,
                    progress: &progress,
                    work,
                    results,
                };
                extract_pool.broadcast(|_| extract.run());
            }
        });
        let diff = Diff {
            store: &self.store,
            ids: &self.ids,
            clock: self.clock.as_ref(),
            run_type,
            progress,
            work: work_sender,
            results: result_sender,
        };
        let persisting = Persisting {
            run,
            ids: &self.ids,
            clock: self.clock.as_ref(),
            writer: &mut writer,
            progress,
        };
        let (losses, persisted, walked, extracted) =
            tokio::join!(diff.run(listings), persisting.run(results), walk, extract);
        persisted?;
        let losses = losses?;
        walked?;
        extracted?;

        control.wait_while_paused().await;
        let end = if control.is_stopping() {
            ScanEnd::Stopped
        } else {
            ScanEnd::Completed
        };
        if end == ScanEnd::Completed {
            self.mark_missing(&mut writer, progress, &roots, losses).await?;
        }
        writer.settle().await?;
        Ok(end)
    }

    async fn mark_missing(
        &self,
        writer: &mut crate::store::ScanWriter,
        progress: &Progress,
        roots: &[Arc<ScanRoot>],
        mut losses: HashMap<DirectoryId, Vec<FolderLoss>>,
    ) -> Result<(), StoreError> {
        for root in roots {
            let losses = losses.remove(&root.directory.id).unwrap_or_default();
            settle::mark_missing(&self.store, writer, progress, root, losses, self.clock.now()).await?;
        }
        Ok(())
    }

    /// Prepares a root; `None` for one that is not there, whose rows stay as they are.
    async fn open_root(
        &self,
        directory: Directory,
        progress: &Progress,
    ) -> Result<Option<ScanRoot>, StoreError> {
        let now = self.clock.now();
        let plugins = self.plugins.by_extension(&directory.kind);
        if plugins.is_empty() {
            progress.warn(format!(
                "{}: no plugin reads files of kind `{}`",
                directory.path.display(),
                directory.kind
            ));
            return Ok(None);
        }
        let folders = self.store.folders(directory.id).await?;
        let knows_files = folders.iter().any(|folder| folder.file_count > 0);
        let reason = match MediaRoot::open(&directory.path).and_then(|root| Ok((root, is_empty(&directory)?)))
        {
            Ok((_, true)) if knows_files => "it is empty, but files of it are known".to_owned(),
            Ok((root, _)) => {
                self.store
                    .set_directory_available(directory.id, true, now)
                    .await?;
                return Ok(Some(ScanRoot::new(directory, root, plugins, folders)));
            }
            Err(error) => error.to_string(),
        };
        progress.warn(format!(
            "{}: not available, left as it is: {reason}",
            directory.path.display()
        ));
        self.store
            .set_directory_available(directory.id, false, now)
            .await?;
        Ok(None)
    }
}

fn is_empty(directory: &Directory) -> std::io::Result<bool> {
    Ok(std::fs::read_dir(&directory.path)?.next().is_none())
}

fn thread_pool(name: &'static str, threads: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |number| format!("{name}-{number}"))
        // rayon's default is to abort the process.
        .panic_handler(|_| tracing::error!(target: "svc::scan", "a thread of the scan panicked"))
        .build()
}
