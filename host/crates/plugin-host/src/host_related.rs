//! The host interface `related`: names of the file's folders, and its sidecars.

use std::fmt;
use std::fs::File;
use std::io;

use crate::bindings::svc::plugin::{related, types};
use crate::call::CallState;
use crate::host_source::SourceContent;
use crate::limits;

/// The folders and sidecars of a media file. The caller provides them; a plugin has no other access to the disk.
pub trait Sidecars: fmt::Debug + Send + Sync {
    /// Names of the folders from the media root to the file, outermost first.
    fn folders(&self) -> Vec<String>;
    /// Names and sizes of the sidecars; those with the file's own stem first.
    fn files(&self) -> Vec<(String, u64)>;
    /// Opens a sidecar of `files`; `NotFound` for any other name.
    fn open(&self, name: &str) -> io::Result<File>;
}

/// The sidecar that was read last; kept open, since it is read in steps.
#[derive(Debug)]
pub(super) struct OpenedRelated {
    name: String,
    content: SourceContent,
    size: u64,
}

impl CallState {
    fn sidecars(&self) -> Option<&dyn Sidecars> {
        self.source.file.as_ref()?.sidecars()
    }

    /// Opens the sidecar unless it is open; returns the error for the guest on failure.
    fn open_related(&mut self, name: &str) -> Result<(), types::IoError> {
        if self.related.as_ref().is_some_and(|opened| opened.name == name) {
            return Ok(());
        }
        let nothing = || io::Error::from(io::ErrorKind::NotFound);
        let opened = self
            .sidecars()
            .ok_or_else(nothing)
            .and_then(|sidecars| sidecars.open(name));
        match opened.and_then(|file| Ok((file.metadata()?.len(), file))) {
            Ok((size, file)) => {
                let name = name.to_owned();
                let content = SourceContent::File { file, offset: 0 };
                self.related = Some(OpenedRelated { name, content, size });
                Ok(())
            }
            // Removed since the folder was listed: the guest continues without it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(types::IoError::Failed("there is no such sidecar".to_owned()))
            }
            Err(error) => Err(self.source.storage_failed(&error)),
        }
    }
}

impl related::Host for CallState {
    fn folders(&mut self) -> wasmtime::Result<Vec<String>> {
        Ok(self.sidecars().map(Sidecars::folders).unwrap_or_default())
    }

    fn files(&mut self) -> wasmtime::Result<Vec<related::RelatedFile>> {
        let files = self.sidecars().map(Sidecars::files).unwrap_or_default();
        let files = files.into_iter().take(limits::RELATED_FILES);
        Ok(files
            .map(|(name, size)| related::RelatedFile { name, size })
            .collect())
    }

    fn read_at(
        &mut self,
        name: String,
        offset: u64,
        length: u32,
    ) -> wasmtime::Result<Result<Vec<u8>, types::IoError>> {
        if let Err(error) = self.open_related(&name) {
            return Ok(Err(error));
        }
        match &self.related {
            Some(opened) => self
                .source
                .read_from(&opened.content, opened.size, offset, length),
            None => Ok(Ok(Vec::new())),
        }
    }
}
