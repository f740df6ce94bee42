//! Phase 5: marks missing files, unless too many are missing at once.

use std::collections::HashSet;

use crate::scan::persist::folder_done;
use crate::scan::progress::Progress;
use crate::scan::roots::{ScanRoot, VanishedFolders};
use crate::scan::run_log::{Details, RunLog};
use crate::scan::work::MissingFiles;
use svc_domain::id::{FileId, FolderId};
use svc_domain::path::RelativePath;
use svc_domain::scan::{FileStatus, RunLogEntry, RunLogEvent};
use svc_domain::time::Timestamp;
use svc_store::{FolderDone, IndexRepository, ScanBatch, ScanWriter, StoreError};

/// If more than this share of a root's files is missing, none is marked: a partly mounted disk is more likely than that
/// many deletions.
const MAX_LOST_SHARE: f64 = 0.3;

/// Up to this many missing files are always marked, so that small libraries can shrink.
const ALWAYS_MAY_GO: usize = 20;

const FILES_PER_TRANSACTION: usize = 500;

struct MissingFile {
    id: FileId,
    path: RelativePath,
}

impl MissingFiles {
    fn files(self) -> impl Iterator<Item = MissingFile> {
        let gone = self.missing.into_iter().chain(self.ignored);
        gone.map(move |(id, name)| MissingFile {
            id,
            path: self.folder.path.join_text(&name),
        })
    }
}

/// Marks the missing files of one root.
pub(super) struct MarkMissing<'a, 'j> {
    pub(super) index: &'a IndexRepository,
    pub(super) writer: &'a mut ScanWriter,
    pub(super) progress: &'a Progress,
    pub(super) run_log: &'a mut RunLog<'j>,
    pub(super) root: &'a ScanRoot,
    /// Files that were found at another path.
    pub(super) moved: &'a HashSet<FileId>,
    pub(super) now: Timestamp,
    /// The user confirmed that all missing files were deleted.
    pub(super) accept_missing: bool,
    /// Only count and log.
    pub(super) dry_run: bool,
}

impl MarkMissing<'_, '_> {
    /// Marks missing files; returns false, and marks none, if so many are missing that the root is considered
    /// unavailable.
    pub(super) async fn run(
        mut self,
        vanished: VanishedFolders,
        mut missing_files: Vec<MissingFiles>,
    ) -> Result<bool, StoreError> {
        for directory in &mut missing_files {
            for gone in [&mut directory.missing, &mut directory.ignored] {
                gone.retain(|(id, _)| !self.moved.contains(id));
            }
        }
        let lost = self.files_of(&vanished.lost).await?;
        let ignored = self.files_of(&vanished.ignored).await?;
        let in_folders = missing_files
            .iter()
            .map(|directory| directory.missing.len())
            .sum::<usize>();
        let ignored_in_folders = missing_files
            .iter()
            .map(|directory| directory.ignored.len())
            .sum::<usize>();
        let count = lost.len() + in_folders;
        if let Some(kind) = self.progress.kind(&self.root.directory.kind) {
            kind.missing(count + ignored.len() + ignored_in_folders);
        }
        let known = usize::try_from(self.root.known_files()).unwrap_or(0);
        let too_many = count > ALWAYS_MAY_GO && count as f64 > known as f64 * MAX_LOST_SHARE;
        if too_many && !self.accept_missing {
            self.progress.warn(format!(
                "{}: {count} of {known} files are gone; none is marked as missing. Check that the disk is mounted",
                self.root.directory.path.display()
            ));
            return Ok(false);
        }
        if self.dry_run {
            let in_folders = missing_files.into_iter().flat_map(MissingFiles::files);
            let gone = lost.into_iter().chain(ignored).chain(in_folders);
            let batch = ScanBatch {
                logs: gone.filter_map(|file| self.run_log_line(&file)).collect(),
                now: self.now,
                ..ScanBatch::default()
            };
            self.writer.persist(&batch).await?;
            return Ok(true);
        }
        for files in [lost, ignored] {
            self.mark(&files).await?;
        }
        let folders: Vec<FolderId> = vanished
            .lost
            .iter()
            .chain(&vanished.ignored)
            .map(|(id, _)| *id)
            .collect();
        self.empty(&folders).await?;
        self.mark_in_folders(missing_files).await?;
        Ok(true)
    }

    /// The files of missing directories, except those already marked or found elsewhere.
    async fn files_of(&self, folders: &[(FolderId, RelativePath)]) -> Result<Vec<MissingFile>, StoreError> {
        let mut lost = Vec::new();
        for folders in folders.chunks(FILES_PER_TRANSACTION) {
            let ids: Vec<FolderId> = folders.iter().map(|(id, _)| *id).collect();
            for file in self.index.files_in_folders(&ids).await? {
                let folder = folders.iter().find(|(id, _)| *id == file.folder);
                if let Some((_, path)) = folder
                    && file.status != FileStatus::Missing
                    && !self.moved.contains(&file.id)
                {
                    lost.push(MissingFile {
                        id: file.id,
                        path: path.join_text(&file.name),
                    });
                }
            }
        }
        Ok(lost)
    }

    fn run_log_line(&mut self, file: &MissingFile) -> Option<RunLogEntry> {
        let kind = &self.root.directory.kind;
        self.run_log.line(
            RunLogEvent::Missing,
            kind,
            file.path.clone(),
            Details::default(),
            self.now,
        )
    }

    async fn mark(&mut self, files: &[MissingFile]) -> Result<(), StoreError> {
        for files in files.chunks(FILES_PER_TRANSACTION) {
            let batch = ScanBatch {
                missing: files.iter().map(|file| file.id).collect(),
                logs: files.iter().filter_map(|file| self.run_log_line(file)).collect(),
                now: self.now,
                ..ScanBatch::default()
            };
            self.progress.committed(self.writer.persist(&batch).await?);
        }
        Ok(())
    }

    /// Records that missing directories have no files and no directory digest.
    async fn empty(&mut self, folders: &[FolderId]) -> Result<(), StoreError> {
        for folders in folders.chunks(FILES_PER_TRANSACTION) {
            let gone = |&id| FolderDone {
                id,
                digest: None,
                file_count: 0,
            };
            let batch = ScanBatch {
                folders_done: folders.iter().map(gone).collect(),
                now: self.now,
                ..ScanBatch::default()
            };
            self.writer.persist(&batch).await?;
        }
        Ok(())
    }

    async fn mark_in_folders(&mut self, mut missing_files: Vec<MissingFiles>) -> Result<(), StoreError> {
        while !missing_files.is_empty() {
            let mut batch = ScanBatch {
                now: self.now,
                ..ScanBatch::default()
            };
            while let Some(directory) = missing_files.pop() {
                if directory.folder.mark_read() {
                    batch.folders_done.push(folder_done(&directory.folder));
                }
                for lost in directory.files() {
                    batch.logs.extend(self.run_log_line(&lost));
                    batch.missing.push(lost.id);
                }
                if batch.missing.len() >= FILES_PER_TRANSACTION {
                    break;
                }
            }
            self.progress.committed(self.writer.persist(&batch).await?);
        }
        Ok(())
    }
}
