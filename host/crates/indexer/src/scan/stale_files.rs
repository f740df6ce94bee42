//! Phase 6: reads stale files again, in one thread, after all other phases.

use std::collections::HashSet;
use std::sync::Arc;

use flume::Sender;
use futures_util::FutureExt as _;

use crate::scan::control::ScanControl;
use crate::scan::error::ScanError;
use crate::scan::progress::Progress;
use crate::scan::roots::ScanRoot;
use crate::scan::run::{QUEUED_CHUNKS, QUEUED_RESULTS, RootParts, Scanner};
use crate::scan::run_log::RunLog;
use crate::scan::sidecars;
use crate::scan::work::{PendingFolder, WorkChunk, WorkItem};
use svc_domain::id::{FileId, FolderId};
use svc_store::{ScanWriter, StaleFile, StoreError};

/// Files per query.
const FILES_PER_QUERY: i64 = 512;

impl Scanner {
    /// Reads files again that another version of an active plugin read, or that have an older record format, within the
    /// scanned parts. Files that this run failed to read are excluded.
    pub(super) async fn read_stale_files(
        &self,
        roots: &[RootParts],
        left_unread: &HashSet<FileId>,
        control: &Arc<ScanControl>,
        progress: &Arc<Progress>,
        writer: &mut ScanWriter,
        run_log: &mut RunLog<'_>,
    ) -> Result<(), ScanError> {
        let current: Vec<(String, String)> = roots
            .iter()
            .flat_map(|(root, _)| root.extractors.values().flatten())
            .filter(|extractor| extractor.plugin.is_active())
            .map(|extractor| (extractor.version.id.clone(), extractor.version.digest.clone()))
            .collect();
        let stale = self.index.stale_plugins(&current).await?;
        if stale.is_empty() {
            return Ok(());
        }
        let (work_sender, work) = flume::bounded(QUEUED_CHUNKS);
        let (result_sender, results) = flume::bounded(QUEUED_RESULTS);
        let extract = self.extract(1, control, progress, work, result_sender)?;
        let feed = async {
            // Moved in, so that the receiver ends with this function.
            let work = work_sender;
            for parts in roots {
                self.send_stale_files(parts, left_unread, &stale, control, &work)
                    .await?;
            }
            Ok::<(), StoreError>(())
        };
        let persister = self.persister(progress, run_log, writer);
        let (fed, persisted, extracted) = tokio::join!(feed.boxed(), persister.run(results).boxed(), extract);
        fed?;
        persisted?;
        extracted?;
        if !control.is_stopping() {
            self.index.delete_plugin_versions(&stale).await?;
        }
        Ok(())
    }

    /// Sends the stale files of a root's parts, directory by directory.
    async fn send_stale_files(
        &self,
        (root, parts): &RootParts,
        left_unread: &HashSet<FileId>,
        stale: &[i64],
        control: &ScanControl,
        work: &Sender<WorkChunk>,
    ) -> Result<(), StoreError> {
        let mut after = (FolderId::from(0), FileId::from(0));
        loop {
            let files = self
                .index
                .stale_files(root.directory.id, stale, after, FILES_PER_QUERY)
                .await?;
            let Some(last) = files.last() else {
                return Ok(());
            };
            after = (last.folder, last.id);
            for files in files.chunk_by(|a, b| a.folder == b.folder) {
                let looked_at = |file: &&StaleFile| parts.iter().any(|part| file.path.is_below(part));
                let files = files.iter().filter(looked_at);
                let files = files.filter(|file| !left_unread.contains(&file.id)).cloned();
                let chunk = stale_chunk(Arc::clone(root), files.collect()).await;
                let Some(chunk) = chunk else { continue };
                if control.is_stopping() || work.send_async(chunk).await.is_err() {
                    return Ok(());
                }
            }
        }
    }
}

/// Builds the work for the files of one directory; `None` if it cannot be listed, which leaves them to the next run.
async fn stale_chunk(root: Arc<ScanRoot>, files: Vec<StaleFile>) -> Option<WorkChunk> {
    let first = files.first()?;
    let (id, path) = (first.folder, first.path.clone());
    let listed = tokio::task::spawn_blocking(move || {
        let sidecars = sidecars::list(&root, &path).ok()?;
        Some(PendingFolder::unchanged(root, id, path, Arc::new(sidecars)))
    });
    let folder = Arc::new(listed.await.ok()??);
    let item = |file: StaleFile| WorkItem {
        id: file.id,
        sidecar_digest: folder.sidecars.digest(&file.name),
        name: file.name,
        known: true,
    };
    let files = files.into_iter().map(item).collect();
    Some(WorkChunk {
        files,
        folder: Arc::clone(&folder),
    })
}
