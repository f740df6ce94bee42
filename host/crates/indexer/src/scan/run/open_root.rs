//! Prepares the roots of a run.

use super::Scanner;
use crate::scan::progress::Progress;
use crate::scan::roots::{KindExtractors, ScanRoot};
use svc_domain::scan::Directory;
use svc_platform::media_root::MediaRoot;
use svc_store::StoreError;

fn is_empty(directory: &Directory) -> std::io::Result<bool> {
    Ok(std::fs::read_dir(&directory.path)?.next().is_none())
}

impl Scanner {
    /// Prepares a root; `None` if it is unavailable, whose rows then stay unchanged.
    pub(in crate::scan) async fn open_root(
        &self,
        directory: Directory,
        progress: &Progress,
    ) -> Result<Option<ScanRoot>, StoreError> {
        let now = self.clock.now();
        let plugins = KindExtractors {
            by_extension: self.plugins.by_extension(&directory.kind),
            related: self.plugins.related_extensions(&directory.kind),
        };
        if plugins.by_extension.is_empty() {
            progress.warn(format!(
                "{}: no plugin reads files of kind `{}`",
                directory.path.display(),
                directory.kind
            ));
            return Ok(None);
        }
        let folders = self.index.folders(directory.id).await?;
        let knows_files = folders.iter().any(|folder| folder.file_count > 0);
        let opened = MediaRoot::open(&directory.path).and_then(|root| Ok((root, is_empty(&directory)?)));
        let (id, path) = (directory.id, directory.path.clone());
        let opened = match opened {
            Ok((_, true)) if knows_files => Err("it is empty, but has indexed files".to_owned()),
            Ok((root, _)) => {
                ScanRoot::new(directory, root, plugins, folders).map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        self.directories
            .set_directory_available(id, opened.is_ok(), now)
            .await?;
        match opened {
            Ok(root) => Ok(Some(root)),
            Err(reason) => {
                progress.warn(format!("{}: unavailable, skipped: {reason}", path.display()));
                Ok(None)
            }
        }
    }
}
