//! The host interface `source`: the bytes of the current file, limited by a budget.

use std::fmt;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::buffer::spare_capacity;
use rustix::io::{Errno, pread};

use crate::bindings::svc::plugin::types;
use crate::granted_limits::Limits;
use crate::limits;
use crate::stop_reason::StopReason;

/// The file for a plugin. The caller opens it; the plugin never learns its path. It may be a part of a file, or bytes
/// in memory such as artwork embedded in another file.
#[derive(Debug)]
pub struct SourceFile {
    content: SourceContent,
    name: String,
    size: u64,
    sidecars: Option<Arc<dyn Sidecars>>,
    cancelled: Option<Arc<AtomicBool>>,
}

/// Bytes that are read on request, such as those of a file whose reads a tool records, shortens or lets fail.
pub trait SourceBytes: fmt::Debug + Send + Sync {
    /// Up to `length` bytes from `offset`; fewer are a short read, none the end.
    ///
    /// # Errors
    /// The storage failed.
    fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>>;
}

/// The folders and sidecars of a media file. The caller provides them; a plugin has no other access to the disk.
pub trait Sidecars: fmt::Debug + Send + Sync {
    /// Names of the folders from the media root to the file, outermost first.
    fn folders(&self) -> Vec<String>;
    /// Names and sizes of the sidecars; those with the file's own stem first.
    fn files(&self) -> Vec<(String, u64)>;
    /// Opens a sidecar of `files`; `NotFound` for any other name.
    fn open(&self, name: &str) -> io::Result<File>;
}

/// Where the bytes of a source come from.
#[derive(Debug)]
pub(super) enum SourceContent {
    /// In a file, starting at `offset`.
    File { file: File, offset: u64 },
    /// In memory.
    Memory(Vec<u8>),
    /// Wherever the caller has them.
    Provided(Arc<dyn SourceBytes>),
}

impl SourceFile {
    /// A file opened for reading. `name` is for the plugin and the log; the plugin does not see directories in it.
    /// `size` is the size at opening: data that is appended later is not read.
    pub fn new(file: File, name: impl Into<String>, size: u64) -> Self {
        Self::part(file, name, 0, size)
    }

    /// A part of a file: `size` bytes from `offset` on.
    pub fn part(file: File, name: impl Into<String>, offset: u64, size: u64) -> Self {
        Self {
            content: SourceContent::File { file, offset },
            name: name.into(),
            size,
            sidecars: None,
            cancelled: None,
        }
    }

    /// Bytes that are not stored verbatim in a file.
    pub fn in_memory(bytes: Vec<u8>, name: impl Into<String>) -> Self {
        Self {
            size: bytes.len() as u64,
            content: SourceContent::Memory(bytes),
            name: name.into(),
            sidecars: None,
            cancelled: None,
        }
    }

    /// Bytes that the caller reads: `size` of them.
    pub fn provided(bytes: Arc<dyn SourceBytes>, name: impl Into<String>, size: u64) -> Self {
        Self {
            content: SourceContent::Provided(bytes),
            name: name.into(),
            size,
            sidecars: None,
            cancelled: None,
        }
    }

    /// Gives the plugin access to folder names and sidecars; without, it sees none.
    pub fn with_sidecars(mut self, sidecars: Arc<dyn Sidecars>) -> Self {
        self.sidecars = Some(sidecars);
        self
    }

    /// Ends the call soon after `cancelled` is set.
    pub fn cancelled_by(mut self, cancelled: Arc<AtomicBool>) -> Self {
        self.cancelled = Some(cancelled);
        self
    }

    /// The name, including directories.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn cancelled(&self) -> Option<&Arc<AtomicBool>> {
        self.cancelled.as_ref()
    }

    pub(super) fn sidecars(&self) -> Option<&dyn Sidecars> {
        self.sidecars.as_deref()
    }
}

impl SourceContent {
    /// Fills the buffer's capacity from the offset on, or up to the end.
    fn read_into(&self, buffer: &mut Vec<u8>, at: u64) -> io::Result<()> {
        match self {
            Self::File { file, offset } => Ok(read_into(file, buffer, offset.saturating_add(at))?),
            Self::Memory(bytes) => {
                let start = usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
                let end = start.saturating_add(buffer.capacity()).min(bytes.len());
                buffer.extend_from_slice(bytes.get(start..end).unwrap_or_default());
                Ok(())
            }
            Self::Provided(bytes) => {
                let wanted = buffer.capacity();
                buffer.extend(bytes.read_at(at, wanted)?.into_iter().take(wanted));
                Ok(())
            }
        }
    }
}

/// Source state of one store.
pub(super) struct SourceState {
    pub(super) file: Option<Arc<SourceFile>>,
    max_bytes: u64,
    max_reads: u32,
    bytes: u64,
    reads: u32,
    refusals: u32,
    /// The first failure in this call that the plugin did not cause.
    fault: Option<SourceFault>,
}

/// The error that a guest got from a failed read. Stored, since guests report it as an error of the file.
#[derive(Debug, Clone)]
pub(super) enum SourceFault {
    Storage(String),
    Budget(String),
}

impl SourceState {
    pub(super) fn new() -> Self {
        Self {
            file: None,
            max_bytes: 0,
            max_reads: 0,
            bytes: 0,
            reads: 0,
            refusals: 0,
            fault: None,
        }
    }

    pub(super) fn open(&mut self, file: &Arc<SourceFile>, limits: &Limits) {
        self.file = Some(Arc::clone(file));
        self.max_bytes = limits.read_bytes;
        self.max_reads = limits.reads;
        self.bytes = 0;
        self.reads = 0;
        self.refusals = 0;
        self.fault = None;
    }

    pub(super) fn close(&mut self) {
        self.file = None;
    }

    /// As the caller gave it, including directories; empty outside of a call.
    pub(super) fn file_name(&self) -> &str {
        self.file.as_ref().map_or("", |source| &source.name)
    }

    pub(super) fn take_fault(&mut self) -> Option<SourceFault> {
        self.fault.take()
    }

    /// Reads from the file.
    pub(super) fn read(
        &mut self,
        offset: u64,
        length: u32,
    ) -> wasmtime::Result<Result<Vec<u8>, types::IoError>> {
        let Some(source) = self.file.clone() else {
            return Ok(Err(types::IoError::Failed(
                "there is no file outside of a call".to_owned(),
            )));
        };
        self.read_from(&source.content, source.size, offset, length)
    }

    /// Reads from the file or a sidecar, within the budget of the call.
    pub(super) fn read_from(
        &mut self,
        content: &SourceContent,
        size: u64,
        offset: u64,
        length: u32,
    ) -> wasmtime::Result<Result<Vec<u8>, types::IoError>> {
        let wanted = u64::from(length)
            .min(limits::READ_BYTES)
            .min(size.saturating_sub(offset));
        if self.reads >= self.max_reads {
            return self.reject(format!("more than {} reads of the file", self.max_reads));
        }
        if wanted > self.max_bytes - self.bytes {
            return self.reject(format!("more than {} bytes read from the file", self.max_bytes));
        }
        self.reads += 1;
        let mut buffer = Vec::with_capacity(usize::try_from(wanted)?);
        match content.read_into(&mut buffer, offset) {
            Ok(()) => {
                self.bytes += buffer.len() as u64;
                Ok(Ok(buffer))
            }
            Err(error) => Ok(Err(self.storage_failed(&error))),
        }
    }

    /// Records a storage failure and returns the error for the guest.
    pub(super) fn storage_failed(&mut self, error: &std::io::Error) -> types::IoError {
        let text = error.to_string();
        self.fault
            .get_or_insert_with(|| SourceFault::Storage(text.clone()));
        types::IoError::Failed(text)
    }

    /// Returns an exhausted budget to the guest; stops a guest that keeps reading.
    fn reject(&mut self, what: String) -> wasmtime::Result<Result<Vec<u8>, types::IoError>> {
        self.refusals += 1;
        if self.refusals > limits::REJECTED_CALLS {
            return Err(StopReason::Budget(what).into());
        }
        self.fault.get_or_insert(SourceFault::Budget(what));
        Ok(Err(types::IoError::BudgetExhausted))
    }
}

/// Fills the buffer's capacity from the offset on, or up to the end of the file.
fn read_into(file: &File, buffer: &mut Vec<u8>, offset: u64) -> Result<(), Errno> {
    while buffer.len() < buffer.capacity() {
        let at = offset.saturating_add(buffer.len() as u64);
        match pread(file, spare_capacity(buffer), at) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}
