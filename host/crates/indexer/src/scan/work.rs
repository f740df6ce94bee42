//! What the phases send each other: files to read, files that were read, directories with nothing to read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::scan::control::InFlightGuard;
use crate::scan::roots::ScanRoot;
use crate::scan::sidecars::FolderSidecars;
use svc_domain::id::{FileId, FolderId, ItemId};
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{DirectoryDigest, RunLogEvent, ScannedFile};
use svc_store::PluginVersion;

/// A directory with files still to read. Its directory digest is stored with the last of them.
#[derive(Debug)]
pub(super) struct PendingFolder {
    pub(super) root: Arc<ScanRoot>,
    pub(super) id: FolderId,
    pub(super) path: RelativePath,
    pub(super) digest: DirectoryDigest,
    pub(super) file_count: i64,
    pub(super) sidecars: Arc<FolderSidecars>,
    pub(super) unread: AtomicUsize,
    /// Files are read again although the directory is unchanged.
    pub(super) is_refreshed: bool,
}

impl PendingFolder {
    /// A directory with stale files but without changes; its directory digest stays.
    pub(super) fn unchanged(
        root: Arc<ScanRoot>,
        id: FolderId,
        path: RelativePath,
        sidecars: Arc<FolderSidecars>,
    ) -> Self {
        Self {
            root,
            id,
            path,
            digest: DirectoryDigest::default(),
            file_count: 0,
            sidecars,
            unread: AtomicUsize::new(usize::MAX),
            is_refreshed: true,
        }
    }

    /// Counts a file as read; returns true for the last one. A file that is left unread is not counted, so the
    /// directory digest is not stored and the next run compares the directory again.
    pub(super) fn mark_read(&self) -> bool {
        self.unread.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// A file to read.
#[derive(Debug)]
pub(super) struct WorkItem {
    pub(super) id: FileId,
    pub(super) name: String,
    /// Whether the file has a row.
    pub(super) known: bool,
    pub(super) sidecar_digest: Option<i64>,
}

/// Files of one directory to read.
#[derive(Debug)]
pub(super) struct WorkChunk {
    pub(super) folder: Arc<PendingFolder>,
    pub(super) files: Vec<WorkItem>,
}

/// A file that was read, with its plugin.
#[derive(Debug)]
pub(super) struct ReadFile {
    pub(super) folder: Arc<PendingFolder>,
    pub(super) plugin: Arc<PluginVersion>,
    pub(super) file: ScannedFile,
    /// Digest of the stored record.
    pub(super) digest: i64,
    /// The storage failed; the next run reads it again.
    pub(super) try_again: bool,
    /// The group that it was in, for a kept reading.
    pub(super) kept_group: Option<ItemId>,
}

/// A message to the persist phase.
#[derive(Debug)]
pub(super) enum Persist {
    /// Read files, which stay in flight until they are stored.
    Read(Vec<ReadFile>, InFlightGuard),
    /// A directory without files to read.
    Compared {
        /// The directory, if its directory digest has to be stored.
        folder: Option<Arc<PendingFolder>>,
        /// Files that were marked missing and exist again.
        restored: Vec<FileId>,
    },
    /// A file whose plugins are quarantined; logged only.
    Quarantined {
        folder: Arc<PendingFolder>,
        id: FileId,
        name: String,
        /// The first of the plugins.
        plugin: Arc<PluginVersion>,
        reason: Option<String>,
    },
    /// A line of a dry run; logged only.
    DryRun {
        kind: MediaKind,
        /// The event for each file.
        lines: Vec<(RunLogEvent, RelativePath)>,
    },
}

/// A directory with missing files. They are marked at the end of the run. Until then they count as one unread file, so
/// that the directory digest is not stored before.
#[derive(Debug)]
pub(super) struct MissingFiles {
    pub(super) folder: Arc<PendingFolder>,
    pub(super) missing: Vec<(FileId, String)>,
    /// Files that an ignore rule now excludes. They are marked as missing too, but do not count towards the limit of
    /// missing files.
    pub(super) ignored: Vec<(FileId, String)>,
}
