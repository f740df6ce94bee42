//! Lists one directory on disk, on a blocking thread.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use super::{BrowsedDirectory, BrowsedNode, NodeContent, STORAGE_UNAVAILABLE};
use svc_domain::kind::MediaKind;
use svc_domain::library::VisibleFolders;
use svc_domain::path::{RelativePath, extension};
use svc_domain::time::Timestamp;
use svc_identity::error::{Result, ServiceError};
use svc_indexer::scan::is_ignored;
use svc_platform::media_root::{Entry, MediaRoot};

/// Maximum of entries per directory, about 30 MB of memory.
const MAX_NODES: usize = 100_000;

/// A root with the indexed files of the listed directory.
pub(super) struct Root {
    pub(super) path: PathBuf,
    pub(super) indexed: HashSet<String>,
}

/// One listing, on a blocking thread.
pub(super) struct Listing {
    pub(super) roots: Vec<Root>,
    pub(super) path: RelativePath,
    pub(super) kind: MediaKind,
    pub(super) files: bool,
    pub(super) extensions: HashSet<String>,
    pub(super) shown: VisibleFolders,
}

pub(super) fn no_such_directory() -> ServiceError {
    ServiceError::invalid("path", "there is no such directory")
}

/// Whether the error is about the path and not about unavailable storage.
pub(super) fn is_about_the_path(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let of_the_path = [
        Errno::NOENT,
        Errno::NOTDIR,
        Errno::ACCESS,
        Errno::XDEV,
        Errno::LOOP,
        Errno::NAMETOOLONG,
        Errno::INVAL,
    ];
    error.kind() == io::ErrorKind::PermissionDenied
        || Errno::from_io_error(error).is_some_and(|errno| of_the_path.contains(&errno))
}

impl Listing {
    /// Lists the directory below each root and merges the results. For equal names the first root wins.
    pub(super) fn read(self) -> Result<BrowsedDirectory> {
        let (mut nodes, mut found, mut away): (Vec<BrowsedNode>, _, _) = (Vec::new(), false, false);
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut present = false;
        for root in &self.roots {
            let opened = MediaRoot::open(&root.path);
            present |= opened.is_ok();
            match opened.and_then(|opened| self.read_root(root, &opened, &mut nodes, &mut places)) {
                Ok(()) => found = true,
                Err(error) if is_about_the_path(&error) => {}
                Err(error) => {
                    tracing::warn!(root = %root.path.display(), path = %self.path, %error, "cannot be listed");
                    away = true;
                }
            }
            if nodes.len() > MAX_NODES {
                let message = format!("the directory contains more than {MAX_NODES} entries");
                return Err(ServiceError::invalid("path", message));
            }
        }
        if !found {
            return Err(match (away, present) {
                (true, _) => STORAGE_UNAVAILABLE,
                (false, true) => no_such_directory(),
                (false, false) => ServiceError::invalid("rootDir", "the directory does not exist"),
            });
        }
        sort(&mut nodes);
        Ok(BrowsedDirectory {
            kind: self.kind,
            path: self.path,
            nodes,
        })
    }

    fn read_root(
        &self,
        root: &Root,
        opened: &MediaRoot,
        nodes: &mut Vec<BrowsedNode>,
        places: &mut HashMap<String, usize>,
    ) -> io::Result<()> {
        opened.read_dir(&self.path, is_wanted, |name, entry| {
            let path = self.path.join(name);
            if !self.lists(&self.path, &path, &entry) {
                return ControlFlow::Continue(());
            }
            let content = self.content(root, opened, &path, &entry);
            let place = places
                .get(path.file_name())
                .and_then(|&place| nodes.get_mut(place));
            match place.map(|node| &mut node.content) {
                None => {
                    places.insert(path.file_name().to_owned(), nodes.len());
                    nodes.push(BrowsedNode {
                        path,
                        modified_at: Timestamp::from_millis(entry.mtime_ns.div_euclid(1_000_000)),
                        content,
                    });
                }
                Some(NodeContent::Directory { has_children }) => {
                    *has_children |= content == NodeContent::Directory { has_children: true };
                }
                Some(NodeContent::File { .. }) => {}
            }
            if nodes.len() > MAX_NODES {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })
    }

    /// Whether an entry of a directory is listed.
    fn lists(&self, folder: &RelativePath, path: &RelativePath, entry: &Entry) -> bool {
        if entry.is_directory {
            self.shown.contains(path)
        } else {
            self.files && self.shown.contains_files_of(folder)
        }
    }

    fn content(&self, root: &Root, opened: &MediaRoot, path: &RelativePath, entry: &Entry) -> NodeContent {
        if entry.is_directory {
            let mut has_children = false;
            let looked = opened.read_dir(path, is_wanted, |name, below| {
                has_children = self.lists(path, &path.join(name), &below);
                if has_children {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            // An unreadable directory counts as empty.
            drop(looked);
            return NodeContent::Directory { has_children };
        }
        let name = path.file_name();
        let read = self.extensions.contains(&*extension(name));
        NodeContent::File {
            size: entry.size,
            kind: read.then(|| self.kind.clone()),
            indexed: root.indexed.contains(name),
        }
    }
}

fn is_wanted(name: &OsStr) -> bool {
    !is_ignored(name)
}

/// Directories first, then natural order: `Disc 2` before `Disc 10`, ignoring case.
fn sort(nodes: &mut [BrowsedNode]) {
    nodes.sort_by_cached_key(|node| {
        let is_file = matches!(node.content, NodeContent::File { .. });
        let name = node.path.file_name();
        (is_file, NaturalOrder(name.to_lowercase()), name.to_owned())
    });
}

/// Sort key for natural order.
#[derive(PartialEq, Eq)]
struct NaturalOrder(String);

impl Ord for NaturalOrder {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        alphanumeric_sort::compare_str(&self.0, &other.0)
    }
}

impl PartialOrd for NaturalOrder {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
