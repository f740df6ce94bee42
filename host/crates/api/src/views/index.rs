//! The indexer: state, runs, logs, counts, media directories.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::id::{DirectoryId, RunId, RunLogId, UserId};
use svc_domain::kind::MediaKind;
use svc_domain::scan::{Directory, KindCounts, Run, RunLogEntry, RunPath};
use svc_domain::time::Timestamp;
use svc_indexer::indexing::IndexState;
use svc_indexer::scan_scheduler::WatchState;
use svc_library::plugins::KindState;

/// The state of the indexer.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "IndexState"))]
pub struct IndexStateView {
    /// `idle`, `indexing` or `paused`.
    state: &'static str,
    /// The current run; `null` while idle.
    run: Option<RunView>,
}

impl IndexStateView {
    /// The state, with the current run.
    pub fn new(state: IndexState, run: Option<Run>) -> Self {
        let state = match state {
            IndexState::Idle => "idle",
            IndexState::Indexing => "indexing",
            IndexState::Paused => "paused",
        };
        Self {
            state,
            run: run.map(RunView::from),
        }
    }
}

/// Numbers of files of one media kind in a run.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "RunCounts"))]
pub struct RunCountsView {
    found: u64,
    added: u64,
    updated: u64,
    unchanged: u64,
    missing: u64,
    errored: u64,
}

impl From<KindCounts> for RunCountsView {
    fn from(counts: KindCounts) -> Self {
        let KindCounts {
            found,
            added,
            updated,
            unchanged,
            missing,
            errored,
        } = counts;
        Self {
            found,
            added,
            updated,
            unchanged,
            missing,
            errored,
        }
    }
}

/// A directory below the root directories of a media kind.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "RunPath"))]
#[serde(rename_all = "camelCase")]
pub struct RunPathView {
    /// The media kind.
    #[salvo(schema(value_type = String))]
    root_dir: MediaKind,
    /// Path relative to the root directories.
    path: String,
}

impl From<RunPath> for RunPathView {
    fn from(part: RunPath) -> Self {
        Self {
            root_dir: part.root_dir,
            path: part.path.as_str().to_owned(),
        }
    }
}

/// A run of the indexer.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Run"))]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    #[salvo(schema(value_type = String))]
    run_id: RunId,
    /// `quick` or `full`.
    #[serde(rename = "type")]
    run_type: &'static str,
    /// What started it: `user`, `command`, `start` (start of the server with an empty index), `schedule` or `watch`.
    trigger: &'static str,
    /// The media kinds of the run; empty for all.
    #[salvo(schema(value_type = Vec<String>))]
    media_kinds: Vec<MediaKind>,
    /// The directories of the run; empty for all.
    paths: Vec<RunPathView>,
    /// The run does not change the index.
    dry_run: bool,
    /// `running`, `paused`, `completed`, `stopped` or `failed`.
    status: &'static str,
    #[salvo(schema(value_type = Option<String>))]
    started_by: Option<UserId>,
    #[salvo(schema(value_type = String))]
    started_at: Timestamp,
    #[salvo(schema(value_type = Option<String>))]
    completed_at: Option<Timestamp>,
    /// Counts by media kind.
    counts: BTreeMap<String, RunCountsView>,
    files_opened: u64,
    /// Duration in seconds, without pauses.
    seconds: f64,
    warnings: Vec<String>,
}

impl From<Run> for RunView {
    fn from(run: Run) -> Self {
        Self {
            run_id: run.id,
            run_type: run.run_type.as_str(),
            trigger: run.options.trigger.as_str(),
            media_kinds: run.options.media_kinds,
            paths: run.options.paths.into_iter().map(RunPathView::from).collect(),
            dry_run: run.options.dry_run,
            status: run.status.as_str(),
            started_by: run.started_by,
            started_at: run.started_at,
            completed_at: run.completed_at,
            counts: run
                .counts
                .into_iter()
                .map(|(kind, counts)| (kind, counts.into()))
                .collect(),
            files_opened: run.files_opened,
            seconds: run.seconds,
            warnings: run.warnings,
        }
    }
}

/// A log entry of a run.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "RunLogEntry"))]
#[serde(rename_all = "camelCase")]
pub struct RunLogView {
    #[salvo(schema(value_type = String))]
    run_log_id: RunLogId,
    #[salvo(schema(value_type = String))]
    run_id: RunId,
    #[salvo(schema(value_type = String))]
    at: Timestamp,
    /// Such as `file_errored`.
    event: String,
    /// `null` in entries about the run itself.
    #[salvo(schema(value_type = Option<String>))]
    media_kind: Option<MediaKind>,
    /// Path of the file, relative to its media directory.
    relative_path: String,
    plugin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Details of the change: `movedFrom`, the previous path of a moved file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<Object>))]
    diff: Option<serde_json::Value>,
}

impl From<RunLogEntry> for RunLogView {
    fn from(entry: RunLogEntry) -> Self {
        Self {
            run_log_id: entry.id,
            run_id: entry.run,
            at: entry.id.created_at(),
            event: entry.event,
            media_kind: entry.kind,
            relative_path: entry.path.as_str().to_owned(),
            plugin: entry.plugin,
            reason: entry.reason,
            diff: entry.diff.and_then(|text| serde_json::from_str(&text).ok()),
        }
    }
}

/// Numbers of files in the index: `musicFiles`, `photoFiles`, `movieFiles`, `tvFiles`, and `<kind>Files` for each media
/// kind of a plugin.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "FileCounts"))]
pub struct CountsView(BTreeMap<String, i64>);

impl CountsView {
    /// The counts; 0 for built-in kinds without files.
    pub fn new(counts: &BTreeMap<MediaKind, i64>) -> Self {
        let key = |kind: &str| match kind {
            "photos" => "photoFiles".to_owned(),
            "movies" => "movieFiles".to_owned(),
            other => format!("{other}Files"),
        };
        let mut view: BTreeMap<_, _> = MediaKind::BUILT_IN.iter().map(|kind| (key(kind), 0)).collect();
        view.extend(counts.iter().map(|(kind, count)| (key(kind.as_str()), *count)));
        Self(view)
    }
}

const UNAVAILABLE: &str = "the directory cannot be read, or is empty although files in it are indexed";

/// A configured media directory.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Directory"))]
#[serde(rename_all = "camelCase")]
pub struct DirectoryView {
    #[salvo(schema(value_type = String))]
    directory_id: DirectoryId,
    #[salvo(schema(value_type = String))]
    media_kind: MediaKind,
    path: String,
    available: bool,
    /// `active`; `unavailable`: the directory cannot be read; or the state of the media kind if no plugin reads it:
    /// `no_plugin`, `plugin_disabled`, `plugin_idle`, `plugin_quarantined`, `plugin_incompatible`, `plugin_failed`.
    state: &'static str,
    /// Why files of the directory are not read. What is indexed stays as it is until they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    file_count: i64,
    /// How changes are detected: `ok`, by notifications of the file system; `polling`, every five minutes; `failed`, not
    /// while the directory is unavailable; `off`, only by scheduled and manual runs.
    watcher: &'static str,
    #[salvo(schema(value_type = Option<String>))]
    last_seen_at: Option<Timestamp>,
}

impl DirectoryView {
    /// A directory with the state of its kind and its watcher.
    pub fn new(directory: Directory, kind: &KindState, watch: WatchState) -> Self {
        let (state, reason) = match kind {
            KindState::Active if !directory.available => ("unavailable", Some(UNAVAILABLE.to_owned())),
            _ => (kind.code(), kind.reason().map(str::to_owned)),
        };
        Self {
            state,
            reason,
            directory_id: directory.id,
            media_kind: directory.kind,
            path: directory.path.to_string_lossy().into_owned(),
            available: directory.available,
            file_count: directory.file_count,
            watcher: watch.as_str(),
            last_seen_at: directory.last_seen_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_include_built_in_kinds_and_kinds_of_plugins() {
        let counts = BTreeMap::from([(MediaKind::photos(), 7), ("comics".parse().unwrap(), 2)]);
        let json = serde_json::to_string(&CountsView::new(&counts)).unwrap();
        assert_eq!(
            json,
            r#"{"comicsFiles":2,"movieFiles":0,"musicFiles":0,"photoFiles":7,"tvFiles":0}"#
        );
    }
}
