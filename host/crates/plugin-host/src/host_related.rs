//! The host interface `related`: the names of the file's folders, and the small files beside it.

use std::fmt;
use std::fs::File;
use std::io;

use crate::bindings::svc::plugin::{related, types};
use crate::call::CallState;
use crate::host_source::SourceContent;
use crate::limits;

/// What lies around a media file. The scan knows it; a plugin that asks sees no more of the disk than this.
pub trait Sidecars: fmt::Debug + Send + Sync {
    /// The names of the folders from the media root down to the file, outermost first.
    fn folders(&self) -> Vec<String>;
    /// The files beside it, with their sizes, those of the file's own name first.
    fn files(&self) -> Vec<(String, u64)>;
    /// Opens one of `files`. `NotFound` for any other name.
    fn open(&self, name: &str) -> io::Result<File>;
}

/// The file beside that was read last: it is read in steps.
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

    /// Opens the file unless it is open already; the text of the failure otherwise.
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
            // Gone since the folder was listed: the record is made without it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(types::IoError::Failed("no such file beside it".to_owned()))
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
