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
    /// Prepares a root; `None` if it, or the plugin of its kind, is unavailable. Its rows then stay unchanged.
    pub(in crate::scan) async fn open_root(
        &self,
        directory: Directory,
        progress: &Progress,
    ) -> Result<Option<ScanRoot>, StoreError> {
        let now = self.clock.now();
        if let Some(reason) = self.plugins.kind_state(&directory.kind).reason() {
            let path = directory.path.display();
            progress.warn(format!("{path}: skipped, its files stay as they are: {reason}"));
            return Ok(None);
        }
        let plugins = KindExtractors::of(&self.plugins, &directory.kind);
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
