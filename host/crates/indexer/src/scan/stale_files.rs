//! Phase 6: reads stale files again, in one thread, after all other phases.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use flume::Sender;
use futures_util::FutureExt as _;

use crate::scan::control::ScanControl;
use crate::scan::error::ScanError;
use crate::scan::kept_readings;
use crate::scan::progress::Progress;
use crate::scan::roots::ScanRoot;
use crate::scan::run::{QUEUED_CHUNKS, QUEUED_RESULTS, RootParts, Scanner};
use crate::scan::run_log::RunLog;
use crate::scan::sidecars;
use crate::scan::work::{PendingFolder, Persist, ReadFile, WorkChunk, WorkItem};
use svc_domain::id::{FileId, FolderId};
use svc_store::{IndexRepository, KeptReading, KeptVersion, ScanWriter, StaleFile, StoreError};

const FILES_PER_QUERY: i64 = 512;

impl Scanner {
    /// Reads files again that another version of an active plugin read, or that have an older record format, within the
    /// scanned parts. Files that this run failed to read are excluded. After a rollback, the readings that the version
    /// made before are used instead, for files that have not changed since.
    pub(super) async fn read_stale_files(
        &self,
        roots: &[RootParts],
        left_unread: &HashSet<FileId>,
        control: &Arc<ScanControl>,
        progress: &Arc<Progress>,
        writer: &mut ScanWriter,
        run_log: &mut RunLog<'_>,
    ) -> Result<(), ScanError> {
        writer.delete_unusable_readings().await?;
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
        let kept_versions = self.index.kept_versions(&current).await?;
        let (work_sender, work) = flume::bounded(QUEUED_CHUNKS);
        let (result_sender, results) = flume::bounded(QUEUED_RESULTS);
        let extract = self.extract(1, control, progress, work, result_sender.clone())?;
        let feed = async {
            // Moved in, so that the receivers end with this function.
            let send = StaleFileSender {
                index: &self.index,
                stale: &stale,
                kept_versions: Arc::new(kept_versions),
                left_unread,
                control,
                work: work_sender,
                results: result_sender,
            };
            for parts in roots {
                send.files_of(parts).await?;
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
}

/// Sends stale files to be read, or the readings that are kept of them to be stored.
struct StaleFileSender<'a> {
    index: &'a IndexRepository,
    /// Plugin versions whose files are stale.
    stale: &'a [i64],
    /// Versions in use with kept readings: an id and a digest of a plugin. Empty unless a plugin was rolled back.
    kept_versions: Arc<KeptVersions>,
    left_unread: &'a HashSet<FileId>,
    control: &'a Arc<ScanControl>,
    work: Sender<WorkChunk>,
    results: Sender<Persist>,
}

type KeptVersions = HashMap<KeptVersion, (String, String)>;

impl StaleFileSender<'_> {
    /// Sends the stale files of a root's parts, directory by directory.
    async fn files_of(&self, (root, parts): &RootParts) -> Result<(), StoreError> {
        let mut after = (FolderId::from(0), FileId::from(0));
        loop {
            let files = self
                .index
                .stale_files(root.directory.id, self.stale, after, FILES_PER_QUERY)
                .await?;
            let Some(last) = files.last() else {
                return Ok(());
            };
            after = (last.folder, last.id);
            let mut kept = if self.kept_versions.is_empty() {
                HashMap::new()
            } else {
                let ids: Vec<FileId> = files.iter().map(|file| file.id).collect();
                self.index.kept_readings(&ids).await?
            };
            for files in files.chunk_by(|a, b| a.folder == b.folder) {
                let looked_at = |file: &&StaleFile| parts.iter().any(|part| file.path.is_below(part));
                let files = files.iter().filter(looked_at);
                let files = files.filter(|file| !self.left_unread.contains(&file.id));
                let files = files.map(|file| (file.clone(), kept.remove(&file.id)));
                let (root, files) = (Arc::clone(root), files.collect());
                let chunk = stale_chunk(root, files, Arc::clone(&self.kept_versions)).await;
                let Some((restored, unread)) = chunk else { continue };
                if !self.send(restored, unread).await {
                    return Ok(());
                }
            }
        }
    }

    /// False if the run is ending.
    async fn send(&self, restored: Vec<ReadFile>, unread: WorkChunk) -> bool {
        if !restored.is_empty() {
            let Some(in_flight) = self.control.checkpoint_async().await else {
                return false;
            };
            let restored = Persist::Read(restored, in_flight);
            if self.results.send_async(restored).await.is_err() {
                return false;
            }
        }
        let is_sent = unread.files.is_empty() || self.work.send_async(unread).await.is_ok();
        is_sent && !self.control.is_stopping()
    }
}

/// Divides the files of one directory into those of which a reading is kept, and those to read; `None` if it cannot be
/// listed, which leaves them to the next run.
async fn stale_chunk(
    root: Arc<ScanRoot>,
    files: Vec<(StaleFile, Option<KeptReading>)>,
    kept_versions: Arc<KeptVersions>,
) -> Option<(Vec<ReadFile>, WorkChunk)> {
    let (first, _) = files.first()?;
    let (id, path) = (first.folder, first.path.clone());
    let divided = tokio::task::spawn_blocking(move || {
        let sidecars = sidecars::list(&root, &path).ok()?;
        let folder = Arc::new(PendingFolder::unchanged(root, id, path, Arc::new(sidecars)));
        let (mut restored, mut unread) = (Vec::new(), Vec::new());
        for (file, kept) in files {
            let version = kept.as_ref().and_then(|kept| kept_versions.get(&kept.version));
            let reading = kept
                .zip(version)
                .and_then(|(kept, version)| kept_readings::restored(&folder, &file, kept, version));
            match reading {
                Some(reading) => restored.push(reading),
                None => unread.push(WorkItem {
                    id: file.id,
                    sidecar_digest: folder.sidecars.digest(&file.name),
                    name: file.name,
                    known: true,
                }),
            }
        }
        Some((
            restored,
            WorkChunk {
                folder,
                files: unread,
            },
        ))
    });
    divided.await.ok()?
}
