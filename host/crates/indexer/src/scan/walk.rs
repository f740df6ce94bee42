//! Phase 1: lists the directories of a root in parallel and sends on those that changed.

mod classify;

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;

use flume::Sender;

use crate::scan::control::ScanControl;
use crate::scan::directory_digest::directory_digest;
use crate::scan::entries::{Entries, FoundFile, Subdirectory};
use crate::scan::ignore_rules::{IgnoreRules, NO_MEDIA, RULES, is_ignored};
use crate::scan::progress::Progress;
use crate::scan::roots::ScanRoot;
use crate::scan::sidecars::{
    FolderSidecars, SidecarFile, from_parent_directory, holds_subtitles, list_sidecars,
};
use classify::outside_root_warning;
use svc_domain::path::RelativePath;
use svc_domain::scan::{DirectoryDigest, RunType};

/// Deeper directories are skipped, so that paths stay below the system's limit.
const MAX_DEPTH: usize = 128;

/// The media files of a directory whose digest is not the stored one.
#[derive(Debug)]
pub(super) struct DirectoryListing {
    pub(super) root: Arc<ScanRoot>,
    pub(super) path: RelativePath,
    pub(super) digest: DirectoryDigest,
    /// Sorted by name.
    pub(super) files: Vec<FoundFile>,
    /// Names of media files that are ignored on purpose.
    pub(super) ignored: HashSet<String>,
    pub(super) sidecars: Arc<FolderSidecars>,
}

/// A directory to list, with what it inherits from its parents.
struct WalkDirectory {
    path: RelativePath,
    depth: usize,
    /// Whether the path contains a symbolic link; only links can create cycles.
    linked: bool,
    rules: IgnoreRules,
    /// Sidecars of the parent directory that also apply here.
    sidecars_above: Arc<[SidecarFile]>,
}

/// The walk of one root.
pub(super) struct Walk<'a> {
    pub(super) root: &'a Arc<ScanRoot>,
    pub(super) run_type: RunType,
    pub(super) control: &'a Arc<ScanControl>,
    pub(super) progress: &'a Progress,
    pub(super) listings: Sender<DirectoryListing>,
}

impl Walk<'_> {
    /// Walks the tree from this directory. Must be called on a thread of a rayon pool, which participates.
    pub(super) fn run(&self, from: &RelativePath) {
        let directory = from.below(&self.root.directory.path);
        let start = std::fs::metadata(&directory).and_then(|metadata| {
            if !directory.canonicalize()?.starts_with(self.canonical_root()?) {
                self.progress.warn(outside_root_warning(from));
                return Ok(None);
            }
            match from.parent() {
                // A file is resolved to its directory.
                Some(above) if metadata.is_file() => {
                    self.run(&above);
                    Ok(None)
                }
                _ => self.enter_start(from).map(Some),
            }
        });
        match start {
            Ok(Some(Some(place))) => rayon::scope(|scope| self.visit(scope, place)),
            Ok(Some(None)) => self.root.ignore(from.clone()),
            Ok(None) => {}
            // A requested path that no longer exists: files below it are missing, as after a walk of the whole root.
            Err(error) if error.kind() == io::ErrorKind::NotFound && *from != RelativePath::root() => {}
            Err(error) => self.mark_unreadable(from.clone(), &error),
        }
    }

    /// Enters the directories above the start of the walk, whose rules apply to it; `None` if it is ignored.
    fn enter_start(&self, from: &RelativePath) -> io::Result<Option<WalkDirectory>> {
        let root = &self.root.directory.path;
        let mut rules = IgnoreRules::default();
        let mut path = root.clone();
        let (mut depth, mut linked) = (0, false);
        for name in from.to_os().components() {
            if path.join(NO_MEDIA).exists() {
                return Ok(None);
            }
            rules = rules.enter(&path)?;
            path.push(name);
            depth += 1;
            linked |= path.is_symlink();
            if rules.ignores(|| &path, true) || is_ignored(name.as_os_str()) {
                return Ok(None);
            }
        }
        let sidecars_above = match from.parent() {
            Some(above) if !self.root.related.is_empty() => {
                super::sidecars::list(self.root, &above)?.common()
            }
            _ => Vec::new(),
        };
        Ok(Some(WalkDirectory {
            path: from.clone(),
            depth,
            linked,
            rules,
            sidecars_above: sidecars_above.into_iter().map(from_parent_directory).collect(),
        }))
    }

    fn visit<'s>(&'s self, scope: &rayon::Scope<'s>, mut place: WalkDirectory) {
        let Some(in_flight) = self.control.checkpoint() else {
            return;
        };
        let directory = place.path.below(&self.root.directory.path);
        let entries = match self.list(&mut place, &directory) {
            Ok(Some(entries)) => entries,
            Ok(None) => return self.root.ignore(place.path),
            Err(error) => return self.mark_unreadable(place.path, &error),
        };
        let Entries {
            files,
            mut related,
            ignored,
            directories,
            ignored_directories,
            too_deep,
            warnings,
        } = entries;
        for warning in warnings {
            self.progress.warn(warning);
        }
        for path in ignored_directories {
            self.root.ignore(path);
        }
        for path in too_deep {
            self.progress
                .warn(format!("{path}: deeper than {MAX_DEPTH} directories, skipped"));
            self.root.mark_unreadable(path);
        }
        if !self.root.related.is_empty() {
            related.extend(self.subtitles(&directories));
            related.extend(place.sidecars_above.iter().cloned());
        }
        let names = files.iter().map(|file| file.name.as_str());
        let sidecars = FolderSidecars::new(Arc::clone(self.root), place.path.clone(), names, related);
        let sidecars_above: Arc<[SidecarFile]> =
            sidecars.common().into_iter().map(from_parent_directory).collect();
        for Subdirectory { path, linked } in directories {
            let below = WalkDirectory {
                path,
                depth: place.depth + 1,
                linked,
                rules: place.rules.clone(),
                sidecars_above: Arc::clone(&sidecars_above),
            };
            scope.spawn(move |scope| self.visit(scope, below));
        }
        // Dropped before the send, which may block: a paused run does not receive from the channel.
        drop(in_flight);
        self.send_if_changed(place.path, files, ignored, sidecars);
    }

    /// Lists the relevant entries of a directory; `None` if it contains `.nomedia`.
    fn list(&self, place: &mut WalkDirectory, directory: &Path) -> io::Result<Option<Entries>> {
        let mut entries = Entries::default();
        let mut rules_known = false;
        let mut reading = std::fs::read_dir(directory)?;
        while let Some(entry) = reading.next() {
            let entry = entry?;
            let name = entry.file_name();
            if name == NO_MEDIA {
                return Ok(None);
            }
            if name == RULES && !rules_known {
                // The rules are read when the ignore file is found, and then applied to the earlier entries. Looking
                // for the file first would cost a system call per directory.
                place.rules = place.rules.enter(directory)?;
                rules_known = true;
                entries = Entries::default();
                reading = std::fs::read_dir(directory)?;
                continue;
            }
            match self.classify(place, &entry, name) {
                Ok(entry) => entries.add(entry),
                // Deleted between listing and stat.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Some(entries))
    }

    /// The files in subdirectories of subtitles, which count as sidecars of this directory.
    fn subtitles(&self, directories: &[Subdirectory]) -> Vec<SidecarFile> {
        let folders = directories.iter().map(|below| &below.path);
        let folders = folders.filter(|path| holds_subtitles(path.file_name()));
        folders
            .flat_map(|path| {
                let prefix = format!("{}/", path.file_name());
                list_sidecars(self.root, path, &prefix).unwrap_or_default()
            })
            .collect()
    }

    /// Sends the files of a directory on, unless a quick run finds its digest unchanged.
    fn send_if_changed(
        &self,
        path: RelativePath,
        mut files: Vec<FoundFile>,
        ignored: HashSet<String>,
        sidecars: FolderSidecars,
    ) {
        let known = self.root.mark_seen(&path);
        if files.is_empty() && known.is_none_or(|known| known.file_count == 0) {
            return;
        }
        files.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let digest = directory_digest(&files, sidecars.related());
        let kind = self.progress.kind(&self.root.directory.kind);
        if let Some(kind) = kind {
            kind.found(files.len());
        }
        if self.run_type == RunType::Quick && known.is_some_and(|known| known.digest == Some(digest)) {
            if let Some(kind) = kind {
                kind.unchanged(files.len());
            }
            return;
        }
        // Fails only if the run has ended for another reason.
        let _ = self.listings.send(DirectoryListing {
            root: Arc::clone(self.root),
            path,
            digest,
            files,
            ignored,
            sidecars: Arc::new(sidecars),
        });
    }

    fn mark_unreadable(&self, path: RelativePath, error: &io::Error) {
        let shown = if path.as_str().is_empty() {
            "the root"
        } else {
            path.as_str()
        };
        self.progress.warn(format!("{shown} cannot be listed: {error}"));
        self.root.mark_unreadable(path);
    }
}
