//! Phase 1: lists the directories of a root in parallel and passes on those that changed.

use std::ffi::OsStr;
use std::fs::{DirEntry, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use flume::Sender;
use sha2::{Digest, Sha256};

use super::control::ScanControl;
use super::progress::Progress;
use super::roots::ScanRoot;
use crate::domain::path::{RelativePath, extension, name_to_text};
use crate::domain::scan::{FolderStamp, RunType};
use crate::media_root::mtime_ns;

/// Deeper directories are not entered: nobody keeps media there, and paths stay below the system's limit.
const MAX_DEPTH: usize = 128;

/// Directories that hold other software's data or deleted files, by exact name. Hidden ones are passed over
/// as well.
const IGNORED_NAMES: [&str; 5] = [
    "@eaDir",
    "#recycle",
    "lost+found",
    "$RECYCLE.BIN",
    "System Volume Information",
];

/// A media file on disk.
#[derive(Debug)]
pub(super) struct FoundFile {
    pub(super) name: String,
    pub(super) size: i64,
    pub(super) mtime_ns: i64,
}

/// The media files of a directory whose stamp is not the stored one.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) root: Arc<ScanRoot>,
    pub(super) path: RelativePath,
    pub(super) stamp: FolderStamp,
    pub(super) files: Vec<FoundFile>,
}

/// The directories above the current one, by device and inode, to see a link that leads back up.
#[derive(Debug)]
struct Ancestors {
    identity: (u64, u64),
    depth: usize,
    above: Option<Arc<Ancestors>>,
}

impl Ancestors {
    fn holds(&self, identity: (u64, u64)) -> bool {
        let chain = std::iter::successors(Some(self), |link| link.above.as_deref());
        chain.into_iter().any(|link| link.identity == identity)
    }
}

/// The walk of one root.
pub(super) struct Walk<'a> {
    pub(super) root: &'a Arc<ScanRoot>,
    pub(super) run_type: RunType,
    pub(super) control: &'a ScanControl,
    pub(super) progress: &'a Progress,
    pub(super) listings: Sender<Listing>,
}

enum Entry {
    Directory(RelativePath, (u64, u64)),
    File(FoundFile),
    Ignored,
}

impl Walk<'_> {
    /// Walks the whole root. To be called on a thread of a rayon pool, which takes part.
    pub(super) fn run(&self) {
        match std::fs::metadata(&self.root.directory.path) {
            Ok(metadata) => {
                let start = Ancestors {
                    identity: identity(&metadata),
                    depth: 0,
                    above: None,
                };
                rayon::scope(|scope| self.visit(scope, RelativePath::root(), &Arc::new(start)));
            }
            Err(error) => self.cannot_list(RelativePath::root(), &error),
        }
    }

    fn visit<'s>(&'s self, scope: &rayon::Scope<'s>, path: RelativePath, ancestors: &Arc<Ancestors>) {
        let Some(at_work) = self.control.checkpoint() else {
            return;
        };
        let entries = match std::fs::read_dir(path.below(&self.root.directory.path)) {
            Ok(entries) => entries,
            Err(error) => return self.cannot_list(path, &error),
        };
        let mut files = Vec::new();
        for entry in entries {
            match entry.and_then(|entry| self.classify(&path, &entry, ancestors)) {
                Ok(Entry::File(file)) => files.push(file),
                Ok(Entry::Directory(below, identity)) => {
                    let depth = ancestors.depth + 1;
                    let chain = Arc::new(Ancestors {
                        identity,
                        depth,
                        above: Some(Arc::clone(ancestors)),
                    });
                    scope.spawn(move |scope| self.visit(scope, below, &chain));
                }
                Ok(Entry::Ignored) => {}
                // Gone between listing and looking: as if it had not been listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return self.cannot_list(path, &error),
            }
        }
        // Not while waiting for room in the channel: a run that is held takes nothing out of it.
        drop(at_work);
        self.pass_on(path, files);
    }

    fn classify(&self, path: &RelativePath, entry: &DirEntry, ancestors: &Ancestors) -> io::Result<Entry> {
        let name = entry.file_name();
        if is_ignored(&name) {
            return Ok(Entry::Ignored);
        }
        let file_type = entry.file_type()?;
        if file_type.is_symlink() {
            return self.classify_link(path, &name, entry, ancestors);
        }
        if file_type.is_dir() {
            return self.directory(path, &name, &entry.metadata()?, ancestors);
        }
        if file_type.is_file() && self.is_media(&name) {
            return Ok(Entry::File(found(&name, &entry.metadata()?)));
        }
        Ok(Entry::Ignored)
    }

    /// Links are followed while they stay below the root.
    fn classify_link(
        &self,
        path: &RelativePath,
        name: &OsStr,
        entry: &DirEntry,
        ancestors: &Ancestors,
    ) -> io::Result<Entry> {
        let target = match entry.path().canonicalize() {
            Ok(target) => target,
            // A link to nothing, or a loop of links.
            Err(_) => return Ok(Entry::Ignored),
        };
        if !target.starts_with(self.canonical_root()?) {
            self.progress.warn(format!(
                "{}: a link that leaves the root is not followed",
                path.join(name)
            ));
            return Ok(Entry::Ignored);
        }
        let metadata = std::fs::metadata(&target)?;
        if metadata.is_dir() {
            return self.directory(path, name, &metadata, ancestors);
        }
        if metadata.is_file() && self.is_media(name) {
            return Ok(Entry::File(found(name, &metadata)));
        }
        Ok(Entry::Ignored)
    }

    fn canonical_root(&self) -> io::Result<std::path::PathBuf> {
        Path::new(&self.root.directory.path).canonicalize()
    }

    fn directory(
        &self,
        path: &RelativePath,
        name: &OsStr,
        metadata: &Metadata,
        ancestors: &Ancestors,
    ) -> io::Result<Entry> {
        let below = path.join(name);
        let identity = identity(metadata);
        if ancestors.holds(identity) {
            self.progress
                .warn(format!("{below}: a link to a directory above it is not followed"));
            return Ok(Entry::Ignored);
        }
        if ancestors.depth >= MAX_DEPTH {
            self.progress.warn(format!(
                "{below}: deeper than {MAX_DEPTH} directories, not entered"
            ));
            self.root.cannot_list(below);
            return Ok(Entry::Ignored);
        }
        Ok(Entry::Directory(below, identity))
    }

    fn is_media(&self, name: &OsStr) -> bool {
        self.root
            .readers
            .contains_key(&extension(&name.to_string_lossy()))
    }

    fn pass_on(&self, path: RelativePath, mut files: Vec<FoundFile>) {
        let known = self.root.see(&path);
        if files.is_empty() && known.is_none_or(|known| known.file_count == 0) {
            return;
        }
        files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let stamp = stamp(&files);
        let kind = self.progress.kind(&self.root.directory.kind);
        if let Some(kind) = kind {
            kind.found(files.len());
        }
        if self.run_type == RunType::Quick && known.is_some_and(|known| known.stamp == Some(stamp)) {
            if let Some(kind) = kind {
                kind.unchanged(files.len());
            }
            return;
        }
        // Fails only when the run has ended for another reason.
        let _ = self.listings.send(Listing {
            root: Arc::clone(self.root),
            path,
            stamp,
            files,
        });
    }

    fn cannot_list(&self, path: RelativePath, error: &io::Error) {
        let shown = if path.as_str().is_empty() {
            "the root"
        } else {
            path.as_str()
        };
        self.progress.warn(format!("{shown} cannot be listed: {error}"));
        self.root.cannot_list(path);
    }
}

/// Whether a name is passed over: hidden, or other software's.
pub fn is_ignored(name: &OsStr) -> bool {
    // Titles may start with an ellipsis: one leading dot hides, more do not.
    let hidden = matches!(name.as_encoded_bytes(), [b'.', second, ..] if *second != b'.');
    hidden || IGNORED_NAMES.iter().any(|ignored| name == *ignored)
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn found(name: &OsStr, metadata: &Metadata) -> FoundFile {
    FoundFile {
        name: name_to_text(name),
        size: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
        mtime_ns: mtime_ns(metadata),
    }
}

/// A digest over the sorted list of files.
fn stamp(files: &[FoundFile]) -> FolderStamp {
    let mut digest = Sha256::new();
    for file in files {
        digest.update(file.name.as_bytes());
        digest.update([0]);
        digest.update(file.size.to_le_bytes());
        digest.update(file.mtime_ns.to_le_bytes());
    }
    let mut stamp = FolderStamp::default();
    for (to, from) in stamp.iter_mut().zip(digest.finalize()) {
        *to = from;
    }
    stamp
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, size: i64, mtime_ns: i64) -> FoundFile {
        FoundFile {
            name: name.into(),
            size,
            mtime_ns,
        }
    }

    #[test]
    fn stamp_changes_with_each_part_of_each_file() {
        let base = stamp(&[file("a", 1, 2), file("b", 3, 4)]);
        assert_eq!(base, stamp(&[file("a", 1, 2), file("b", 3, 4)]));
        for other in [
            vec![file("a", 1, 2)],
            vec![file("a", 1, 2), file("c", 3, 4)],
            vec![file("a", 1, 2), file("b", 4, 4)],
            vec![file("a", 1, 2), file("b", 3, 5)],
        ] {
            assert_ne!(base, stamp(&other));
        }
    }

    #[test]
    fn names_of_other_software_are_ignored() {
        for name in [".git", ".hidden.mp3", "@eaDir", "lost+found"] {
            assert!(is_ignored(OsStr::new(name)), "{name}");
        }
        assert!(!is_ignored(OsStr::new("...Like a Title")));
    }
}
