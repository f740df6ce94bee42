//! Lists media directories as they are on disk. Several directories of one kind are merged into one tree.

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
use svc_identity::error::{Result, RetryReason, ServiceError, TryLater};
use svc_indexer::scan::is_ignored;
use svc_platform::media_root::{Entry, MediaRoot};
use svc_plugin_host::Plugins;
use svc_store::Store;

/// Timeout for one directory. A hanging network share would block the client for minutes.
const TIME: Duration = Duration::from_secs(10);
/// Maximum of concurrent listings. A hanging share keeps its threads; the others stay available.
const AT_ONCE: usize = 8;
/// Maximum of entries per directory, about 30 MB of memory.
const MAX_NODES: usize = 100_000;

const STORAGE_UNAVAILABLE: ServiceError = ServiceError::TryLater(TryLater::unavailable(
    RetryReason::StorageUnavailable,
    "the media directory does not respond",
));

/// Input of [`Browser::list`].
#[derive(Debug)]
pub struct BrowseRequest {
    /// The kind of the media directories.
    pub kind: MediaKind,
    /// Relative path as the client sent it; empty for the root.
    pub path: String,
    /// Whether to list files as well as directories.
    pub files: bool,
}

/// The content of a directory.
#[derive(Debug)]
pub struct BrowsedDirectory {
    /// The kind of the media directories.
    pub kind: MediaKind,
    /// Relative to the root.
    pub path: RelativePath,
    /// Directories first, in natural order.
    pub nodes: Vec<BrowsedNode>,
}

/// A directory or file.
#[derive(Debug)]
pub struct BrowsedNode {
    /// Relative to the root.
    pub path: RelativePath,
    /// Last modification.
    pub modified_at: Timestamp,
    /// What it is.
    pub content: NodeContent,
}

/// Type of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeContent {
    /// A directory.
    Directory {
        /// Whether it contains anything that would be listed.
        has_children: bool,
    },
    /// A regular file.
    File {
        /// Size in bytes.
        size: u64,
        /// The kind as which a plugin reads it.
        kind: Option<MediaKind>,
        /// Whether it is indexed.
        indexed: bool,
    },
}

/// The directory browser.
#[derive(Debug, Clone)]
pub struct Browse {
    store: Store,
    plugins: Plugins,
    readers: DirectoryReaders,
}

/// The threads that list directories, with their timeout.
#[derive(Debug, Clone)]
struct DirectoryReaders {
    permits: Arc<Semaphore>,
    time: Duration,
}

/// A root with the indexed files of the listed directory.
struct Root {
    path: PathBuf,
    indexed: HashSet<String>,
}

/// One listing, on a blocking thread.
struct Listing {
    roots: Vec<Root>,
    path: RelativePath,
    kind: MediaKind,
    files: bool,
    extensions: HashSet<String>,
    shown: ShownFolders,
}

impl Browse {
    /// Creates the service.
    pub fn new(store: Store, plugins: Plugins) -> Self {
        Self {
            store,
            plugins,
            readers: DirectoryReaders {
                permits: Arc::new(Semaphore::new(AT_ONCE)),
                time: TIME,
            },
        }
    }

    /// The directories that the actor may see. Operators see all, because the logs of runs contain the paths as well.
    async fn shown_to(&self, actor: &Actor, kind: &MediaKind) -> Result<ShownFolders> {
        if actor.scope == MediaScope::All || actor.may(Capability::IndexingRead) {
            return Ok(ShownFolders::default());
        }
        let admitted = self.store.admitted_libraries(actor.user.id).await?;
        let libraries = self.store.libraries().await?.into_iter();
        let of_kind = libraries.filter(|library| library.kind == *kind);
        Ok(ShownFolders::new(
            of_kind
                .map(|library| (library.paths, admitted.contains(&library.id)))
                .collect(),
        ))
    }

    /// Lists a directory, restricted to the libraries of the actor.
    ///
    /// # Errors
    /// Invalid if the directory or root does not exist; try later `storage_unavailable`; database errors.
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
        for directory in self.store.list_directories().await? {
            if directory.kind == kind {
                let indexed = self.store.indexed_names(directory.id, &path).await?;
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
        // A root without visible content is listed as empty.
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

/// Whether the error is about the path and not about unavailable storage.
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
    /// Lists the directory below each root and merges the results. For equal names the first root wins.
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

#[cfg(test)]
#[path = "browse_tests.rs"]
mod tests;
