//! Phase 2: compares listed directories with the store and queues the files to read.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use flume::{Receiver, Sender};

use crate::scan::progress::{Outcome, Progress};
use crate::scan::walk::DirectoryListing;
use crate::scan::work::{MissingFiles, PendingFolder, Persist, WorkChunk, WorkItem};
use svc_domain::id::{DirectoryId, FileId, FolderId, IdGenerator};
use svc_domain::path::RelativePath;
use svc_domain::scan::{FileStatus, KnownFile, RunLogEvent, RunType};
use svc_domain::time::Clock;
use svc_store::{IndexRepository, StoreError};

/// Directories per query for known files.
const LISTINGS_PER_QUERY: usize = 64;

/// Files per chunk of work, small enough that the last chunk does not delay the end of the run.
const FILES_PER_CHUNK: usize = 16;

/// The comparison phase of one run.
pub(super) struct Diff<'a> {
    pub(super) index: &'a IndexRepository,
    pub(super) ids: &'a IdGenerator,
    pub(super) clock: &'a dyn Clock,
    pub(super) run_type: RunType,
    /// Only report what would be done.
    pub(super) dry_run: bool,
    pub(super) progress: &'a Progress,
    pub(super) work: Sender<WorkChunk>,
    pub(super) results: Sender<Persist>,
}

impl Diff<'_> {
    /// Runs until the walk has ended; returns the missing files of each directory, by root.
    pub(super) async fn run(
        self,
        listings: Receiver<DirectoryListing>,
    ) -> Result<HashMap<DirectoryId, Vec<MissingFiles>>, StoreError> {
        let mut missing_by_root: HashMap<DirectoryId, Vec<MissingFiles>> = HashMap::new();
        while let Ok(first) = listings.recv_async().await {
            let mut batch = vec![first];
            batch.extend(listings.try_iter().take(LISTINGS_PER_QUERY - 1));
            let mut known = self.known_files(&batch).await?;
            let new_folders = self.add_new_folders(&batch).await?;
            for (listing, new_id) in batch.into_iter().zip(new_folders) {
                let root = listing.root.directory.id;
                let Some(id) = new_id.or_else(|| listing.root.mark_seen(&listing.path).map(|known| known.id))
                else {
                    continue;
                };
                let files = known.remove(&id).unwrap_or_default();
                if self.dry_run {
                    let missing_files = self.report_dry_run(listing, id, files).await;
                    missing_by_root.entry(root).or_default().extend(missing_files);
                    continue;
                }
                let Some(missing_files) = self.compare(listing, id, files).await else {
                    // The workers are gone because the run is ending.
                    return Ok(missing_by_root);
                };
                missing_by_root.entry(root).or_default().extend(missing_files);
            }
        }
        Ok(missing_by_root)
    }

    /// The stored files of the listed directories.
    async fn known_files(
        &self,
        batch: &[DirectoryListing],
    ) -> Result<HashMap<FolderId, Vec<KnownFile>>, StoreError> {
        let ids: Vec<FolderId> = batch
            .iter()
            .filter_map(|listing| listing.root.mark_seen(&listing.path))
            .map(|known| known.id)
            .collect();
        let mut by_folder: HashMap<FolderId, Vec<KnownFile>> = HashMap::new();
        if !ids.is_empty() {
            for file in self.index.files_in_folders(&ids).await? {
                by_folder.entry(file.folder).or_default().push(file);
            }
        }
        Ok(by_folder)
    }

    /// Inserts directories without a row; returns the new id of each, `None` for known ones.
    async fn add_new_folders(&self, batch: &[DirectoryListing]) -> Result<Vec<Option<FolderId>>, StoreError> {
        let now = self.clock.now();
        let mut new: HashMap<DirectoryId, Vec<(FolderId, RelativePath)>> = HashMap::new();
        let mut ids = Vec::with_capacity(batch.len());
        for listing in batch {
            let id = listing
                .root
                .mark_seen(&listing.path)
                .is_none()
                .then(|| self.ids.next::<FolderId>(now));
            if let Some(id) = id {
                new.entry(listing.root.directory.id)
                    .or_default()
                    .push((id, listing.path.clone()));
            }
            ids.push(id);
        }
        if self.dry_run {
            return Ok(ids);
        }
        for (directory, folders) in new {
            self.index.add_folders(directory, &folders).await?;
        }
        Ok(ids)
    }

    /// Sends the files to read to the workers. The outer `None` means that the receiver is gone because the run is
    /// ending; the inner one that no file of the directory is missing.
    async fn compare(
        &self,
        listing: DirectoryListing,
        id: FolderId,
        known: Vec<KnownFile>,
    ) -> Option<Option<MissingFiles>> {
        let FolderDiff {
            unread,
            restored,
            missing,
            ignored,
            unclaimed,
        } = self.classify_files(&listing, known);
        let any_gone = !missing.is_empty() || !ignored.is_empty();
        let file_count = i64::try_from(listing.files.len() + unclaimed).unwrap_or(i64::MAX);
        let unchanged = listing.files.len() - unread.len();
        if let Some(kind) = self.progress.kind(&listing.root.directory.kind) {
            kind.unchanged(unchanged);
        }
        let folder = Arc::new(PendingFolder {
            root: listing.root,
            id,
            path: listing.path,
            digest: listing.digest,
            file_count,
            sidecars: listing.sidecars,
            unread: AtomicUsize::new(unread.len() + usize::from(any_gone)),
            is_refreshed: false,
        });
        let missing_files = any_gone.then(|| MissingFiles {
            folder: Arc::clone(&folder),
            missing,
            ignored,
        });
        if unread.is_empty() {
            let folder = missing_files.is_none().then_some(folder);
            self.results
                .send_async(Persist::Compared { folder, restored })
                .await
                .ok()?;
            return Some(missing_files);
        }
        if !restored.is_empty() {
            self.results
                .send_async(Persist::Compared {
                    folder: None,
                    restored,
                })
                .await
                .ok()?;
        }
        let mut unread = unread.into_iter().peekable();
        while unread.peek().is_some() {
            let files = unread.by_ref().take(FILES_PER_CHUNK).collect();
            self.work
                .send_async(WorkChunk {
                    folder: Arc::clone(&folder),
                    files,
                })
                .await
                .ok()?;
        }
        Some(missing_files)
    }

    /// Classifies the files of a directory. Merges the two lists sorted by name, because a map of known files would
    /// double the memory for a large directory. In a dry run, a full scan counts as changed only the files that differ.
    fn classify_files(&self, listing: &DirectoryListing, mut known: Vec<KnownFile>) -> FolderDiff {
        let now = self.clock.now();
        let reads_all = self.run_type == RunType::Full && !self.dry_run;
        known.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let mut known = known.into_iter().peekable();
        let mut compared = FolderDiff::default();
        for found in &listing.files {
            while let Some(gone) = known.next_if(|file| file.name < found.name) {
                compared.add_missing(gone, listing);
            }
            let sidecar_digest = listing.sidecars.digest(&found.name);
            let item = |id, known| WorkItem {
                id,
                name: found.name.clone(),
                known,
                sidecar_digest,
            };
            match known.next_if(|file| file.name == found.name) {
                None => compared.unread.push(item(self.ids.next(now), false)),
                Some(file)
                    if reads_all
                        || (file.size, file.mtime_ns) != (found.size, found.mtime_ns)
                        || file.sidecar_digest != sidecar_digest =>
                {
                    compared.unread.push(item(file.id, true));
                }
                Some(file) if file.status == FileStatus::Missing => compared.restored.push(file.id),
                Some(_) => {}
            }
        }
        known.for_each(|gone| compared.add_missing(gone, listing));
        compared
    }

    /// Dry run: counts and logs what a run would read in a directory; returns the missing files, if any.
    async fn report_dry_run(
        &self,
        listing: DirectoryListing,
        id: FolderId,
        known: Vec<KnownFile>,
    ) -> Option<MissingFiles> {
        let FolderDiff {
            unread,
            missing,
            ignored,
            ..
        } = self.classify_files(&listing, known);
        let kind = &listing.root.directory.kind;
        if let Some(counts) = self.progress.kind(kind) {
            counts.unchanged(listing.files.len() - unread.len());
            for item in &unread {
                counts.read(if item.known {
                    Outcome::Updated
                } else {
                    Outcome::Added
                });
            }
        }
        let lines = unread.iter().map(|item| {
            let event = if item.known {
                RunLogEvent::Updated
            } else {
                RunLogEvent::Added
            };
            (event, listing.path.join_text(&item.name))
        });
        let lines = Persist::DryRun {
            kind: kind.clone(),
            lines: lines.collect(),
        };
        // Fails only if the run has ended for another reason.
        let _ = self.results.send_async(lines).await;
        let DirectoryListing {
            root, path, sidecars, ..
        } = listing;
        (!missing.is_empty() || !ignored.is_empty()).then(|| MissingFiles {
            folder: Arc::new(PendingFolder::unchanged(root, id, path, sidecars)),
            missing,
            ignored,
        })
    }
}

/// The files of a directory by what a run has to do with them.
#[derive(Default)]
struct FolderDiff {
    /// New and changed files, which are read.
    unread: Vec<WorkItem>,
    /// Files that were marked as missing and are back unchanged.
    restored: Vec<FileId>,
    /// Known files that are gone.
    missing: Vec<(FileId, String)>,
    /// Known files that are now excluded by a rule; any number of them may become missing at once.
    ignored: Vec<(FileId, String)>,
    /// Files that no plugin reads now.
    unclaimed: usize,
}

impl FolderDiff {
    /// Records a known file that is gone or excluded, unless it is already marked. The walk does not look for files
    /// that no plugin reads, so those are not gone.
    fn add_missing(&mut self, file: KnownFile, listing: &DirectoryListing) {
        if file.status == FileStatus::Missing {
            return;
        }
        if !listing.root.is_media(&file.name) {
            listing.root.keep_unclaimed(&file.name);
            self.unclaimed += 1;
            return;
        }
        let list = if listing.ignored.contains(&file.name) {
            &mut self.ignored
        } else {
            &mut self.missing
        };
        list.push((file.id, file.name));
    }
}
