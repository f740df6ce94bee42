//! What an HTTP/2 connection holds of answers that its client has not taken: bounded, and not for ever.
//!
//! The client decides how much of each stream it takes (RFC 9113, 5.2). What it does not take waits in memory, for each of
//! many streams. So
//!
//! - an answer that is made as a whole needs room among those of its connection. Without it, it is given up and made again
//!   when there is room; one that changes something has its room before it begins;
//! - a file is read piece by piece, small ones where others take long;
//! - a stream of which nothing is taken for [`WRITE_STALL`](super::limits::WRITE_STALL) is reset, and its connection ends
//!   if nothing at all was taken of it. h2 keeps what it was given even when nobody holds the stream any more, so the end
//!   of a body is told after its last piece is gone: until then somebody does.
//!
//! HTTP/1 has one answer at a time, and writes to the socket.

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use salvo::http::ResBody;
use salvo::http::body::{Body, Frame, SizeHint};
use salvo::hyper::rt::Executor;
use salvo::rt::tokio::TokioExecutor;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::connection::{Connection, InFlightGuard};
use crate::limits::{H2_ANSWERS_BYTES, H2_FILES_BYTES, H2_PIECE_BYTES, H2_STREAM_BYTES, Limits};

tokio::task_local! {
    /// The stream whose task this is.
    static STREAM: Arc<Stream>;
}

/// In the extensions of an answer whose bytes are the same for all, and there as long as the server: they need no room.
#[derive(Debug, Clone, Copy)]
pub struct Shared;

/// The room of one connection.
#[derive(Debug)]
pub(super) struct SendBuffer {
    answers: Arc<Semaphore>,
    files: Arc<Semaphore>,
    /// When the client took something last.
    taken: Mutex<Instant>,
    stall: Duration,
    connection: Connection,
}

/// Room that is taken until this value is dropped.
pub(super) type BufferPermit = OwnedSemaphorePermit;

fn permits(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

impl SendBuffer {
    pub(super) fn new(connection: Connection, limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            answers: Arc::new(Semaphore::new(H2_ANSWERS_BYTES)),
            files: Arc::new(Semaphore::new(H2_FILES_BYTES)),
            taken: Mutex::new(Instant::now()),
            stall: limits.write_stall,
            connection,
        })
    }

    /// Room for an answer of so many bytes, if there is some now. One that is larger than all room takes all.
    pub(super) fn try_take(&self, bytes: usize) -> Option<BufferPermit> {
        let bytes = permits(bytes.min(H2_ANSWERS_BYTES));
        Arc::clone(&self.answers).try_acquire_many_owned(bytes).ok()
    }

    /// The same, once there is. Who asks first is served first.
    pub(super) async fn take(&self, bytes: usize) -> Option<BufferPermit> {
        let bytes = permits(bytes.min(H2_ANSWERS_BYTES));
        Arc::clone(&self.answers).acquire_many_owned(bytes).await.ok()
    }

    fn progress(&self) -> MutexGuard<'_, Instant> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One stream's answer on its way.
#[derive(Debug)]
struct Stream {
    send_buffer: Arc<SendBuffer>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Pieces that h2 or hyper holds.
    pieces: usize,
    /// When the client took the last one, or the first was there to be taken.
    since: Instant,
    /// The body, which waits until all are taken.
    waiting: Option<Waker>,
}

impl Stream {
    fn new(send_buffer: Arc<SendBuffer>) -> Arc<Self> {
        Arc::new(Self {
            send_buffer,
            state: Mutex::new(State {
                pieces: 0,
                since: Instant::now(),
                waiting: None,
            }),
        })
    }

    fn current() -> Option<Arc<Self>> {
        STREAM.try_with(Arc::clone).ok()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn piece(self: &Arc<Self>, bytes: Bytes, room: Option<Arc<BufferPermit>>) -> Bytes {
        let mut state = self.state();
        if state.pieces == 0 {
            state.since = Instant::now();
        }
        state.pieces += 1;
        drop(state);
        Bytes::from_owner(Piece {
            bytes,
            stream: Arc::clone(self),
            _room: room,
        })
    }

    /// A piece is with the client, or dropped with its stream.
    fn taken(&self) {
        let now = Instant::now();
        let mut state = self.state();
        state.pieces = state.pieces.saturating_sub(1);
        state.since = now;
        let waiting = (state.pieces == 0).then(|| state.waiting.take()).flatten();
        drop(state);
        *self.send_buffer.progress() = now;
        if let Some(waiting) = waiting {
            waiting.wake();
        }
    }

    fn is_taken(&self) -> bool {
        self.state().pieces == 0
    }

    /// Until all pieces are taken.
    fn poll_taken(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.pieces == 0 {
            return Poll::Ready(());
        }
        state.waiting = Some(context.waker().clone());
        Poll::Pending
    }

    fn poll_buffer_space(&self, context: &Context<'_>, wanted: usize) -> Poll<BufferSpace> {
        let files = Arc::clone(&self.send_buffer.files);
        if let Ok(taken) = files.try_acquire_many_owned(permits(wanted)) {
            return Poll::Ready(BufferSpace {
                bytes: wanted,
                is_bounded: true,
                _taken: Some(taken),
            });
        }
        ready!(self.poll_taken(context));
        Poll::Ready(BufferSpace {
            bytes: wanted.min(H2_STREAM_BYTES),
            is_bounded: true,
            _taken: None,
        })
    }

    /// When it has stalled, as of now; `None` while nothing waits for the client.
    fn deadline(&self) -> Option<Instant> {
        let state = self.state();
        (state.pieces > 0).then(|| state.since + self.send_buffer.stall)
    }

    /// Ends the connection as well, if its client took nothing of any stream.
    fn stalled(&self) {
        let taken = *self.send_buffer.progress();
        if taken + self.send_buffer.stall <= Instant::now() {
            tracing::debug!("connection aborted: the client does not read");
            self.send_buffer.connection.abort();
        }
    }
}

/// Part of an answer, until h2 has sent it.
struct Piece {
    bytes: Bytes,
    stream: Arc<Stream>,
    _room: Option<Arc<BufferPermit>>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.stream.taken();
    }
}

/// Room for a piece of a file.
#[derive(Debug)]
pub(super) struct BufferSpace {
    /// How large the piece may be.
    pub(super) bytes: usize,
    /// What the piece leaves behind must not stay in memory.
    pub(super) is_bounded: bool,
    _taken: Option<BufferPermit>,
}

/// Room for a piece of a file of which so many bytes are wanted, in the task of a stream; anywhere else there is.
pub(super) fn poll_buffer_space(context: &Context<'_>, wanted: usize) -> Poll<BufferSpace> {
    match STREAM.try_with(|stream| stream.poll_buffer_space(context, wanted)) {
        Ok(room) => room,
        Err(_) => Poll::Ready(BufferSpace {
            bytes: wanted,
            is_bounded: false,
            _taken: None,
        }),
    }
}

/// Runs the streams of a connection, each as long as its client takes something of it.
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

/// hyper's part of a stream. h2 resets a stream that is dropped before its end.
async fn until_stalled(running: impl Future<Output = ()>, stream: Arc<Stream>) {
    let mut running = pin!(running);
    let mut alarm = pin!(None::<Sleep>);
    let is_stalled = poll_fn(|context| {
        if running.as_mut().poll(context).is_ready() {
            return Poll::Ready(false);
        }
        loop {
            let Some(deadline) = stream.deadline() else {
                return Poll::Pending;
            };
            if alarm.is_none() {
                alarm.set(Some(sleep_until(deadline)));
            }
            if let Some(alarm) = alarm.as_mut().as_pin_mut() {
                ready!(alarm.poll(context));
            }
            // It rings for an earlier piece as well.
            alarm.set(None);
            if stream
                .deadline()
                .is_some_and(|deadline| deadline <= Instant::now())
            {
                return Poll::Ready(true);
            }
        }
    });
    if is_stalled.await {
        stream.stalled();
    }
}

/// The body of an answer over HTTP/2.
#[derive(Debug)]
pub(super) struct Http2Body {
    body: ResBody,
    /// What is left of a frame of the body.
    rest: Bytes,
    room: Option<Arc<BufferPermit>>,
    stream: Option<Arc<Stream>>,
    _in_flight: InFlightGuard,
}

impl Http2Body {
    /// Sends a body, for which this room is taken. To be made in the task of its stream.
    pub(super) fn new(body: ResBody, room: Option<BufferPermit>, in_flight: InFlightGuard) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            room: room.map(Arc::new),
            stream: Stream::current(),
            _in_flight: in_flight,
        }
    }
}

impl Body for Http2Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let this = self.get_mut();
        while this.rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    // Others may wait for its end, as those who end a user's streams.
                    this.body = ResBody::None;
                    this.room = None;
                    if let Some(stream) = &this.stream {
                        ready!(stream.poll_taken(context));
                    }
                    return Poll::Ready(None);
                }
            }
        }
        let length = this.rest.len().min(H2_PIECE_BYTES);
        let piece = this.rest.split_to(length);
        let piece = match &this.stream {
            Some(stream) => stream.piece(piece, this.room.clone()),
            None => piece,
        };
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        let is_taken = self.stream.as_ref().is_none_or(|stream| stream.is_taken());
        is_taken && self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.rest.is_empty() {
            self.body.size_hint()
        } else {
            SizeHint::default()
        }
    }
}

#[cfg(test)]
#[path = "send_buffer_tests.rs"]
mod tests;
