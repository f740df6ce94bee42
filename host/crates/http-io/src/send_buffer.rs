//! The send buffer of an HTTP/2 connection: response data that the client has not accepted yet, limited in size and
//! time.
//!
//! The client controls how much of each stream it accepts (RFC 9113, 5.2). The rest waits in memory, for each of many
//! streams. Therefore
//!
//! - a response that is generated as a whole reserves space in its connection. Without space it is discarded and
//!   generated again when there is space; a request that changes something reserves space before it is handled;
//! - a file is read in pieces, which are small while other streams occupy the space;
//! - a stream from which the client accepts nothing for [`WRITE_STALL`](super::limits::WRITE_STALL) is reset, and its
//!   connection is closed if the client accepted nothing at all. h2 keeps queued data even after the stream is dropped;
//!   therefore a body reports its end only after its last piece was accepted.
//!
//! HTTP/1 has one response at a time and writes to the socket.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use salvo::hyper::rt::Executor;
use salvo::rt::tokio::TokioExecutor;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::connection::Connection;
use crate::limits::{H2_FILES_BYTES, H2_RESPONSES_BYTES, H2_STREAM_BYTES, Limits};

tokio::task_local! {
    /// The stream that the current task serves.
    static STREAM: Arc<Stream>;
}

/// Extension of a response whose bytes are static and shared: they need no space.
#[derive(Debug, Clone, Copy)]
pub struct Shared;

/// The send buffer of one connection.
#[derive(Debug)]
pub(super) struct SendBuffer {
    responses: Arc<Semaphore>,
    files: Arc<Semaphore>,
    /// When the client last accepted data.
    flushed: Mutex<Instant>,
    stall: Duration,
    connection: Connection,
}

/// Space that is reserved until this value is dropped.
pub(super) type BufferPermit = OwnedSemaphorePermit;

fn permits(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl SendBuffer {
    pub(super) fn new(connection: Connection, limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            responses: Arc::new(Semaphore::new(H2_RESPONSES_BYTES)),
            files: Arc::new(Semaphore::new(H2_FILES_BYTES)),
            flushed: Mutex::new(Instant::now()),
            stall: limits.write_stall,
            connection,
        })
    }

    /// Reserves space for a response of `bytes`, if available now. A response larger than all space reserves all of
    /// it.
    pub(super) fn try_acquire(&self, bytes: usize) -> Option<BufferPermit> {
        let bytes = permits(bytes.min(H2_RESPONSES_BYTES));
        Arc::clone(&self.responses).try_acquire_many_owned(bytes).ok()
    }

    /// As [`Self::try_acquire`], but waits; in the order of the calls.
    pub(super) async fn acquire(&self, bytes: usize) -> Option<BufferPermit> {
        let bytes = permits(bytes.min(H2_RESPONSES_BYTES));
        Arc::clone(&self.responses).acquire_many_owned(bytes).await.ok()
    }

    fn progress(&self) -> MutexGuard<'_, Instant> {
        self.flushed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The response of one stream.
#[derive(Debug)]
pub(super) struct Stream {
    send_buffer: Arc<SendBuffer>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Chunks that h2 or hyper holds.
    chunks: usize,
    /// When the client accepted the last piece, or the first one became available.
    since: Instant,
    /// Wakes the body when all pieces were accepted.
    waker: Option<Waker>,
}

impl Stream {
    fn new(send_buffer: Arc<SendBuffer>) -> Arc<Self> {
        Arc::new(Self {
            send_buffer,
            state: Mutex::new(State {
                chunks: 0,
                since: Instant::now(),
                waker: None,
            }),
        })
    }

    pub(super) fn current() -> Option<Arc<Self>> {
        STREAM.try_with(Arc::clone).ok()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn chunk(self: &Arc<Self>, bytes: Bytes, space: Option<Arc<BufferPermit>>) -> Bytes {
        let mut state = self.state();
        if state.chunks == 0 {
            state.since = Instant::now();
        }
        state.chunks += 1;
        drop(state);
        Bytes::from_owner(Chunk {
            bytes,
            stream: Arc::clone(self),
            _space: space,
        })
    }

    /// A piece was accepted by the client, or dropped with its stream.
    fn flushed(&self) {
        let now = Instant::now();
        let mut state = self.state();
        state.chunks = state.chunks.saturating_sub(1);
        state.since = now;
        let waker = (state.chunks == 0).then(|| state.waker.take()).flatten();
        drop(state);
        *self.send_buffer.progress() = now;
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(super) fn is_flushed(&self) -> bool {
        self.state().chunks == 0
    }

    /// Waits until all pieces were accepted.
    pub(super) fn poll_flushed(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.chunks == 0 {
            return Poll::Ready(());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }

    fn poll_buffer_space(&self, context: &Context<'_>, wanted: usize) -> Poll<BufferSpace> {
        let files = Arc::clone(&self.send_buffer.files);
        if let Ok(flushed) = files.try_acquire_many_owned(permits(wanted)) {
            return Poll::Ready(BufferSpace {
                bytes: wanted,
                is_bounded: true,
                _taken: Some(flushed),
            });
        }
        ready!(self.poll_flushed(context));
        Poll::Ready(BufferSpace {
            bytes: wanted.min(H2_STREAM_BYTES),
            is_bounded: true,
            _taken: None,
        })
    }

    /// When the stream counts as stalled; `None` while no data waits for the client.
    fn deadline(&self) -> Option<Instant> {
        let state = self.state();
        (state.chunks > 0).then(|| state.since + self.send_buffer.stall)
    }

    /// Handles a stall: closes the connection if its client accepted nothing on any stream.
    fn handle_stall(&self) {
        let flushed = *self.send_buffer.progress();
        if flushed + self.send_buffer.stall <= Instant::now() {
            tracing::debug!("connection aborted: the client does not read");
            self.send_buffer.connection.abort();
        }
    }
}

/// A piece of a response, until h2 has sent it.
struct Chunk {
    bytes: Bytes,
    stream: Arc<Stream>,
    _space: Option<Arc<BufferPermit>>,
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        self.stream.flushed();
    }
}

/// Space for a piece of a file.
#[derive(Debug)]
pub(super) struct BufferSpace {
    /// Maximum size of the piece.
    pub(super) bytes: usize,
    /// Whether its buffer has to be freed after sending.
    pub(super) is_bounded: bool,
    _taken: Option<BufferPermit>,
}

/// Reserves space for a piece of at most `wanted` bytes of a file. Outside of a stream's task there is no limit.
pub(super) fn poll_buffer_space(context: &Context<'_>, wanted: usize) -> Poll<BufferSpace> {
    match STREAM.try_with(|stream| stream.poll_buffer_space(context, wanted)) {
        Ok(space) => space,
        Err(_) => Poll::Ready(BufferSpace {
            bytes: wanted,
            is_bounded: false,
            _taken: None,
        }),
    }
}

/// Runs the streams of a connection, each as long as its client accepts data.
#[derive(Debug, Clone)]
pub(super) struct StreamExecutor {
    send_buffer: Arc<SendBuffer>,
    executor: TokioExecutor,
}

impl StreamExecutor {
    pub(super) fn new(send_buffer: Arc<SendBuffer>) -> Self {
        Self {
            send_buffer,
            executor: TokioExecutor::new(),
        }
    }
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for StreamExecutor {
    fn execute(&self, running: F) {
        let stream = Stream::new(Arc::clone(&self.send_buffer));
        let watched = until_stalled(running, Arc::clone(&stream));
        self.executor.execute(STREAM.scope(stream, watched));
    }
}

/// The stream as hyper drives it. h2 resets a stream that is dropped before its end.
async fn until_stalled(running: impl Future<Output = ()>, stream: Arc<Stream>) {
    let mut running = pin!(running);
    let mut timer = pin!(None::<Sleep>);
    let is_stalled = poll_fn(|context| {
        if running.as_mut().poll(context).is_ready() {
            return Poll::Ready(false);
        }
        loop {
            let Some(deadline) = stream.deadline() else {
                return Poll::Pending;
            };
            if timer.is_none() {
                timer.set(Some(sleep_until(deadline)));
            }
            if let Some(timer) = timer.as_mut().as_pin_mut() {
                ready!(timer.poll(context));
            }
            // The timer may have been set for an earlier piece.
            timer.set(None);
            if stream
                .deadline()
                .is_some_and(|deadline| deadline <= Instant::now())
            {
                return Poll::Ready(true);
            }
        }
    });
    if is_stalled.await {
        stream.handle_stall();
    }
}

#[cfg(test)]
#[path = "send_buffer_tests.rs"]
mod tests;
