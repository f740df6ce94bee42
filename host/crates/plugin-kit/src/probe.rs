//! Sources that record, shorten or fail reads, and one that is larger than its content.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use svc_plugin_host::SourceBytes;

/// One read of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Read {
    /// First byte.
    pub offset: u64,
    /// Bytes requested, up to the end of the file.
    pub length: u64,
    /// Bytes returned.
    pub returned: u64,
}

/// Records all reads.
#[derive(Debug)]
pub(crate) struct Recorded {
    inner: Arc<dyn SourceBytes>,
    reads: Mutex<Vec<Read>>,
}

impl Recorded {
    pub(crate) fn new(inner: Arc<dyn SourceBytes>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            reads: Mutex::default(),
        })
    }

    pub(crate) fn reads(&self) -> Vec<Read> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl SourceBytes for Recorded {
    fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let bytes = self.inner.read_at(offset, length)?;
        let read = Read {
            offset,
            length: length as u64,
            returned: bytes.len() as u64,
        };
        self.reads
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(read);
        Ok(bytes)
    }
}

/// Returns fewer bytes than requested: the interface allows it.
#[derive(Debug)]
pub(crate) struct Short {
    pub(crate) inner: Arc<dyn SourceBytes>,
    /// Divides the requested number, rounded up.
    pub(crate) divisor: usize,
    /// Bytes of one read, at most.
    pub(crate) most: usize,
}

impl SourceBytes for Short {
    fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        self.inner
            .read_at(offset, length.div_ceil(self.divisor.max(1)).min(self.most))
    }
}

/// Fails one read.
#[derive(Debug)]
pub(crate) struct Failing {
    pub(crate) inner: Arc<dyn SourceBytes>,
    /// Number of the read, from 0.
    pub(crate) failing: u32,
    pub(crate) reads: AtomicU32,
}

impl SourceBytes for Failing {
    fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        if self.reads.fetch_add(1, Ordering::Relaxed) == self.failing {
            return Err(io::Error::other("the storage failed, as the test wants it"));
        }
        self.inner.read_at(offset, length)
    }
}

/// The bytes of a file, followed by zeros up to any size.
#[derive(Debug)]
pub(crate) struct Padded {
    pub(crate) inner: Arc<dyn SourceBytes>,
}

impl SourceBytes for Padded {
    fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = self.inner.read_at(offset, length)?;
        bytes.resize(length, 0);
        Ok(bytes)
    }
}
