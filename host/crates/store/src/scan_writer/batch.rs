//! A batch of scan results, and the changes that storing it made.

use std::sync::Arc;

use svc_domain::change::ChangeKind;
use svc_domain::id::{FileId, FolderId, ItemId, MusicArtistId, MusicReleaseId, PhotoId};
use svc_domain::kind::MediaKind;
use svc_domain::scan::{DirectoryDigest, RunLogEntry, ScannedFile};
use svc_domain::time::Timestamp;

/// A version of a plugin that extracted files.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PluginVersion {
    /// Plugin id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// Digest of its code, and of its settings where they are not the defaults.
    pub digest: String,
    /// Digest of its code.
    pub component: String,
}

impl std::fmt::Display for PluginVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.id, self.version)
    }
}

/// An extracted file and its plugin.
#[derive(Debug, Clone)]
pub struct StoredFile {
    /// The file and its record.
    pub file: ScannedFile,
    /// The plugin; `None` if no plugin ran.
    pub plugin: Option<Arc<PluginVersion>>,
    /// [`digest_of`](super::digest_of) the file.
    pub digest: Option<i64>,
    /// In [`IndexRepository::unchanged_files`](crate::IndexRepository::unchanged_files): its items stay as they are.
    pub unchanged: bool,
    /// The group that it was in, for a kept reading: an item with its id is found or made again.
    pub kept_group: Option<ItemId>,
}

/// A folder whose files are all in this or earlier batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderDone {
    /// The folder.
    pub id: FolderId,
    /// Digest of its files as they were read; `None` makes the next scan read the folder again.
    pub digest: Option<DirectoryDigest>,
    /// Number of files that are not missing.
    pub file_count: i64,
}

/// Results of a scan since the last batch.
#[derive(Debug, Clone, Default)]
pub struct ScanBatch {
    /// Time in the ids of new rows.
    pub now: Timestamp,
    /// Extracted files.
    pub files: Vec<StoredFile>,
    /// Files that are present; missing ones become restored.
    pub restored: Vec<FileId>,
    /// Files that are missing.
    pub missing: Vec<FileId>,
    /// Completed folders.
    pub folders_done: Vec<FolderDone>,
    /// Entries of the run log.
    pub logs: Vec<RunLogEntry>,
}

/// Changes that a batch made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersistOutcome {
    /// New releases with their titles.
    pub added_releases: Vec<(MusicReleaseId, String)>,
    /// New artists with their names.
    pub added_artists: Vec<(MusicArtistId, String)>,
    /// Known photos that were extracted again, went missing or were restored, with the access class of their folders.
    pub updated_photos: Vec<(PhotoId, i64)>,
    /// Changed items of kinds that plugins define.
    pub items: Vec<ItemChange>,
}

/// The change of an item of a kind that a plugin defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChange {
    /// The item.
    pub id: ItemId,
    /// Its kind.
    pub kind: MediaKind,
    /// What happened.
    pub change: ChangeKind,
    /// Access classes of the folders of its files; empty for a removed item.
    pub access_classes: Vec<i64>,
}
