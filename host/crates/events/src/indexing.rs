//! Payloads of the events of scans.

use serde::{Serialize, Serializer};

use crate::message::{EventKind, Message};
use svc_domain::id::{DirectoryId, MusicArtistId, MusicReleaseId, RunId};
use svc_domain::scan::{Directory, Run, RunCounts};
use svc_domain::time::Timestamp;

/// Serializes an id as its text.
pub(super) fn text<S: Serializer>(id: &impl std::fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Started {
    #[serde(serialize_with = "text")]
    run_id: RunId,
    started_at: Timestamp,
    #[serde(rename = "type")]
    run_type: &'static str,
}

/// `indexing.started`.
pub fn started(run: &Run) -> Message {
    let payload = Started {
        run_id: run.id,
        started_at: run.started_at,
        run_type: run.run_type.as_str(),
    };
    Message::new(EventKind::IndexingStarted, &payload)
}

/// Progress of a scan.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunProgress {
    /// The scan.
    #[serde(serialize_with = "text")]
    pub run_id: RunId,
    /// The state in `GET /index/state`.
    pub state: &'static str,
    /// Numbers of files so far, by kind.
    pub counts: RunCounts,
    /// The file in flight, relative to its root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_path: Option<String>,
    /// Rate since the previous message.
    pub files_per_second: f64,
    /// `None` while it cannot be estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eta_seconds: Option<f64>,
}

/// `indexing.current_progress`.
pub fn progress(progress: &RunProgress) -> Message {
    Message::new(EventKind::IndexingCurrentProgress, progress)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StateChange<'a> {
    #[serde(serialize_with = "text")]
    run_id: RunId,
    at: Timestamp,
    counts: &'a RunCounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
}

/// `indexing.paused` or `indexing.resumed`.
pub fn transitioned(kind: EventKind, run: RunId, at: Timestamp, counts: &RunCounts) -> Message {
    let payload = StateChange {
        run_id: run,
        at,
        counts,
        status: None,
    };
    Message::new(kind, &payload)
}

/// `indexing.completed` or `indexing.stopped`: the last message of a scan, with its status.
pub fn ended(kind: EventKind, run: &Run, at: Timestamp) -> Message {
    let payload = StateChange {
        run_id: run.id,
        at,
        counts: &run.counts,
        status: Some(run.status.as_str()),
    };
    Message::new(kind, &payload)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReleaseAdded<'a> {
    #[serde(serialize_with = "text")]
    music_release_id: MusicReleaseId,
    title: &'a str,
}

/// `indexing.music_release_added`.
pub fn release_added(id: MusicReleaseId, title: &str) -> Message {
    let payload = ReleaseAdded {
        music_release_id: id,
        title,
    };
    Message::new(EventKind::IndexingMusicReleaseAdded, &payload)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtistAdded<'a> {
    #[serde(serialize_with = "text")]
    music_artist_id: MusicArtistId,
    name: &'a str,
}

/// `indexing.music_artist_added`.
pub fn artist_added(id: MusicArtistId, name: &str) -> Message {
    let payload = ArtistAdded {
        music_artist_id: id,
        name,
    };
    Message::new(EventKind::IndexingMusicArtistAdded, &payload)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DirectoryChanged<'a> {
    #[serde(serialize_with = "text")]
    directory_id: DirectoryId,
    media_kind: &'a str,
    available: bool,
}

/// `indexing.directory_changed`.
pub fn directory_changed(directory: &Directory) -> Message {
    let payload = DirectoryChanged {
        directory_id: directory.id,
        media_kind: directory.kind.as_str(),
        available: directory.available,
    };
    Message::new(EventKind::IndexingDirectoryChanged, &payload)
}
