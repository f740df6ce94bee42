//! Runs of the indexer and the files they see.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::extraction::ExtractFailure;
use crate::id::{DirectoryId, FileId, FolderId, RunId, RunLogId, UserId};
use crate::kind::MediaKind;
use crate::music::TrackFacts;
use crate::path::RelativePath;
use crate::photo::PhotoFacts;
use crate::time::Timestamp;
use crate::video::VideoFacts;

/// A configured root directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Identifier.
    pub id: DirectoryId,
    /// What its files are.
    pub kind: MediaKind,
    /// Where it is on this machine.
    pub path: PathBuf,
    /// It was there, and not empty where files are known, when last looked at.
    pub available: bool,
    /// When it was last seen.
    pub last_seen_at: Option<Timestamp>,
    /// Files known below it that are not missing.
    pub file_count: i64,
}

/// Sixteen bytes that change when a directory's list of files changes: a digest over name, size and modification
/// time of each.
pub type DirectoryDigest = [u8; 16];

/// A directory below a root, as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Identifier.
    pub id: FolderId,
    /// Below its root.
    pub path: RelativePath,
    /// Of the files that were stored; `None` when the folder must be read again.
    pub digest: Option<DirectoryDigest>,
    /// Files in it, not counting missing ones.
    pub file_count: i64,
}

/// How a file stands in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i16)]
pub enum FileStatus {
    /// Read and indexed.
    Indexed = 0,
    /// Could not be read; the reason is stored.
    Errored = 1,
    /// Indexed before, and not there in the last run.
    Missing = 2,
}

impl FileStatus {
    /// The status with this number in the store.
    pub fn from_number(number: i16) -> Option<Self> {
        [Self::Indexed, Self::Errored, Self::Missing]
            .into_iter()
            .find(|status| *status as i16 == number)
    }
}

/// A file as the store has it: what the comparison with the disk needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// Identifier.
    pub id: FileId,
    /// The folder it is in.
    pub folder: FolderId,
    /// Its own name.
    pub name: String,
    /// Bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// How it stands.
    pub status: FileStatus,
    /// Of the files beside it that were read along.
    pub related_stamp: Option<i64>,
}

/// What the plugin's reading came to, in the terms of the file's kind.
#[derive(Debug, Clone, PartialEq)]
pub enum FileRecord {
    /// A music file.
    Track(Box<TrackFacts>),
    /// A photo.
    Photo(Box<PhotoFacts>),
    /// A movie's or an episode's file.
    Video(Box<VideoFacts>),
    /// Not readable, and why.
    Failed(ExtractFailure),
}

/// A file that was read in this run, ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ScannedFile {
    /// Identifier: the known one, or a new one.
    pub id: FileId,
    /// The folder it is in.
    pub folder: FolderId,
    /// Its own name.
    pub name: String,
    /// Bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Of its content: size, head, middle and tail. `None` if it could not be read.
    pub fingerprint: Option<i64>,
    /// Of the files beside it that were read along; `None` if there are none.
    pub related_stamp: Option<i64>,
    /// It has a row already.
    pub known: bool,
    /// What was read.
    pub record: FileRecord,
}

/// How much of the library a run reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunType {
    /// New and changed files.
    Quick,
    /// Every file.
    Full,
}

impl RunType {
    /// The name in store and API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

/// Who or what started a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunTrigger {
    /// A user, by the API.
    #[default]
    User,
    /// Somebody at the command line.
    Command,
    /// The first start, with nothing in the index.
    Start,
    /// The schedule.
    Schedule,
    /// A change in a directory that is watched.
    Watch,
}

impl RunTrigger {
    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Command => "command",
            Self::Start => "start",
            Self::Schedule => "schedule",
            Self::Watch => "watch",
        }
    }
}

/// A part of a kind's directories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunPath {
    /// The kind whose directories it is in.
    pub root_dir: MediaKind,
    /// Below each of them.
    pub path: RelativePath,
}

/// What a run was asked to do beside its type.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunOptions {
    /// Only these kinds; all if empty.
    pub media_kinds: Vec<MediaKind>,
    /// Only these parts; all if empty.
    pub paths: Vec<RunPath>,
    /// Change nothing.
    pub dry_run: bool,
    /// What is gone is meant to be gone, however much it is.
    pub accept_missing: bool,
    /// Who or what started it.
    pub trigger: RunTrigger,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Under way.
    Running,
    /// Held.
    Paused,
    /// Came to its end.
    Completed,
    /// Ended by a user.
    Stopped,
    /// Ended by an error or a crash.
    Failed,
}

impl RunStatus {
    /// The name in store and API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }

    /// The status of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Running,
            Self::Paused,
            Self::Completed,
            Self::Stopped,
            Self::Failed,
        ]
        .into_iter()
        .find(|status| status.as_str() == name)
    }
}

/// Files of one kind that a run has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KindCounts {
    /// Files on disk: each is one of the added, updated, unchanged and errored.
    pub found: u64,
    /// New in the index.
    pub added: u64,
    /// Read again, and they say something else.
    pub updated: u64,
    /// As before, whether they were read again or not.
    pub unchanged: u64,
    /// Known, but not on disk.
    pub missing: u64,
    /// Not readable.
    pub errored: u64,
}

/// Counts by media kind.
pub type RunCounts = BTreeMap<String, KindCounts>;

/// One run of the indexer.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Identifier.
    pub id: RunId,
    /// Quick or full.
    pub run_type: RunType,
    /// What else it was asked to do.
    pub options: RunOptions,
    /// Where it stands.
    pub status: RunStatus,
    /// Who started it; `None` for the command line.
    pub started_by: Option<UserId>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// What it saw.
    pub counts: RunCounts,
    /// Media files opened.
    pub files_opened: u64,
    /// Time it took, without pauses.
    pub seconds: f64,
    /// What an administrator should know.
    pub warnings: Vec<String>,
}

/// What a line of a run's log is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunLogEvent {
    /// A file was read for the first time.
    Added,
    /// A file was read again and says something else.
    Updated,
    /// A file is not there any more.
    Missing,
    /// A file could not be read.
    Errored,
    /// A file waits for its plugin, which is shut off.
    Quarantined,
    /// The run began.
    RunStarted,
    /// The run came to its end.
    RunCompleted,
    /// The run was ended early.
    RunStopped,
}

impl RunLogEvent {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Added,
        Self::Updated,
        Self::Missing,
        Self::Errored,
        Self::Quarantined,
        Self::RunStarted,
        Self::RunCompleted,
        Self::RunStopped,
    ];

    /// Its name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "file_added",
            Self::Updated => "file_updated",
            Self::Missing => "file_missing",
            Self::Errored => "file_errored",
            Self::Quarantined => "file_quarantined",
            Self::RunStarted => "run_started",
            Self::RunCompleted => "run_completed",
            Self::RunStopped => "run_stopped",
        }
    }
}

/// A line of a run's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunLogEntry {
    /// Identifier.
    pub id: RunLogId,
    /// The run.
    pub run: RunId,
    /// The name of a [`RunLogEvent`].
    pub event: String,
    /// The file's kind; `None` for a line about the run itself.
    pub kind: Option<MediaKind>,
    /// The file, below its root.
    pub path: RelativePath,
    /// The plugin that read it, with its version.
    pub plugin: Option<String>,
    /// Code and text of the failure.
    pub reason: Option<String>,
    /// What changed, a JSON object: where a file that moved was before.
    pub diff: Option<String>,
}
