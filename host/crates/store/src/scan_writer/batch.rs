//! What a scan hands to the store: a batch of files, and what storing it changed.

use std::sync::Arc;

use svc_domain::id::{FileId, FolderId, MusicArtistId, MusicReleaseId, PhotoId};
use svc_domain::scan::{DirectoryDigest, RunLogEntry, ScannedFile};
use svc_domain::time::Timestamp;

/// A version of a plugin that read files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PluginVersion {
    /// The plugin.
    pub id: String,
    /// Its version.
    pub version: String,
    /// Digest of its code.
    pub digest: String,
}

impl std::fmt::Display for PluginVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.id, self.version)
    }
}

/// A file that was read, and by whom.
#[derive(Debug, Clone)]
pub struct StoredFile {
    /// The file and what was read.
    pub file: ScannedFile,
    /// The plugin; `None` if it came to none.
    pub plugin: Option<Arc<PluginVersion>>,
    /// [`digest_of`](super::digest_of) the file.
    pub digest: Option<i64>,
    /// One of [`Store::files_that_say_the_same`](crate::Store::files_that_say_the_same): its items are left as they are.
    pub unchanged: bool,
}

/// A folder all of whose files are in this batch or in earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderDone {
    /// The folder.
    pub id: FolderId,
    /// Of its files as they were read; `None` makes the next scan read it again.
    pub digest: Option<DirectoryDigest>,
    /// Files in it that are not missing.
    pub file_count: i64,
}

/// What a scan has found since the last batch.
#[derive(Debug, Clone, Default)]
pub struct ScanBatch {
    /// The moment, for the ids of what is made.
    pub now: Timestamp,
    /// Files that were read.
    pub files: Vec<StoredFile>,
    /// Files that are there; those that were missing are so no more.
    pub restored: Vec<FileId>,
    /// Files that are not there.
    pub missing: Vec<FileId>,
    /// Folders that are complete.
    pub folders_done: Vec<FolderDone>,
    /// Lines for the log.
    pub logs: Vec<RunLogEntry>,
}

/// What a batch brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersistOutcome {
    /// Releases that are new, with their titles.
    pub added_releases: Vec<(MusicReleaseId, String)>,
    /// Artists that are new, with their names.
    pub added_artists: Vec<(MusicArtistId, String)>,
    /// Photos that were known and are read again, are missing, or are back, with the access class of their folders.
    pub updated_photos: Vec<(PhotoId, i64)>,
}
