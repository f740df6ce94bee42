//! Scans, the roots and folders they walk, and the files they index.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::extraction::ExtractFailure;
use crate::id::{DirectoryId, FileId, FolderId, RunId, RunLogId, UserId};
use crate::item::ItemRecord;
use crate::kind::MediaKind;
use crate::music::TrackFacts;
use crate::named_enum::named_enum;
use crate::path::RelativePath;
use crate::photo::PhotoFacts;
use crate::time::Timestamp;
use crate::video::VideoFacts;

/// A configured root directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Id.
    pub id: DirectoryId,
    /// Kind of its files.
    pub kind: MediaKind,
    /// Path on this machine.
    pub path: PathBuf,
    /// Whether the root was present at the last check, and not empty although files are indexed.
    pub available: bool,
    /// When it was last available.
    pub last_seen_at: Option<Timestamp>,
    /// Indexed files below it that are not missing.
    pub file_count: i64,
}

/// A digest over name, size and modification time of a directory's files.
pub type DirectoryDigest = [u8; 16];

/// A folder: a directory below a root, as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Id.
    pub id: FolderId,
    /// Relative to the root.
    pub path: RelativePath,
    /// Digest at the last complete scan of the folder; `None` if it has to be read again.
    pub digest: Option<DirectoryDigest>,
    /// Indexed files in it that are not missing.
    pub file_count: i64,
}

named_enum! {
    /// The state of an indexed file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FileStatus: i16 {
        /// Read and indexed.
        Indexed = 0 => "indexed",
        /// Could not be read; the reason is stored.
        Errored = 1 => "errored",
        /// Indexed by an earlier scan; the last one did not find it.
        Missing = 2 => "missing",
    }
}

/// An indexed file with the values that a scan compares with the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// Id.
    pub id: FileId,
    /// The folder that contains it.
    pub folder: FolderId,
    /// Without its folder.
    pub name: String,
    /// Bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// State in the index.
    pub status: FileStatus,
    /// Digest of its sidecars at the last extraction.
    pub sidecar_digest: Option<i64>,
}

/// The result of an extraction, interpreted for the kind of the file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileRecord {
    /// A music file.
    Track(Box<TrackFacts>),
    /// A photo.
    Photo(Box<PhotoFacts>),
    /// A file of a movie or episode.
    Video(Box<VideoFacts>),
    /// A file of a kind that a plugin defines.
    Item(Box<ItemRecord>),
    /// The extraction failed.
    Failed(ExtractFailure),
}

/// A file that the current scan has read, ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ScannedFile {
    /// The existing id, or a new one.
    pub id: FileId,
    /// The folder that contains it.
    pub folder: FolderId,
    /// Without its folder.
    pub name: String,
    /// Bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Fingerprint of its content: size, start, middle and end. `None` if it could not be read.
    pub fingerprint: Option<i64>,
    /// Digest of its sidecars; `None` if there are none.
    pub sidecar_digest: Option<i64>,
    /// Whether the store already has a row of it.
    pub known: bool,
    /// The result of its extraction.
    pub record: FileRecord,
}

named_enum! {
    /// Which files a scan reads.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum RunType {
        /// New and changed files.
        Quick => "quick",
        /// Every file.
        Full => "full",
    }
}

named_enum! {
    /// What started a scan.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum RunTrigger {
        /// A user, through the API.
        #[default]
        User => "user",
        /// The command line.
        Command => "command",
        /// The start of a server with an empty index.
        Start => "start",
        /// The schedule.
        Schedule => "schedule",
        /// A change in a watched directory.
        Watch => "watch",
    }
}

/// A part of the roots of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunPath {
    /// The kind.
    pub root_dir: MediaKind,
    /// Relative to each of its roots.
    pub path: RelativePath,
}

/// Options of a scan besides its type.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunOptions {
    /// Restricts the scan to these kinds; all if empty.
    pub media_kinds: Vec<MediaKind>,
    /// Restricts the scan to these paths; all if empty.
    pub paths: Vec<RunPath>,
    /// Do not store anything.
    pub dry_run: bool,
    /// Mark missing files without the check for too many of them.
    pub accept_missing: bool,
    /// What started the scan.
    pub trigger: RunTrigger,
}

named_enum! {
    /// The state of a scan.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum RunStatus {
        /// In progress.
        Running => "running",
        /// Paused.
        Paused => "paused",
        /// Completed.
        Completed => "completed",
        /// Stopped by a user.
        Stopped => "stopped",
        /// Ended by an error or a crash.
        Failed => "failed",
    }
}

/// Numbers of files of one kind in a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KindCounts {
    /// Files on disk: the sum of `added`, `updated`, `unchanged` and `errored`.
    pub found: u64,
    /// Indexed for the first time.
    pub added: u64,
    /// Read again with changed metadata.
    pub updated: u64,
    /// Not read, or read again with the same metadata.
    pub unchanged: u64,
    /// Indexed but not on disk.
    pub missing: u64,
    /// Could not be read.
    pub errored: u64,
}

/// Counts by media kind.
pub type RunCounts = BTreeMap<String, KindCounts>;

/// A scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Id.
    pub id: RunId,
    /// Quick or full.
    pub run_type: RunType,
    /// Further options.
    pub options: RunOptions,
    /// State.
    pub status: RunStatus,
    /// The account that started it; `None` for other triggers.
    pub started_by: Option<UserId>,
    /// When it started.
    pub started_at: Timestamp,
    /// When it completed, failed or was stopped.
    pub completed_at: Option<Timestamp>,
    /// Numbers of files.
    pub counts: RunCounts,
    /// Media files opened.
    pub files_opened: u64,
    /// Duration without pauses, in seconds.
    pub seconds: f64,
    /// Problems that an administrator has to know.
    pub warnings: Vec<String>,
}

named_enum! {
    /// The event of an entry in a scan's log.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RunLogEvent {
        /// A file was indexed for the first time.
        Added => "file_added",
        /// The metadata of a file changed.
        Updated => "file_updated",
        /// A file is missing.
        Missing => "file_missing",
        /// A file could not be read.
        Errored => "file_errored",
        /// A file was not read because its plugin is quarantined.
        Quarantined => "file_quarantined",
        /// The scan started.
        RunStarted => "run_started",
        /// The scan completed.
        RunCompleted => "run_completed",
        /// The scan was stopped or failed.
        RunStopped => "run_stopped",
    }
}

/// An entry of a scan's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLogEntry {
    /// Id.
    pub id: RunLogId,
    /// The scan.
    pub run: RunId,
    /// The name of a [`RunLogEvent`].
    pub event: String,
    /// Kind of the file; `None` for an entry about the scan itself.
    pub kind: Option<MediaKind>,
    /// Path of the file relative to its root.
    pub path: RelativePath,
    /// The plugin that read the file, with its version.
    pub plugin: Option<String>,
    /// Code and message of the failure.
    pub reason: Option<String>,
    /// Changed values as a JSON object, for example the former path of a moved file.
    pub diff: Option<String>,
}
