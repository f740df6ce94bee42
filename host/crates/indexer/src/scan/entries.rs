//! What the walk finds in a directory: each entry as it was classified, and the entries of a directory by their class.

use std::collections::HashSet;
use std::fs::Metadata;

use crate::scan::sidecars::SidecarFile;
use svc_domain::path::RelativePath;
use svc_platform::media_root::mtime_ns;

/// A media file on disk.
#[derive(Debug)]
pub(super) struct FoundFile {
    pub(super) name: String,
    pub(super) size: i64,
    pub(super) mtime_ns: i64,
}

impl FoundFile {
    pub(super) fn new(name: String, metadata: &Metadata) -> Self {
        Self {
            name,
            size: i64::try_from(metadata.len()).unwrap_or(i64::MAX),
            mtime_ns: mtime_ns(metadata),
        }
    }
}

/// How the walk handles an entry of a directory.
pub(super) enum Entry {
    Directory(Subdirectory),
    File(FoundFile),
    Related(SidecarFile),
    /// A media file excluded by an ignore rule.
    IgnoredFile(String),
    /// A directory excluded by an ignore rule.
    IgnoredDirectory(RelativePath),
    /// A directory beyond the maximum depth.
    TooDeep(RelativePath),
    /// A symbolic link that is not followed, with the message to log.
    NotFollowed(String),
    /// Nothing to index: a hidden or other file, or a dangling link.
    Skipped,
}

pub(super) struct Subdirectory {
    pub(super) path: RelativePath,
    /// Whether its path contains a symbolic link.
    pub(super) linked: bool,
}

/// The classified entries of one directory.
#[derive(Default)]
pub(super) struct Entries {
    pub(super) files: Vec<FoundFile>,
    pub(super) related: Vec<SidecarFile>,
    pub(super) ignored: HashSet<String>,
    pub(super) directories: Vec<Subdirectory>,
    pub(super) ignored_directories: Vec<RelativePath>,
    pub(super) too_deep: Vec<RelativePath>,
    pub(super) warnings: Vec<String>,
}

impl Entries {
    pub(super) fn add(&mut self, entry: Entry) {
        match entry {
            Entry::File(file) => self.files.push(file),
            Entry::Related(file) => self.related.push(file),
            Entry::Directory(below) => self.directories.push(below),
            Entry::IgnoredFile(name) => drop(self.ignored.insert(name)),
            Entry::IgnoredDirectory(path) => self.ignored_directories.push(path),
            Entry::TooDeep(path) => self.too_deep.push(path),
            Entry::NotFollowed(warning) => self.warnings.push(warning),
            Entry::Skipped => {}
        }
    }
}
