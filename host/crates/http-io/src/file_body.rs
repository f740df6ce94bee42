//! A part of a file as a response body, sent in pieces.
//!
//! Cached pages are sent by the connection with `sendfile`, or read without blocking (`RWF_NOWAIT`); only reads from
//! the disk use a blocking thread. Buffers are reused after the connection has sent them; over HTTP/2, where many
//! streams may wait for one client, they are freed. If the file is shorter than announced, the body ends with an
//! error, so that the connection is closed and the client notices.

use std::fs::File;
use std::io::{self, IoSliceMut};
use std::os::unix::fs::FileExt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use rustix::io::{Errno, ReadWriteFlags};
use salvo::BoxedError;
use salvo::http::body::{Body, Frame, SizeHint};
use tokio::task::JoinHandle;

use crate::connection::Connection;
use crate::frame_poll::FramePoll;
use crate::limits::{FILE_PART_BYTES, MEDIA_CHUNK_BYTES};
use crate::send_buffer::{BufferSpace, poll_buffer_space};

/// Distance of the probes for cached pages. The system caches and evicts neighbouring pages together; a missing page
/// between two probes blocks.
const PROBE_STEP: usize = 64 * 1024;

/// Buffers for reuse.
type BufferPool = Arc<Mutex<Vec<Vec<u8>>>>;

/// A filled buffer that returns to its body after it was sent, unless its size counts against a limit.
struct PooledBuffer {
    buffer: Vec<u8>,
    length: usize,
    pool: BufferPool,
    space: BufferSpace,
}

impl AsRef<[u8]> for PooledBuffer {
    fn as_ref(&self) -> &[u8] {
        self.buffer.get(..self.length).unwrap_or_default()
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        if !self.space.is_bounded {
            self.pool
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(std::mem::take(&mut self.buffer));
        }
    }
}

/// Returns whether the client has lost access to the file.
struct Revoked(Box<dyn Fn() -> bool + Send + Sync>);

impl std::fmt::Debug for Revoked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Revoked").finish_non_exhaustive()
    }
}

type Read = io::Result<(Vec<u8>, usize, BufferSpace)>;

/// The body.
#[derive(Debug)]
pub struct FileBody {
    file: Arc<File>,
    position: u64,
    remaining: u64,
    pool: BufferPool,
    reading: Option<JoinHandle<Read>>,
    /// Sends parts of the file by itself, without a copy.
    connection: Option<Connection>,
    is_revoked: Option<Revoked>,
}

impl FileBody {
    /// `length` bytes of `file` from `position` on.
    pub fn new(file: File, position: u64, length: u64) -> Self {
        Self {
            file: Arc::new(file),
            position,
            remaining: length,
            pool: BufferPool::default(),
            reading: None,
            connection: None,
            is_revoked: None,
        }
    }

    /// The same body, which fails at the next piece after `is_revoked` returns true.
    #[must_use]
    pub fn until(self, is_revoked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            is_revoked: Some(Revoked(Box::new(is_revoked))),
            ..self
        }
    }

    /// The same body, sent by the connection of its response; it cannot be read in any other way.
    #[must_use]
    pub fn on(self, connection: Option<Connection>) -> Self {
        Self { connection, ..self }
    }

    fn wanted(&self, most: usize) -> usize {
        usize::try_from(self.remaining).unwrap_or(usize::MAX).min(most)
    }

    /// The next part for the connection to send. Small parts are read, which is faster than probing.
    fn part(&mut self) -> Option<Bytes> {
        let connection = self.connection.as_ref()?;
        let length = self.wanted(FILE_PART_BYTES);
        if length < PROBE_STEP || !is_cached(&self.file, self.position, length) {
            return None;
        }
        let part = connection.send_part(Arc::clone(&self.file), self.position, length);
        self.position += part.len() as u64;
        self.remaining = self.remaining.saturating_sub(part.len() as u64);
        Some(part)
    }

    fn buffer(&self, space: &BufferSpace) -> Vec<u8> {
        let pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // No larger than the whole body: most images are small.
        pool.unwrap_or_else(|| vec![0; space.bytes])
    }

    fn deliver(
        &mut self,
        buffer: Vec<u8>,
        length: usize,
        space: BufferSpace,
    ) -> Result<Frame<Bytes>, BoxedError> {
        if length == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.position += length as u64;
        self.remaining = self.remaining.saturating_sub(length as u64);
        let pooled = PooledBuffer {
            buffer,
            length,
            pool: Arc::clone(&self.pool),
            space,
        };
        Ok(Frame::data(Bytes::from_owner(pooled)))
    }
}

/// Reads from the page cache. `None` if the pages are not cached or the file system does not support it.
fn read_cached(file: &File, buffer: &mut [u8], position: u64) -> Option<io::Result<usize>> {
    loop {
        match rustix::io::preadv2(
            file,
            &mut [IoSliceMut::new(buffer)],
            position,
            ReadWriteFlags::NOWAIT,
        ) {
            Ok(length) => return Some(Ok(length)),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => return None,
            Err(error) => return Some(Err(error.into())),
        }
    }
}

/// Whether these bytes are cached, by probing some pages.
fn is_cached(file: &File, position: u64, length: usize) -> bool {
    let mut places = (0..length).step_by(PROBE_STEP).chain([length - 1]);
    places.all(|place| matches!(read_cached(file, &mut [0], position + place as u64), Some(Ok(1))))
}

impl Body for FileBody {
    type Data = Bytes;
    type Error = BoxedError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> FramePoll<BoxedError> {
        let this = self.get_mut();
        if this.remaining == 0 {
            return Poll::Ready(None);
        }
        if this.is_revoked.as_ref().is_some_and(|revoked| (revoked.0)()) {
            return Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::PermissionDenied).into())));
        }
        if this.reading.is_none() {
            if let Some(part) = this.part() {
                return Poll::Ready(Some(Ok(Frame::data(part))));
            }
            let space = ready!(poll_buffer_space(context, this.wanted(MEDIA_CHUNK_BYTES)));
            let mut buffer = this.buffer(&space);
            let wanted = space.bytes;
            match read_cached(
                &this.file,
                buffer.get_mut(..wanted).unwrap_or_default(),
                this.position,
            ) {
                Some(Ok(length)) => return Poll::Ready(Some(this.deliver(buffer, length, space))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                None => {}
            }
            let (file, position) = (Arc::clone(&this.file), this.position);
            this.reading = Some(tokio::task::spawn_blocking(move || {
                let length = file.read_at(buffer.get_mut(..wanted).unwrap_or_default(), position)?;
                Ok((buffer, length, space))
            }));
        }
        let Some(reading) = this.reading.as_mut() else {
            return Poll::Ready(None);
        };
        let outcome = ready!(Pin::new(reading).poll(context));
        this.reading = None;
        Poll::Ready(Some(match outcome {
            Ok(Ok((buffer, length, space))) => this.deliver(buffer, length, space),
            Ok(Err(error)) => Err(error.into()),
            Err(error) => Err(error.into()),
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.remaining == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining)
    }
}

#[cfg(test)]
mod tests {
    use svc_covers::covers;

    use super::*;

    async fn collect(mut body: FileBody) -> Result<Vec<u8>, BoxedError> {
        let mut bytes = Vec::new();
        while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
        {
            bytes.extend_from_slice(&frame?.into_data().unwrap_or_default());
        }
        Ok(bytes)
    }

    fn file(length: usize) -> (tempfile::TempDir, Vec<u8>, File) {
        let directory = tempfile::tempdir().unwrap();
        let content: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        let path = directory.path().join("media");
        std::fs::write(&path, &content).unwrap();
        (directory, content, File::open(path).unwrap())
    }

    #[covers("limit MEDIA_CHUNK_BYTES")]
    #[tokio::test]
    async fn file_body_contains_the_requested_bytes() {
        let length = 3 * MEDIA_CHUNK_BYTES + 17;
        for (start, count) in [
            (0, length),
            (0, 1),
            (1, MEDIA_CHUNK_BYTES),
            (length - 1, 1),
            (5, 0),
        ] {
            let (_directory, content, file) = file(length);
            let body = FileBody::new(file, start as u64, count as u64);
            assert_eq!(body.size_hint().exact(), Some(count as u64));
            assert!(
                collect(body).await.unwrap() == content[start..start + count],
                "{count} from {start}"
            );
        }
    }

    #[covers("R64")]
    #[tokio::test]
    async fn truncated_file_fails_and_is_not_padded() {
        let (_directory, _, file) = file(1000);
        assert!(collect(FileBody::new(file, 0, 1001)).await.is_err());
    }

    #[tokio::test]
    async fn buffers_are_reused() {
        let (_directory, _, file) = file(8 * MEDIA_CHUNK_BYTES);
        let body = FileBody::new(file, 0, 8 * MEDIA_CHUNK_BYTES as u64);
        let pool = Arc::clone(&body.pool);
        collect(body).await.unwrap();
        assert_eq!(pool.lock().unwrap().len(), 1);
    }
}
