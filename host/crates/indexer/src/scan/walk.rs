//! Phase 1: lists the directories of a root in parallel and passes on those that changed.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{DirEntry, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use flume::Sender;

use crate::scan::control::ScanControl;
use crate::scan::directory_digest::directory_digest;
use crate::scan::entries::{Entries, Entry, FoundFile, Subdirectory};
use crate::scan::ignore_rules::{IgnoreRules, NO_MEDIA, RULES, is_ignored};
use crate::scan::progress::Progress;
use crate::scan::roots::ScanRoot;
use crate::scan::sidecars::{FolderSidecars, SidecarFile, from_above, holds_subtitles, list_sidecars};
use svc_domain::path::{RelativePath, name_into_text};
use svc_domain::scan::{DirectoryDigest, RunType};
use svc_platform::media_root::mtime_ns;

/// Deeper directories are not entered: nobody keeps media there, and paths stay below the system's limit.
const MAX_DEPTH: usize = 128;

/// The media files of a directory whose stamp is not the stored one.
#[derive(Debug)]
pub(super) struct DirectoryListing {
    pub(super) root: Arc<ScanRoot>,
    pub(super) path: RelativePath,
    pub(super) digest: DirectoryDigest,
    /// By name.
    pub(super) files: Vec<FoundFile>,
    /// Names of media files that are left out on purpose.
    pub(super) ignored: HashSet<String>,
    pub(super) sidecars: Arc<FolderSidecars>,
}

/// A directory on the way down, with what holds in it from above.
struct WalkDirectory {
    path: RelativePath,
    depth: usize,
    /// Whether a link is on the way here: without one no way leads back up.
    linked: bool,
    rules: IgnoreRules,
    /// Files of the directory above that plugins may read beside media files here.
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
    /// Walks the root from this directory down. To be called on a thread of a rayon pool, which takes part.
    pub(super) fn run(&self, from: &RelativePath) {
        let directory = from.below(&self.root.directory.path);
        let start = std::fs::metadata(&directory).and_then(|metadata| {
            if !directory.canonicalize()?.starts_with(self.canonical_root()?) {
                self.progress.warn(leaves_the_root(from));
                return Ok(None);
            }
            match from.parent() {
                // A file stands for its directory.
                Some(above) if metadata.is_file() => {
                    self.run(&above);
                    Ok(None)
                }
                _ => self.start(from).map(Some),
            }
        });
        match start {
            Ok(Some(Some(place))) => rayon::scope(|scope| self.visit(scope, place)),
            Ok(Some(None)) => self.root.ignore(from.clone()),
            Ok(None) => {}
            // Asked for and gone: what is known below it is missing, as after a walk of the whole root.
            Err(error) if error.kind() == io::ErrorKind::NotFound && *from != RelativePath::root() => {}
            Err(error) => self.cannot_list(from.clone(), &error),
        }
    }

    /// The place to start from; `None` for one that is ignored.
    fn start(&self, from: &RelativePath) -> io::Result<Option<WalkDirectory>> {
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
            sidecars_above: sidecars_above.into_iter().map(from_above).collect(),
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
            Err(error) => return self.cannot_list(place.path, &error),
        };
        let Entries {
            files,
            mut related,
            ignored,
            directories,
            left_out,
            too_deep,
            warnings,
        } = entries;
        for warning in warnings {
            self.progress.warn(warning);
        }
        for path in left_out {
            self.root.ignore(path);
        }
        for path in too_deep {
            self.progress.warn(format!(
                "{path}: deeper than {MAX_DEPTH} directories, not entered"
            ));
            self.root.cannot_list(path);
        }
        if !self.root.related.is_empty() {
            related.extend(self.subtitles(&directories));
            related.extend(place.sidecars_above.iter().cloned());
        }
        let names = files.iter().map(|file| file.name.as_str());
        let sidecars = FolderSidecars::new(Arc::clone(self.root), place.path.clone(), names, related);
        let sidecars_above: Arc<[SidecarFile]> = sidecars.common().into_iter().map(from_above).collect();
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
        // Not while waiting for room in the channel: a run that is held takes nothing out of it.
        drop(in_flight);
        self.pass_on(place.path, files, ignored, sidecars);
    }

    /// The entries of a directory that matter; `None` if the directory says that it is to be passed over.
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
                // They hold for what was read before them as well. To ask for them first would cost a look at every
                // directory, and hardly any has them.
                place.rules = place.rules.enter(directory)?;
                rules_known = true;
                entries = Entries::default();
                reading = std::fs::read_dir(directory)?;
                continue;
            }
            match self.classify(place, &entry, name) {
                Ok(entry) => entries.add(entry),
                // Gone between listing and looking: as if it had not been listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Some(entries))
    }

    /// The files in directories of subtitles below, which count as lying beside the media files here.
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

    fn classify(&self, place: &WalkDirectory, entry: &DirEntry, name: OsString) -> io::Result<Entry> {
        if is_ignored(&name) {
            return Ok(Entry::Ignored);
        }
        let file_type = entry.file_type()?;
        if file_type.is_symlink() {
            return self.classify_link(place, name, entry);
        }
        if file_type.is_dir() {
            return self.directory(place, &name, entry, place.linked);
        }
        if file_type.is_file() {
            return self.file(place, name, entry, || entry.metadata());
        }
        Ok(Entry::Ignored)
    }

    /// A regular file: read by a plugin, read beside one that is, or neither. Only what matters is looked at.
    fn file(
        &self,
        place: &WalkDirectory,
        name: OsString,
        entry: &DirEntry,
        metadata: impl FnOnce() -> io::Result<Metadata>,
    ) -> io::Result<Entry> {
        let text = name_into_text(name);
        let (media, related) = (self.root.is_media(&text), self.root.is_sidecar(&text));
        if !media && !related {
            return Ok(Entry::Ignored);
        }
        if place.rules.ignores(|| entry.path(), false) {
            return Ok(if media {
                Entry::LeftOut(text)
            } else {
                Entry::Ignored
            });
        }
        let metadata = metadata()?;
        if media {
            return Ok(Entry::File(FoundFile::new(text, &metadata)));
        }
        Ok(Entry::Related(SidecarFile {
            name: text,
            size: metadata.len(),
            mtime_ns: mtime_ns(&metadata),
        }))
    }

    /// Links are followed while they stay below the root.
    fn classify_link(&self, place: &WalkDirectory, name: OsString, entry: &DirEntry) -> io::Result<Entry> {
        let target = match entry.path().canonicalize() {
            Ok(target) => target,
            // A link to nothing, or a loop of links.
            Err(_) => return Ok(Entry::Ignored),
        };
        if !target.starts_with(self.canonical_root()?) {
            return Ok(Entry::NotFollowed(leaves_the_root(&place.path.join(&name))));
        }
        let metadata = std::fs::metadata(&target)?;
        if metadata.is_dir() {
            return self.directory(place, &name, entry, true);
        }
        if metadata.is_file() {
            return self.file(place, name, entry, || Ok(metadata));
        }
        Ok(Entry::Ignored)
    }

    fn canonical_root(&self) -> io::Result<std::path::PathBuf> {
        Path::new(&self.root.directory.path).canonicalize()
    }

    fn directory(
        &self,
        place: &WalkDirectory,
        name: &OsStr,
        entry: &DirEntry,
        linked: bool,
    ) -> io::Result<Entry> {
        let below = place.path.join(name);
        if place.rules.ignores(|| entry.path(), true) {
            return Ok(Entry::LeftOutDirectory(below));
        }
        if linked && self.is_above_itself(&below)? {
            return Ok(Entry::NotFollowed(format!(
                "{below}: a link to a directory above it is not followed"
            )));
        }
        if place.depth >= MAX_DEPTH {
            return Ok(Entry::TooDeep(below));
        }
        Ok(Entry::Directory(Subdirectory { path: below, linked }))
    }

    /// Whether a directory is one of those on the way to it.
    fn is_above_itself(&self, path: &RelativePath) -> io::Result<bool> {
        let identity = |path: &RelativePath| {
            let metadata = std::fs::metadata(path.below(&self.root.directory.path))?;
            io::Result::Ok((metadata.dev(), metadata.ino()))
        };
        let own = identity(path)?;
        for above in std::iter::successors(path.parent(), RelativePath::parent) {
            if identity(&above)? == own {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn pass_on(
        &self,
        path: RelativePath,
        mut files: Vec<FoundFile>,
        ignored: HashSet<String>,
        sidecars: FolderSidecars,
    ) {
        let known = self.root.see(&path);
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
        // Fails only when the run has ended for another reason.
        let _ = self.listings.send(DirectoryListing {
            root: Arc::clone(self.root),
            path,
            digest,
            files,
            ignored,
            sidecars: Arc::new(sidecars),
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

fn leaves_the_root(link: &RelativePath) -> String {
    format!("{link}: a link that leaves the root is not followed")
}
