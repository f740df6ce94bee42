//! Work items that the diff sends to other phases.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::scan::roots::ScanRoot;
use crate::scan::sidecars::FolderSidecars;
use svc_domain::id::{FileId, FolderId};
use svc_domain::path::RelativePath;
use svc_domain::scan::DirectoryDigest;

/// A directory with files still to read. Its directory digest is stored with the last of them.
#[derive(Debug)]
pub(in crate::scan) struct PendingFolder {
    pub(in crate::scan) root: Arc<ScanRoot>,
    pub(in crate::scan) id: FolderId,
    pub(in crate::scan) path: RelativePath,
    pub(in crate::scan) digest: DirectoryDigest,
    pub(in crate::scan) file_count: i64,
    pub(in crate::scan) sidecars: Arc<FolderSidecars>,
    pub(in crate::scan) unread: AtomicUsize,
    /// Files are read again although the directory is unchanged.
    pub(in crate::scan) is_refreshed: bool,
}

impl PendingFolder {
    /// A directory with stale files but without changes; its directory digest stays.
    pub(in crate::scan) fn unchanged(
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
    pub(in crate::scan) fn mark_read(&self) -> bool {
        self.unread.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

/// A file to read.
#[derive(Debug)]
pub(in crate::scan) struct WorkItem {
    pub(in crate::scan) id: FileId,
    pub(in crate::scan) name: String,
    /// Whether the file has a row.
    pub(in crate::scan) known: bool,
    /// Digest of its sidecars.
    pub(in crate::scan) sidecar_digest: Option<i64>,
}

/// Files of one directory to read.
#[derive(Debug)]
pub(in crate::scan) struct WorkChunk {
    pub(in crate::scan) folder: Arc<PendingFolder>,
    pub(in crate::scan) files: Vec<WorkItem>,
}

/// A directory with missing files. They are marked at the end of the run. Until then they count as one unread file, so
/// that the directory digest is not stored before.
#[derive(Debug)]
pub(in crate::scan) struct MissingFiles {
    pub(in crate::scan) folder: Arc<PendingFolder>,
    pub(in crate::scan) missing: Vec<(FileId, String)>,
    /// Files that an ignore rule now excludes. They are marked as missing too, but do not count towards the limit of
    /// missing files.
    pub(in crate::scan) ignored: Vec<(FileId, String)>,
}
