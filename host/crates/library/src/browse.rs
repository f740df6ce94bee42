//! Browsing the directories of media as they are on disk. Several directories of one kind are shown as one tree.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use svc_domain::kind::MediaKind;
use svc_domain::library::{MediaScope, ShownFolders};
use svc_domain::path::{RelativePath, extension, text_to_os};
use svc_domain::time::Timestamp;
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{Result, ServiceError};
use svc_indexer::scan::is_ignored;
use svc_platform::media_root::{Entry, MediaRoot};
use svc_plugin_host::Plugins;
use svc_store::{DirectoryRepository, IndexRepository, LibraryRepository};

/// Time for one directory. A network share that hangs would keep the client waiting for minutes.
const TIME: Duration = Duration::from_secs(10);
/// Directories read at once: a share that hangs keeps its threads, and must leave some to all others.
const AT_ONCE: usize = 8;
/// Entries of one directory: far more than people keep, and some 30 MB of memory.
const MAX_NODES: usize = 100_000;

const STORAGE_UNAVAILABLE: ServiceError = ServiceError::Unavailable {
    code: "storage_unavailable",
    message: "the media directory does not answer",
};

/// Which directory to list.
#[derive(Debug)]
pub struct BrowseRequest {
    /// Below the directories of this kind.
    pub kind: MediaKind,
    /// Path below them, as a client wrote it; empty for the root.
    pub path: String,
    /// List files as well, not only directories.
    pub files: bool,
}

/// What lies in a directory.
#[derive(Debug)]
pub struct BrowsedDirectory {
    /// The directories' kind.
    pub kind: MediaKind,
    /// Its path below the root.
    pub path: RelativePath,
    /// Directories first, in the order in which people count.
    pub nodes: Vec<BrowsedNode>,
}

/// A directory or file.
#[derive(Debug)]
pub struct BrowsedNode {
    /// Its path below the root.
    pub path: RelativePath,
    /// When it was changed last.
    pub modified_at: Timestamp,
    /// What it is.
    pub content: NodeContent,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeContent {
    /// A directory.
    Directory {
        /// There is something in it that would be listed.
        has_children: bool,
    },
    /// A regular file.
    File {
        /// Bytes.
        size: u64,
        /// The kind as which a plugin reads it, if one does.
        kind: Option<MediaKind>,
        /// It was read, and is in the index.
        indexed: bool,
    },
}

/// Lists directories.
#[derive(Debug, Clone)]
pub struct Browse {
    directories: DirectoryRepository,
    index: IndexRepository,
    libraries: LibraryRepository,
    plugins: Plugins,
    readers: DirectoryReaders,
}

/// The threads that read directories, and their time.
#[derive(Debug, Clone)]
struct DirectoryReaders {
    permits: Arc<Semaphore>,
    time: Duration,
}

/// A root with what the index knows of the directory that is listed.
struct Root {
    path: PathBuf,
    indexed: HashSet<String>,
}

/// One listing, on a thread that may block.
struct Listing {
    roots: Vec<Root>,
    path: RelativePath,
    kind: MediaKind,
    files: bool,
    extensions: HashSet<String>,
    shown: ShownFolders,
}

impl Browse {
    /// Over the configured directories.
    pub fn new(
        directories: DirectoryRepository,
        index: IndexRepository,
        libraries: LibraryRepository,
        plugins: Plugins,
    ) -> Self {
        Self {
            directories,
            index,
            libraries,
            plugins,
            readers: DirectoryReaders {
                permits: Arc::new(Semaphore::new(AT_ONCE)),
                time: TIME,
            },
        }
    }

    /// What of the directories the actor is shown. Operators know all paths, from the logs of runs.
    async fn shown_to(&self, actor: &Actor, kind: &MediaKind) -> Result<ShownFolders> {
        if actor.scope == MediaScope::All || actor.may(Capability::IndexingRead) {
            return Ok(ShownFolders::default());
        }
        let admitted = self.libraries.admitted_libraries(actor.user.id).await?;
        let libraries = self.libraries.libraries().await?.into_iter();
        let of_kind = libraries.filter(|library| library.kind == *kind);
        Ok(ShownFolders::new(
            of_kind
                .map(|library| (library.paths, admitted.contains(&library.id)))
                .collect(),
        ))
    }

    /// What lies in a directory of media, as far as the actor is let into the libraries that it is in.
    ///
    /// # Errors
    /// Invalid when there is no such directory below the roots of this kind, or no such root; unavailable
    /// `storage_unavailable`; the store's.
    pub async fn list(&self, actor: &Actor, request: BrowseRequest) -> Result<BrowsedDirectory> {
        let BrowseRequest { kind, path, files } = request;
        let path = RelativePath::parse(&path).ok_or_else(|| {
            ServiceError::invalid(
                "path",
                "must be names joined by `/`, below the root, without `..`",
            )
        })?;
        let hidden = path.as_str().split('/').any(|name| is_ignored(&text_to_os(name)));
        if hidden {
            return Err(no_such_directory());
        }
        let mut roots = Vec::new();
        for directory in self.directories.list_directories().await? {
            if directory.kind == kind {
                let indexed = self.index.indexed_names(directory.id, &path).await?;
                let path = directory.path;
                roots.push(Root { path, indexed });
            }
        }
        if roots.is_empty() {
            return Err(ServiceError::invalid(
                "rootDir",
                "no directory of this kind is configured",
            ));
        }
        let shown = self.shown_to(actor, &kind).await?;
        // A root of which nothing is shown is there all the same.
        if path != RelativePath::root() && !shown.shows(&path) {
            return Err(no_such_directory());
        }
        let extensions = self.plugins.by_extension(&kind).into_keys().collect();
        let listing = Listing {
            roots,
            path,
            kind,
            files,
            extensions,
            shown,
        };
        self.readers.read(listing).await
    }
}

impl DirectoryReaders {
    async fn read(&self, listing: Listing) -> Result<BrowsedDirectory> {
        let read = async {
            let permit = Arc::clone(&self.permits).acquire_owned().await;
            let permit = permit.map_err(ServiceError::internal)?;
            let read = tokio::task::spawn_blocking(move || {
                let listed = listing.read();
                drop(permit);
                listed
            });
            read.await.map_err(ServiceError::internal)?
        };
        tokio::time::timeout(self.time, read)
            .await
            .unwrap_or(Err(STORAGE_UNAVAILABLE))
    }
}

fn no_such_directory() -> ServiceError {
    ServiceError::invalid("path", "there is no such directory")
}

/// Whether an error says that there is no such directory, rather than that the storage is away.
fn is_about_the_path(error: &io::Error) -> bool {
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
    /// Reads the directory below each root, and merges what is found. Of equal names the first root's wins.
    fn read(self) -> Result<BrowsedDirectory> {
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
                let message = format!("the directory holds more than {MAX_NODES} entries");
                return Err(ServiceError::invalid("path", message));
            }
        }
        if !found {
            return Err(match (away, present) {
                (true, _) => STORAGE_UNAVAILABLE,
                (false, true) => no_such_directory(),
                (false, false) => ServiceError::invalid("rootDir", "the directory is not there"),
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

    /// Whether an entry of a folder is listed.
    fn lists(&self, folder: &RelativePath, path: &RelativePath, entry: &Entry) -> bool {
        if entry.is_directory {
            self.shown.shows(path)
        } else {
            self.files && self.shown.shows_files_of(folder)
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
            // What cannot be looked into has nothing to show.
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

/// Directories first, then by name: `Disc 2` before `Disc 10`, whatever the case.
fn sort(nodes: &mut [BrowsedNode]) {
    nodes.sort_by_cached_key(|node| {
        let is_file = matches!(node.content, NodeContent::File { .. });
        let name = node.path.file_name();
        (is_file, NaturalOrder(name.to_lowercase()), name.to_owned())
    });
}

/// A text in the order in which people count.
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

#[cfg(test)]
#[path = "browse_tests.rs"]
mod tests;
