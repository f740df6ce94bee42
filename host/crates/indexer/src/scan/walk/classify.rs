//! Classifies the entries of a directory.

use std::ffi::{OsStr, OsString};
use std::fs::{DirEntry, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{MAX_DEPTH, Walk, WalkDirectory};
use crate::scan::entries::{Entry, FoundFile, Subdirectory};
use crate::scan::ignore_rules::is_ignored;
use crate::scan::sidecars::SidecarFile;
use svc_domain::path::{RelativePath, name_into_text};
use svc_platform::media_root::mtime_ns;

pub(super) fn outside_root_warning(link: &RelativePath) -> String {
    format!("{link}: a symbolic link out of the root is not followed")
}

impl Walk<'_> {
    pub(super) fn classify(
        &self,
        place: &WalkDirectory,
        entry: &DirEntry,
        name: OsString,
    ) -> io::Result<Entry> {
        if is_ignored(&name) {
            return Ok(Entry::Skipped);
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
        Ok(Entry::Skipped)
    }

    /// Classifies a regular file as media, sidecar or neither. Only the first two are opened for metadata.
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
            return Ok(Entry::Skipped);
        }
        if place.rules.ignores(|| entry.path(), false) {
            return Ok(if media {
                Entry::IgnoredFile(text)
            } else {
                Entry::Skipped
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

    /// Symbolic links are followed if they stay below the root.
    fn classify_link(&self, place: &WalkDirectory, name: OsString, entry: &DirEntry) -> io::Result<Entry> {
        let target = match entry.path().canonicalize() {
            Ok(target) => target,
            // A dangling link or a loop of links.
            Err(_) => return Ok(Entry::Skipped),
        };
        if !target.starts_with(self.canonical_root()?) {
            return Ok(Entry::NotFollowed(outside_root_warning(&place.path.join(&name))));
        }
        let metadata = std::fs::metadata(&target)?;
        if metadata.is_dir() {
            return self.directory(place, &name, entry, true);
        }
        if metadata.is_file() {
            return self.file(place, name, entry, || Ok(metadata));
        }
        Ok(Entry::Skipped)
    }

    pub(super) fn canonical_root(&self) -> io::Result<std::path::PathBuf> {
        Path::new(&self.root.directory.path).canonicalize()
    }

    pub(super) fn directory(
        &self,
        place: &WalkDirectory,
        name: &OsStr,
        entry: &DirEntry,
        linked: bool,
    ) -> io::Result<Entry> {
        let below = place.path.join(name);
        if place.rules.ignores(|| entry.path(), true) {
            return Ok(Entry::IgnoredDirectory(below));
        }
        if linked && self.is_cycle(&below)? {
            return Ok(Entry::NotFollowed(format!(
                "{below}: a symbolic link to a parent directory is not followed"
            )));
        }
        if place.depth >= MAX_DEPTH {
            return Ok(Entry::TooDeep(below));
        }
        Ok(Entry::Directory(Subdirectory { path: below, linked }))
    }

    /// Whether a directory is one of its own parents.
    pub(super) fn is_cycle(&self, path: &RelativePath) -> io::Result<bool> {
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
}
