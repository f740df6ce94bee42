//! Lists media directories as they are on disk. Several directories of one kind are merged into one tree.

mod listing;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use listing::{Listing, Root, no_such_directory};
use svc_domain::kind::MediaKind;
use svc_domain::library::{MediaScope, VisibleFolders};
use svc_domain::path::{RelativePath, text_to_os};
use svc_domain::time::Timestamp;
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{Result, RetryReason, ServiceError, TryLater};
use svc_indexer::scan::is_ignored;
use svc_plugin_host::Plugins;
use svc_store::{DirectoryRepository, IndexRepository, LibraryRepository};

/// Timeout for one directory. A hanging network share would block the client for minutes.
const TIME: Duration = Duration::from_secs(10);
/// Maximum of concurrent listings. A hanging share keeps its threads; the others stay available.
const AT_ONCE: usize = 8;

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
    directories: DirectoryRepository,
    index: IndexRepository,
    libraries: LibraryRepository,
    plugins: Plugins,
    readers: DirectoryReaders,
}

/// The threads that list directories, with their timeout.
#[derive(Debug, Clone)]
struct DirectoryReaders {
    permits: Arc<Semaphore>,
    time: Duration,
}

impl Browse {
    /// Creates the service.
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

    /// The directories that the actor may see. Operators see all, because the logs of runs contain the paths as well.
    async fn visible_to(&self, actor: &Actor, kind: &MediaKind) -> Result<VisibleFolders> {
        if actor.scope == MediaScope::All || actor.may(Capability::IndexingRead) {
            return Ok(VisibleFolders::default());
        }
        let admitted = self.libraries.admitted_libraries(actor.user.id).await?;
        let libraries = self.libraries.libraries().await?.into_iter();
        let of_kind = libraries.filter(|library| library.kind == *kind);
        Ok(VisibleFolders::new(
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
        let shown = self.visible_to(actor, &kind).await?;
        // A root without visible content is listed as empty.
        if path != RelativePath::root() && !shown.contains(&path) {
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

#[cfg(test)]
#[path = "browse_tests.rs"]
mod tests;
