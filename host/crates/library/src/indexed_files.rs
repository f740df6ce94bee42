//! Why a file is in the index or not.

use std::time::Duration;

use svc_domain::extraction::ExtractFailure;
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::Directory;
use svc_identity::error::{Overloaded, Result, ServiceError};
use svc_indexer::scan::explain;
use svc_plugin_host::Plugins;
use svc_store::{DirectoryRepository, FileRepository};

pub use svc_indexer::scan::Explanation;
pub use svc_store::IndexedFile;

/// Time for looking at a file; a disk that hangs takes longer.
const READ_TIME: Duration = Duration::from_secs(10);

const STORAGE_UNAVAILABLE: ServiceError = ServiceError::Unavailable {
    code: "storage_unavailable",
    message: "the directory of the file is not available",
};

/// A file as the index has it, and as a run would find it now.
#[derive(Debug)]
pub struct FileReport {
    /// The media directory that it is in, or would be in.
    pub directory: Directory,
    /// Below it.
    pub path: RelativePath,
    /// What the index knows; `None` if nothing.
    pub indexed: Option<IndexedFile>,
    /// What a run would make of it.
    pub now: Explanation,
}

/// Explains single files.
#[derive(Debug, Clone)]
pub struct IndexedFiles {
    directories: DirectoryRepository,
    files: FileRepository,
    plugins: Plugins,
}

impl IndexedFiles {
    /// Over this index and these plugins.
    pub fn new(directories: DirectoryRepository, files: FileRepository, plugins: Plugins) -> Self {
        Self {
            directories,
            files,
            plugins,
        }
    }

    /// Explains a file of one of the kind's directories: the first that has it, on disk or in the index.
    ///
    /// # Errors
    /// Invalid for a kind without a directory and for the root itself; try later; the store's.
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
                return Err(Overloaded {
                    message: "the plugin failed too often at files that were asked about; try again later",
                    retry_after: *retry_after,
                }
                .into());
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
