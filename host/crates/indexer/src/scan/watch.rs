//! Detects changes in media directories: with inotify, or by polling where that does not work.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use crate::scan::ignore_rules::{NO_MEDIA, RULES, is_ignored};
use crate::scan::sidecars::holds_subtitles;
use svc_domain::id::DirectoryId;
use svc_domain::kind::MediaKind;
use svc_domain::named_enum::named_enum;
use svc_domain::path::RelativePath;
use svc_domain::scan::Directory;

/// Maximum of distinct changed paths; beyond it, their common directory is scanned.
const MAX_PLACES: usize = 256;

/// Network and FUSE file systems, for which inotify does not report remote changes.
const REMOTE: [i64; 6] = [
    0x6969,      // NFS
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB2
    0x6573_5546, // FUSE
    0x0102_1997, // 9P
    0x00c3_6400, // Ceph
];

named_enum! {
    /// How changes in a directory are detected.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum WatchState {
        /// Disabled.
        Off => "off",
        /// By inotify.
        Ok => "ok",
        /// By polling.
        Polling => "polling",
        /// The directory is unavailable.
        Failed => "failed",
    }
}

/// Changed directories since the last `take`, by kind; contained paths are merged.
#[derive(Debug, Default)]
pub struct ChangedPaths {
    places: Mutex<BTreeMap<MediaKind, BTreeSet<RelativePath>>>,
    notify: Notify,
}

impl ChangedPaths {
    fn places(&self) -> MutexGuard<'_, BTreeMap<MediaKind, BTreeSet<RelativePath>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a changed directory.
    pub fn add(&self, kind: &MediaKind, place: RelativePath) {
        let mut places = self.places();
        let of_kind = places.entry(kind.clone()).or_default();
        if of_kind.len() >= MAX_PLACES {
            of_kind.clear();
            of_kind.insert(RelativePath::root());
        } else if !of_kind.contains(&RelativePath::root()) {
            of_kind.insert(place);
        }
        drop(places);
        self.notify.notify_one();
    }

    /// Waits for the next change.
    pub async fn next(&self) {
        self.notify.notified().await;
    }

    /// Returns and clears the changed directories.
    pub fn take(&self) -> Vec<(MediaKind, RelativePath)> {
        let places = std::mem::take(&mut *self.places());
        let of_kind = |(kind, places): (MediaKind, BTreeSet<RelativePath>)| {
            places.into_iter().map(move |place| (kind.clone(), place))
        };
        places.into_iter().flat_map(of_kind).collect()
    }
}

/// The watch of one directory; ends when dropped.
#[derive(Debug)]
pub struct DirectoryWatch {
    /// Id of the directory.
    pub directory: DirectoryId,
    /// Media kind of the directory.
    pub kind: MediaKind,
    /// The state of the watch.
    pub state: WatchState,
    /// When the watch was started.
    pub since: Instant,
    path: PathBuf,
    /// The directory that was at the path then.
    root: Option<RootId>,
    /// Events were lost or the watch ended.
    lost: Arc<AtomicBool>,
    _watcher: Option<RecommendedWatcher>,
}

impl DirectoryWatch {
    /// Watches a directory recursively and records changes in `changed`. Blocks while it lists the tree.
    pub fn start(directory: &Directory, changed: &Arc<ChangedPaths>) -> Self {
        let lost = Arc::default();
        // Read before the watch starts, so that a later replacement of the directory is detected.
        let root = RootId::of(&directory.path);
        let (state, watcher) = if root.is_none() {
            (WatchState::Failed, None)
        } else if is_remote(&directory.path) {
            (WatchState::Polling, None)
        } else {
            match watch(directory, changed, &lost) {
                Ok(watcher) => (WatchState::Ok, Some(watcher)),
                Err(error) => {
                    tracing::warn!(
                        target: "svc::scan",
                        directory = %directory.path.display(),
                        "directory cannot be watched and is polled: {error}"
                    );
                    (WatchState::Polling, None)
                }
            }
        };
        Self {
            directory: directory.id,
            kind: directory.kind.clone(),
            state,
            since: Instant::now(),
            path: directory.path.clone(),
            root,
            lost,
            _watcher: watcher,
        }
    }

    /// Whether the watch is intact and the path still is the watched directory. Blocks.
    pub fn is_valid(&self) -> bool {
        !self.lost.load(Ordering::Relaxed) && self.root == RootId::of(&self.path)
    }
}

/// Device and inode of a directory; they change with a mount or a replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RootId(u64, u64);

impl RootId {
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_dir)?;
        Some(Self(found.dev(), found.ino()))
    }
}

fn watch(
    directory: &Directory,
    changed: &Arc<ChangedPaths>,
    lost: &Arc<AtomicBool>,
) -> notify::Result<RecommendedWatcher> {
    // inotify reports paths with the prefix that it was given, including links.
    let root = directory.path.clone();
    let (kind, changed, lost) = (directory.kind.clone(), Arc::clone(changed), Arc::clone(lost));
    let mut watcher = notify::recommended_watcher({
        let root = root.clone();
        move |event: notify::Result<Event>| on_event(&root, &kind, &changed, &lost, event)
    })?;
    watcher.watch(&root, RecursiveMode::Recursive)?;
    Ok(watcher)
}

/// Records the changes of an event and the loss of the watch.
fn on_event(
    root: &Path,
    kind: &MediaKind,
    changed: &ChangedPaths,
    lost: &AtomicBool,
    event: notify::Result<Event>,
) {
    match event {
        Ok(event) => {
            if removes_root(root, &event) {
                lost.store(true, Ordering::Relaxed);
            }
            record(root, kind, changed, &event);
        }
        Err(error) => {
            // Usually the limit of watches is reached: changes in new directories are not reported.
            tracing::warn!(target: "svc::scan", directory = %root.display(), "directory watch lost: {error}");
            lost.store(true, Ordering::Relaxed);
            changed.add(kind, RelativePath::root());
        }
    }
}

/// Whether the root itself was deleted or renamed. Its inode may be reused before the next check.
fn removes_root(root: &Path, event: &Event) -> bool {
    let is_end = matches!(
        event.kind,
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From))
    );
    is_end && event.paths.iter().any(|path| path == root)
}

/// Records where an event happened; reads are ignored.
fn record(root: &Path, kind: &MediaKind, changed: &ChangedPaths, event: &Event) {
    if event.need_rescan() {
        return changed.add(kind, RelativePath::root());
    }
    let is_change = match event.kind {
        EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) => true,
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) | EventKind::Any | EventKind::Other => false,
    };
    if is_change {
        for place in event.paths.iter().filter_map(|path| directory_of(root, path)) {
            changed.add(kind, place);
        }
    }
}

/// The directory to scan after a change of this path; `None` if runs ignore it.
fn directory_of(root: &Path, path: &Path) -> Option<RelativePath> {
    let below: PathBuf = path.strip_prefix(root).ok()?.to_owned();
    let mut place = RelativePath::root();
    let mut names = below.iter().peekable();
    while let Some(name) = names.next() {
        let is_rule = name == RULES || name == NO_MEDIA;
        if is_ignored(name) && !is_rule {
            return None;
        }
        if names.peek().is_some() {
            place = place.join(name);
        }
    }
    // Subtitles in a subdirectory belong to the movie in its parent.
    if holds_subtitles(place.file_name()) {
        place = place.parent().unwrap_or_default();
    }
    Some(place)
}

fn is_remote(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|system| {
        #[allow(
            clippy::unnecessary_cast,
            reason = "the field's type differs between machines"
        )]
        let number = system.f_type as i64 & 0xffff_ffff;
        REMOTE.contains(&number)
    })
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
