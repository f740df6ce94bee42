//! The host interface `related`: names of the file's folders, and its sidecars.

use std::io;

use crate::bindings::svc::plugin::{related, types};
use crate::host_source::{Sidecars, SourceContent, SourceState};
use crate::limits;

/// The sidecar of one store that was read last; kept open, since it is read in steps.
#[derive(Debug, Default)]
pub(super) struct RelatedState {
    opened: Option<OpenedRelated>,
}

#[derive(Debug)]
struct OpenedRelated {
    name: String,
    content: SourceContent,
    size: u64,
}

/// Names of the folders of the current file.
pub(super) fn folders(source: &SourceState) -> Vec<String> {
    sidecars(source).map(Sidecars::folders).unwrap_or_default()
}

/// The sidecars of the current file that the plugin can list.
pub(super) fn files(source: &SourceState) -> Vec<related::RelatedFile> {
    let files = sidecars(source).map(Sidecars::files).unwrap_or_default();
    let files = files.into_iter().take(limits::RELATED_FILES);
    files
        .map(|(name, size)| related::RelatedFile { name, size })
        .collect()
}

fn sidecars(source: &SourceState) -> Option<&dyn Sidecars> {
    source.file.as_ref()?.sidecars()
}

impl RelatedState {
    /// Reads a sidecar of the current file, within the budget of the call.
    pub(super) fn read(
        &mut self,
        source: &mut SourceState,
        name: &str,
        offset: u64,
        length: u32,
    ) -> wasmtime::Result<Result<Vec<u8>, types::IoError>> {
        if let Err(error) = self.open(source, name) {
            return Ok(Err(error));
        }
        match &self.opened {
            Some(opened) => source.read_from(&opened.content, opened.size, offset, length),
            None => Ok(Ok(Vec::new())),
        }
    }

    /// Opens the sidecar unless it is open; returns the error for the guest on failure.
    fn open(&mut self, source: &mut SourceState, name: &str) -> Result<(), types::IoError> {
        if self.opened.as_ref().is_some_and(|opened| opened.name == name) {
            return Ok(());
        }
        let nothing = || io::Error::from(io::ErrorKind::NotFound);
        let opened = sidecars(source)
            .ok_or_else(nothing)
            .and_then(|sidecars| sidecars.open(name));
        match opened.and_then(|file| Ok((file.metadata()?.len(), file))) {
            Ok((size, file)) => {
                let name = name.to_owned();
                let content = SourceContent::File { file, offset: 0 };
                self.opened = Some(OpenedRelated { name, content, size });
                Ok(())
            }
            // Removed since the folder was listed: the guest continues without it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(types::IoError::Failed("there is no such sidecar".to_owned()))
            }
            Err(error) => Err(source.storage_failed(&error)),
        }
    }

    /// Closes the sidecar at the end of the call.
    pub(super) fn close(&mut self) {
        self.opened = None;
    }
}
