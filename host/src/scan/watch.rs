//! Notices changes in the media directories: by the system's notifications, or by looking from time to time where those
//! do not work.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use super::around::holds_subtitles;
use super::ignore_rules::{NO_MEDIA, RULES, is_ignored};
use crate::domain::id::DirectoryId;
use crate::domain::kind::MediaKind;
use crate::domain::path::RelativePath;
use crate::domain::scan::Directory;

/// Changed places that are kept apart. Of more, their whole directory is looked at.
const MAX_PLACES: usize = 256;

/// File systems that live on another machine or in another program: what is changed there is not told here.
const REMOTE: [i64; 6] = [
    0x6969,      // NFS
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB2
    0x6573_5546, // FUSE
    0x0102_1997, // 9P
    0x00c3_6400, // Ceph
];

/// How changes in a directory are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchState {
    /// They are not.
    Off,
    /// The system tells.
    Ok,
    /// By looking from time to time.
    Polling,
    /// The directory is not there.
    Failed,
}

impl WatchState {
    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Ok => "ok",
            Self::Polling => "polling",
            Self::Failed => "failed",
        }
    }
}

/// Where something changed since it was last asked: the lowest directories that hold it all, by kind.
#[derive(Debug, Default)]
pub struct Changed {
    places: Mutex<BTreeMap<MediaKind, BTreeSet<RelativePath>>>,
    told: Notify,
}

impl Changed {
    fn places(&self) -> MutexGuard<'_, BTreeMap<MediaKind, BTreeSet<RelativePath>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a change.
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
        self.told.notify_one();
    }

    /// Waits for the next change.
    pub async fn next(&self) {
        self.told.notified().await;
    }

    /// What has changed, which is forgotten here.
    pub fn take(&self) -> Vec<(MediaKind, RelativePath)> {
        let places = std::mem::take(&mut *self.places());
        let of_kind = |(kind, places): (MediaKind, BTreeSet<RelativePath>)| {
            places.into_iter().map(move |place| (kind.clone(), place))
        };
        places.into_iter().flat_map(of_kind).collect()
    }
}

/// The watch over one directory. Ends when it is dropped.
#[derive(Debug)]
pub struct DirectoryWatch {
    /// Which one.
    pub directory: DirectoryId,
    /// Its kind.
    pub kind: MediaKind,
    /// How it is watched.
    pub state: WatchState,
    _watcher: Option<RecommendedWatcher>,
}

impl DirectoryWatch {
    /// Watches a directory with all below it; changes are noted in `changed`. Blocks while it is listed.
    pub fn start(directory: &Directory, changed: &Arc<Changed>) -> Self {
        let (state, watcher) = if !directory.path.is_dir() {
            (WatchState::Failed, None)
        } else if is_remote(&directory.path) {
            (WatchState::Polling, None)
        } else {
            match watch(directory, changed) {
                Ok(watcher) => (WatchState::Ok, Some(watcher)),
                Err(error) => {
                    tracing::warn!(
                        target: "svc::scan",
                        directory = %directory.path.display(),
                        "changes are looked for from time to time, for the system does not tell of them: {error}"
                    );
                    (WatchState::Polling, None)
                }
            }
        };
        Self {
            directory: directory.id,
            kind: directory.kind.clone(),
            state,
            _watcher: watcher,
        }
    }
}

fn watch(directory: &Directory, changed: &Arc<Changed>) -> notify::Result<RecommendedWatcher> {
    // Notifications name the path as it was given, links and all.
    let root = directory.path.clone();
    let (kind, changed) = (directory.kind.clone(), Arc::clone(changed));
    let mut watcher = notify::recommended_watcher({
        let root = root.clone();
        move |event: notify::Result<Event>| match event {
            Ok(event) => note(&root, &kind, &changed, &event),
            // Something was lost on the way: look at everything.
            Err(_) => changed.add(&kind, RelativePath::root()),
        }
    })?;
    watcher.watch(&root, RecursiveMode::Recursive)?;
    Ok(watcher)
}

/// Notes where an event happened. Our own reading is none.
fn note(root: &Path, kind: &MediaKind, changed: &Changed, event: &Event) {
    if event.need_rescan() {
        return changed.add(kind, RelativePath::root());
    }
    let is_change = match event.kind {
        EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) => true,
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) | EventKind::Any | EventKind::Other => false,
    };
    if is_change {
        for place in event.paths.iter().filter_map(|path| place(root, path)) {
            changed.add(kind, place);
        }
    }
}

/// The directory to look at after a change of this path; `None` if runs do not come by it.
fn place(root: &Path, path: &Path) -> Option<RelativePath> {
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
    // Subtitles in a directory of their own belong to the film beside it.
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
mod tests {
    use super::*;

    fn place_of(path: &str) -> Option<String> {
        place(Path::new("/media/tv"), &Path::new("/media/tv").join(path))
            .map(|place| place.as_str().to_owned())
    }

    #[test]
    fn change_is_looked_at_from_the_directory_that_holds_it() {
        assert_eq!(place_of("Show/Season 1/e1.mkv").as_deref(), Some("Show/Season 1"));
        assert_eq!(place_of("e1.mkv").as_deref(), Some(""));
        assert_eq!(place_of("").as_deref(), Some(""));
        assert_eq!(place_of("Film/Subs/en.srt").as_deref(), Some("Film"));
        assert_eq!(place_of("Show/.svcignore").as_deref(), Some("Show"));
        assert_eq!(place_of("Show/.part/e1.mkv"), None);
        assert_eq!(place_of(".e1.mkv.swp"), None);
        assert_eq!(place(Path::new("/media/tv"), Path::new("/elsewhere/a")), None);
    }

    #[test]
    fn too_many_places_are_one() {
        let changed = Changed::default();
        for number in 0..=MAX_PLACES {
            changed.add(&MediaKind::tv(), RelativePath::from_stored(number.to_string()));
        }
        changed.add(&MediaKind::tv(), RelativePath::from_stored("later".to_owned()));
        assert_eq!(changed.take(), [(MediaKind::tv(), RelativePath::root())]);
        assert!(changed.take().is_empty());
    }
}
