//! Reports why a file is or is not indexed.

use std::time::Duration;

use svc_domain::extraction::ExtractFailure;
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::Directory;
use svc_identity::error::{Result, RetryReason, ServiceError, TryLater};
use svc_indexer::scan::explain;
use svc_plugin_host::Plugins;
use svc_store::{DirectoryRepository, FileRepository};

pub use svc_indexer::scan::Explanation;
pub use svc_store::IndexedFile;

/// Timeout for reading a file on a slow disk.
const READ_TIME: Duration = Duration::from_secs(10);

const STORAGE_UNAVAILABLE: ServiceError = ServiceError::TryLater(TryLater::unavailable(
    RetryReason::StorageUnavailable,
    "the media directory is not available",
));

/// A file as indexed, and as a run would find it now.
#[derive(Debug)]
pub struct FileReport {
    /// The media directory that contains it.
    pub directory: Directory,
    /// Relative to the directory.
    pub path: RelativePath,
    /// Its indexed state, if any.
    pub indexed: Option<IndexedFile>,
    /// The result of a run now.
    pub now: Explanation,
}

/// The service for single files.
#[derive(Debug, Clone)]
pub struct IndexedFiles {
    directories: DirectoryRepository,
    files: FileRepository,
    plugins: Plugins,
}

impl IndexedFiles {
    /// Creates the service.
    pub fn new(directories: DirectoryRepository, files: FileRepository, plugins: Plugins) -> Self {
        Self {
            directories,
            files,
            plugins,
        }
    }

    /// Explains a file in the first directory of the kind that has it on disk or in the index.
    ///
    /// # Errors
    /// Invalid for a kind without a directory and for the root itself; try later; database errors.
    pub async fn explain(&self, kind: &MediaKind, path: RelativePath) -> Result<FileReport> {
        if path == RelativePath::root() {
            return Err(ServiceError::invalid("relativePath", "is missing"));
        }
        let directories = self.directories.list_directories().await?;
        let mut reports = Vec::new();
        for directory in directories
            .into_iter()
            .filter(|directory| directory.kind == *kind)
        {
            let indexed = self.files.file_at(directory.id, &path).await?;
            let now = tokio::task::spawn_blocking({
                let (plugins, directory, path) = (self.plugins.clone(), directory.clone(), path.clone());
                move || explain(&plugins, directory, &path)
            });
            let now = tokio::time::timeout(READ_TIME, now)
                .await
                .map_err(|_| STORAGE_UNAVAILABLE)?;
            let now = now.map_err(ServiceError::internal)?;
            if let Some((_, Err(ExtractFailure::Later { retry_after }))) = &now.read {
                return Err(
                    TryLater::busy("the plugin failed too often; try again later", *retry_after).into(),
                );
            }
            reports.push(FileReport {
                directory,
                path: path.clone(),
                indexed,
                now,
            });
        }
        let known = |report: &FileReport| report.indexed.is_some() || report.now.size.is_some();
        let at = reports.iter().position(known).unwrap_or(0);
        if reports.is_empty() {
            return Err(ServiceError::invalid(
                "rootDir",
                "no directory of this kind is configured",
            ));
        }
        Ok(reports.swap_remove(at))
    }
}
