//! Part of a file as a response body: piece by piece, never in memory as a whole.
//!
//! What the page cache holds goes from there to the connection, where that can send it, or is read in place
//! (`RWF_NOWAIT`); only what must come from the disk goes to a blocking thread. Buffers are used again once the connection
//! has sent them; over HTTP/2, where many streams may wait for one client, they are given back. A file that turns out
//! shorter than announced ends in an error, so that the connection breaks off and the client sees it.

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
use crate::limits::{FILE_PART_BYTES, MEDIA_CHUNK_BYTES};
use crate::send_buffer::{BufferSpace, poll_buffer_space};

/// How far apart the places are at which a part of a file is looked for in the page cache. The system reads and forgets
/// neighbours together; a page that is not there all the same is waited for.
const PROBE_STEP: usize = 64 * 1024;

/// Buffers that wait for their next use.
type Spare = Arc<Mutex<Vec<Vec<u8>>>>;

/// A buffer with bytes in it that goes back to its body when they are sent, unless its room is needed elsewhere.
struct PooledBuffer {
    buffer: Vec<u8>,
    length: usize,
    spare: Spare,
    room: BufferSpace,
}

impl AsRef<[u8]> for PooledBuffer {
    fn as_ref(&self) -> &[u8] {
        self.buffer.get(..self.length).unwrap_or_default()
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        if !self.room.is_bounded {
            self.spare
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(std::mem::take(&mut self.buffer));
        }
    }
}

/// Whether the client may have no more of the file.
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
    spare: Spare,
    reading: Option<JoinHandle<Read>>,
    /// Sends parts of the file itself.
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
            spare: Spare::default(),
            reading: None,
            connection: None,
            is_revoked: None,
        }
    }

    /// The same, until the permission is revoked: it fails at the next piece after `is_revoked` returns true.
    #[must_use]
    pub fn until(self, is_revoked: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            is_revoked: Some(Revoked(Box::new(is_revoked))),
            ..self
        }
    }

    /// The same, sent by the connection that the answer goes to. Nobody else can read this body then.
    #[must_use]
    pub fn on(self, connection: Option<Connection>) -> Self {
        Self { connection, ..self }
    }

    fn wanted(&self, most: usize) -> usize {
        usize::try_from(self.remaining).unwrap_or(usize::MAX).min(most)
    }

    /// The next part, for the connection to send. A small one is read sooner than it is looked for.
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

    fn buffer(&self, room: &BufferSpace) -> Vec<u8> {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // No larger than the whole: most pictures are small.
        spare.unwrap_or_else(|| vec![0; room.bytes])
    }

    fn deliver(
        &mut self,
        buffer: Vec<u8>,
        length: usize,
        room: BufferSpace,
    ) -> Result<Frame<Bytes>, BoxedError> {
        if length == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.position += length as u64;
        self.remaining = self.remaining.saturating_sub(length as u64);
        let piece = PooledBuffer {
            buffer,
            length,
            spare: Arc::clone(&self.spare),
            room,
        };
        Ok(Frame::data(Bytes::from_owner(piece)))
    }
}

/// Reads what is in memory already. `None` if there is nothing, or the file system cannot tell.
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

/// Whether these bytes are in memory, as far as a look here and there tells.
fn is_cached(file: &File, position: u64, length: usize) -> bool {
    let mut places = (0..length).step_by(PROBE_STEP).chain([length - 1]);
    places.all(|place| matches!(read_cached(file, &mut [0], position + place as u64), Some(Ok(1))))
}

impl Body for FileBody {
    type Data = Bytes;
    type Error = BoxedError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxedError>>> {
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
            let room = ready!(poll_buffer_space(context, this.wanted(MEDIA_CHUNK_BYTES)));
            let mut buffer = this.buffer(&room);
            let wanted = room.bytes;
            match read_cached(
                &this.file,
                buffer.get_mut(..wanted).unwrap_or_default(),
                this.position,
            ) {
                Some(Ok(length)) => return Poll::Ready(Some(this.deliver(buffer, length, room))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                None => {}
            }
            let (file, position) = (Arc::clone(&this.file), this.position);
            this.reading = Some(tokio::task::spawn_blocking(move || {
                let length = file.read_at(buffer.get_mut(..wanted).unwrap_or_default(), position)?;
                Ok((buffer, length, room))
            }));
        }
        let Some(reading) = this.reading.as_mut() else {
            return Poll::Ready(None);
        };
        let outcome = ready!(Pin::new(reading).poll(context));
        this.reading = None;
        Poll::Ready(Some(match outcome {
            Ok(Ok((buffer, length, room))) => this.deliver(buffer, length, room),
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
    async fn file_body_gives_the_bytes_asked_for() {
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
    async fn truncated_file_breaks_off_and_is_never_padded() {
        let (_directory, _, file) = file(1000);
        assert!(collect(FileBody::new(file, 0, 1001)).await.is_err());
    }

    #[tokio::test]
    async fn buffers_are_used_again() {
        let (_directory, _, file) = file(8 * MEDIA_CHUNK_BYTES);
        let body = FileBody::new(file, 0, 8 * MEDIA_CHUNK_BYTES as u64);
        let spare = Arc::clone(&body.spare);
        collect(body).await.unwrap();
        assert_eq!(spare.lock().unwrap().len(), 1);
    }
}
