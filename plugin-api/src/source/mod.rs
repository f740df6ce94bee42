//! The bytes of the file of the current call, buffered in two windows.
//!
//! Parsers read a few bytes at a time and alternate between the start and the end of a file. Each read of the host
//! costs a call and a copy, so one window of 32 KiB follows the parser and a second one covers the end of the file.

mod backend;
mod related;
#[cfg(test)]
mod tests;

use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom};

use crate::IoError;
use backend::Backend;
use related::Related;

/// 32 KiB needed the least CPU time in measurements: 64 KiB copy too much, 4 KiB need too many calls.
const WINDOW_BYTES: usize = 32 * 1024;
/// Bytes before the requested offset that a window includes, because parsers often step back.
const READ_BEHIND_BYTES: u64 = 512;
/// The most bytes that the host returns for one read.
const HOST_READ_BYTES: usize = 1024 * 1024;

/// The file of the current call: its name, size and bytes. [`Read`] and [`Seek`] go through two windows of 32 KiB.
///
/// In the sandbox [`export_plugin!`](crate::export_plugin) creates it; a test creates one from bytes or from a
/// reader.
///
/// ```
/// use std::io::{Read, Seek, SeekFrom};
/// let mut source = svc_plugin_api::Source::from_bytes("song.MP3", (0..=255).collect());
/// assert_eq!((source.size(), source.extension().as_str()), (256, "mp3"));
/// source.seek(SeekFrom::End(-2)).unwrap();
/// let mut end = Vec::new();
/// source.read_to_end(&mut end).unwrap();
/// assert_eq!(end, [254, 255]);
/// assert_eq!(source.bytes_at(10, 3).unwrap(), [10, 11, 12]);
/// ```
pub struct Source {
    name: String,
    size: u64,
    position: u64,
    here: Window,
    tail: Window,
    backend: Backend,
    related: Related,
    failure: Option<IoError>,
    host_reads: u64,
}

#[derive(Default)]
struct Window {
    offset: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// The bytes of the window from `position`; `None` if the window does not contain it.
    fn from(&self, position: u64) -> Option<&[u8]> {
        let skip = usize::try_from(position.checked_sub(self.offset)?).ok()?;
        self.bytes.get(skip..).filter(|bytes| !bytes.is_empty())
    }
}

impl Source {
    /// The file of the current call. For [`export_plugin!`](crate::export_plugin).
    #[cfg(target_arch = "wasm32")]
    pub fn of_this_call() -> Self {
        use crate::bindings::source;
        // Here, because every exported function begins with it.
        crate::panic::report();
        let mut source = Self::new(source::name(), source::size(), Backend::Host);
        source.related = Related::Host;
        source
    }

    /// An empty source: there is no current call outside the sandbox.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn of_this_call() -> Self {
        Self::from_bytes("", Vec::new())
    }

    /// A source over bytes, for tests and for parts of a file that a plugin has decoded itself.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Self {
        Self::new(name.to_owned(), bytes.len() as u64, Backend::Bytes(bytes))
    }

    /// A source over a reader such as [`std::fs::File`], for tests and tools.
    ///
    /// # Errors
    /// If the reader cannot seek to its end.
    pub fn from_reader(name: &str, mut reader: impl Read + Seek + Send + Sync + 'static) -> Result<Self> {
        let size = reader.seek(SeekFrom::End(0))?;
        Ok(Self::new(
            name.to_owned(),
            size,
            Backend::Reader(Box::new(reader)),
        ))
    }

    fn new(name: String, size: u64, backend: Backend) -> Self {
        Self {
            name,
            size,
            position: 0,
            here: Window::default(),
            tail: Window::default(),
            backend,
            related: Related::default(),
            failure: None,
            host_reads: 0,
        }
    }

    /// The file name without a directory.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The extension in lower case, without the dot; empty if there is none.
    pub fn extension(&self) -> String {
        self.name
            .rsplit_once('.')
            .map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
    }

    /// The size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The number of reads of the host, for tests that limit it.
    pub fn host_reads(&self) -> u64 {
        self.host_reads
    }

    /// At most `length` bytes from `offset`; fewer if the file ends before. The position of [`Read`] is unchanged.
    ///
    /// Limit a `length` that comes from the file: this method allocates as much, up to the rest of the file.
    ///
    /// # Errors
    /// If a read failed.
    pub fn bytes_at(&mut self, offset: u64, length: usize) -> Result<Vec<u8>> {
        let left = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = Vec::with_capacity(length.min(left).min(HOST_READ_BYTES));
        while bytes.len() < length {
            let start = offset.saturating_add(bytes.len() as u64);
            let wanted = length - bytes.len();
            if wanted > WINDOW_BYTES && self.window(start).is_none() {
                let chunk = self.fetch(start, wanted.min(HOST_READ_BYTES))?;
                if chunk.is_empty() {
                    break;
                }
                bytes.extend_from_slice(&chunk);
                continue;
            }
            let available = self.available(start)?;
            let taken = available.get(..wanted.min(available.len())).unwrap_or_default();
            if taken.is_empty() {
                break;
            }
            bytes.extend_from_slice(taken);
        }
        Ok(bytes)
    }

    /// Like [`bytes_at`](Self::bytes_at), but without a copy if a window contains all the bytes; otherwise they are
    /// read into `spare`.
    ///
    /// # Errors
    /// If a read failed.
    pub fn slice_at<'a>(
        &'a mut self,
        offset: u64,
        length: usize,
        spare: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        if length <= WINDOW_BYTES && self.available(offset)?.len() >= length {
            let available = self.window(offset).unwrap_or_default();
            return Ok(available.get(..length).unwrap_or_default());
        }
        *spare = self.bytes_at(offset, length)?;
        Ok(spare)
    }

    /// Exactly `N` bytes from `offset`, or `None` if the file ends before.
    ///
    /// # Errors
    /// If a read failed.
    pub fn array_at<const N: usize>(&mut self, offset: u64) -> Result<Option<[u8; N]>> {
        if let Some(array) = self.window(offset).and_then(|bytes| bytes.first_chunk::<N>()) {
            return Ok(Some(*array));
        }
        Ok(self.bytes_at(offset, N)?.first_chunk::<N>().copied())
    }

    /// The failure of the first failed read, once.
    pub(crate) fn take_failure(&mut self) -> Option<IoError> {
        self.failure.take()
    }

    fn window(&self, position: u64) -> Option<&[u8]> {
        self.here.from(position).or_else(|| self.tail.from(position))
    }

    /// The bytes of a window from `position`, which is read if necessary. Empty only at the end of the file.
    fn available(&mut self, position: u64) -> Result<&[u8]> {
        if self.window(position).is_none() && position < self.size {
            let tail_start = self.size.saturating_sub(WINDOW_BYTES as u64);
            let is_tail = position >= tail_start && tail_start > 0;
            let offset = if is_tail {
                tail_start
            } else {
                position.saturating_sub(READ_BEHIND_BYTES)
            };
            let mut window = Window {
                offset,
                bytes: self.fetch(offset, WINDOW_BYTES)?,
            };
            // A short read of the host may end before the requested position.
            if window.from(position).is_none() && offset < position {
                window = Window {
                    offset: position,
                    bytes: self.fetch(position, WINDOW_BYTES)?,
                };
            }
            *(if is_tail { &mut self.tail } else { &mut self.here }) = window;
        }
        Ok(self.window(position).unwrap_or_default())
    }

    fn fetch(&mut self, offset: u64, length: usize) -> Result<Vec<u8>> {
        if let Some(failure) = &self.failure {
            return Err(io_error(failure));
        }
        self.host_reads += 1;
        let bytes = self.backend.read_at(offset, length);
        bytes.map_err(|failure| io_error(self.failure.insert(failure)))
    }
}

fn io_error(failure: &IoError) -> Error {
    match failure {
        IoError::Failed(reason) => Error::other(reason.clone()),
        IoError::BudgetExhausted => Error::new(ErrorKind::QuotaExceeded, "the read budget is used up"),
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let position = self.position;
        let available = self.available(position)?;
        let length = available.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..length), available.get(..length)) {
            to.copy_from_slice(from);
        }
        self.position = position.saturating_add(length as u64);
        Ok(length)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let position = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => self.size.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position =
            position.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "seek before the start"))?;
        Ok(self.position)
    }

    fn stream_position(&mut self) -> Result<u64> {
        Ok(self.position)
    }
}
