//! A connection as its requests see it: they may break it off, take it over, and send parts of files that nobody reads.
//!
//! hyper speaks HTTP on it and knows of neither. [`Transport`] stands between hyper and the socket, and
//!
//! - sends a part of a file (`sendfile`) where hyper sends the placeholder that [`Connection::send_part`] gave out;
//! - gives the socket away once hyper has sent a head after which [`Connection::hand_over`] was called. What hyper held
//!   for the connection, 20 KiB, is freed then: an event stream is open for days.
//!
//! Both are for HTTP/1, where one answer follows the other; the streams of HTTP/2 share a connection.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use rustix::net::{SendAncillaryBuffer, SendFlags};
use salvo::extract::Metadata;
use salvo::http::Version;
use salvo::oapi::{self, Components, Operation};
use salvo::{Depot, Extractible, Request};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::limits::FILE_PART_BYTES;
use super::problem::Problem;

/// What hyper is given instead of a part of a file. Only the address counts: never written, it takes no memory.
static PLACEHOLDER: LazyLock<&'static [u8]> = LazyLock::new(|| vec![0; FILE_PART_BYTES].leak());

fn is_placeholder(slice: &[u8]) -> bool {
    !slice.is_empty() && PLACEHOLDER.as_ptr_range().contains(&slice.as_ptr())
}

/// What goes on with a socket that was given away.
pub type Successor = Box<dyn FnOnce(TcpStream) -> BoxFuture<'static, ()> + Send + Sync>;

/// A connection as its requests see it.
#[derive(Clone, Default)]
pub struct Connection(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Told when the socket may be given away.
    free: Notify,
    /// Told when the connection is to be broken off.
    broken: Notify,
}

#[derive(Default)]
struct State {
    /// In the order of their placeholders.
    parts: VecDeque<Part>,
    successor: Option<Successor>,
    is_free: bool,
    /// What the transport left, once it is free.
    socket: Option<TcpStream>,
}

struct Part {
    file: Arc<File>,
    position: u64,
    remaining: usize,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    /// The one that a request came on, if it has it for itself until it is answered.
    pub fn own(req: &Request) -> Option<Self> {
        let is_own = matches!(req.version(), Version::HTTP_10 | Version::HTTP_11);
        is_own.then(|| req.extensions().get::<Self>().cloned()).flatten()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Breaks it off, with all that is on it.
    pub fn break_off(&self) {
        self.0.broken.notify_one();
    }

    /// What to give hyper, as the next of a body, in place of these bytes of a file: at most [`FILE_PART_BYTES`] of them.
    pub fn send_part(&self, file: Arc<File>, position: u64, length: usize) -> Bytes {
        let placeholder = PLACEHOLDER.get(..length).unwrap_or(*PLACEHOLDER);
        let remaining = placeholder.len();
        if remaining > 0 {
            self.state().parts.push_back(Part {
                file,
                position,
                remaining,
            });
        }
        Bytes::from_static(placeholder)
    }

    /// Gives the socket to `successor` once all that hyper has by now is sent. To be called when hyper asks for the
    /// body: the head is among it then.
    pub fn hand_over(&self, successor: Successor) {
        self.state().successor = Some(successor);
    }

    /// Until it is to be broken off.
    pub(super) async fn broken(&self) {
        self.0.broken.notified().await;
    }

    /// Until the socket may be given away.
    pub(super) async fn free(&self) {
        self.0.free.notified().await;
    }

    /// Who goes on, and with what.
    pub(super) fn handed_over(&self) -> Option<(Successor, TcpStream)> {
        let mut state = self.state();
        state.successor.take().zip(state.socket.take())
    }
}

impl<'ex> Extractible<'ex> for Connection {
    fn metadata() -> &'static Metadata {
        static METADATA: Metadata = Metadata::new("Connection");
        &METADATA
    }

    #[allow(refining_impl_trait, reason = "the trait hides the error's type")]
    async fn extract(req: &'ex mut Request, _depot: &'ex mut Depot) -> Result<Self, Problem> {
        let connection = req.extensions().get::<Self>();
        connection
            .cloned()
            .ok_or_else(|| Problem::internal("a request without a connection"))
    }
}

impl oapi::EndpointArgRegister for Connection {
    fn register(_components: &mut Components, _operation: &mut Operation, _arg: &str) {}
}

/// What a client that speaks HTTP/2 says first (RFC 9113, 3.4).
const H2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The socket as hyper sees it.
pub(super) struct Transport {
    socket: Option<TcpStream>,
    /// What was read of it and is not hyper's yet.
    read: Bytes,
    connection: Connection,
}

impl Transport {
    pub(super) fn new(socket: TcpStream, connection: Connection) -> Self {
        Self {
            socket: Some(socket),
            read: Bytes::new(),
            connection,
        }
    }

    /// Whether the client begins with HTTP/2. Reads no more than tells.
    pub(super) async fn begins_with_http2(&mut self) -> io::Result<bool> {
        let mut begin = [0; H2_PREFACE.len()];
        let mut length = 0;
        while length < begin.len() && H2_PREFACE.starts_with(begin.get(..length).unwrap_or_default()) {
            match self
                .socket()?
                .read(begin.get_mut(length..).unwrap_or_default())
                .await?
            {
                0 => break,
                read => length += read,
            }
        }
        self.read = Bytes::copy_from_slice(begin.get(..length).unwrap_or_default());
        Ok(begin == H2_PREFACE)
    }

    fn socket(&mut self) -> io::Result<&mut TcpStream> {
        self.socket
            .as_mut()
            .ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Sends of the next part what `placeholder` stands for.
    fn poll_send_part(&mut self, context: &mut Context<'_>, placeholder: usize) -> Poll<io::Result<usize>> {
        let connection = self.connection.clone();
        let mut state = connection.state();
        let Some(part) = state.parts.front_mut() else {
            return Poll::Ready(Err(io::Error::other("a placeholder without a part of a file")));
        };
        let socket = self.socket()?;
        let wanted = placeholder.min(part.remaining);
        let sent = ready!(poll_send(socket, context, || {
            let mut position = part.position;
            rustix::fs::sendfile(socket_fd(socket), &part.file, Some(&mut position), wanted)
        }))?;
        if sent == 0 {
            // The file has become shorter: the client must not take what it has for the whole.
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        part.position += sent as u64;
        part.remaining = part.remaining.saturating_sub(sent);
        if part.remaining == 0 {
            state.parts.pop_front();
        }
        Poll::Ready(Ok(sent))
    }
}

fn socket_fd(socket: &TcpStream) -> rustix::fd::BorrowedFd<'_> {
    rustix::fd::AsFd::as_fd(socket)
}

/// Tries to send until the socket takes something.
fn poll_send(
    socket: &TcpStream,
    context: &mut Context<'_>,
    mut send: impl FnMut() -> rustix::io::Result<usize>,
) -> Poll<io::Result<usize>> {
    loop {
        ready!(socket.poll_write_ready(context))?;
        match socket.try_io(Interest::WRITABLE, || Ok(send()?)) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            outcome => return Poll::Ready(outcome),
        }
    }
}

impl Drop for Transport {
    fn drop(&mut self) {
        let mut state = self.connection.state();
        if state.is_free {
            state.socket = self.socket.take();
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.read.is_empty() {
            return Pin::new(this.socket()?).poll_read(context, buffer);
        }
        let length = this.read.len().min(buffer.remaining());
        buffer.put_slice(&this.read.split_to(length));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let Some(first) = slices.iter().position(|slice| is_placeholder(slice)) else {
            return Pin::new(this.socket()?).poll_write_vectored(context, slices);
        };
        let (before, rest) = slices.split_at(first);
        if before.iter().all(|slice| slice.is_empty()) {
            let placeholder = rest.first().map_or(0, |slice| slice.len());
            return this.poll_send_part(context, placeholder);
        }
        let socket = this.socket()?;
        poll_send(socket, context, || {
            // More comes at once: the head need not go in a packet of its own.
            let flags = SendFlags::MORE | SendFlags::NOSIGNAL;
            let mut nothing = SendAncillaryBuffer::default();
            rustix::net::sendmsg(socket_fd(socket), before, &mut nothing, flags)
        })
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(this.socket()?).poll_flush(context))?;
        // hyper flushes when it has written all that it has.
        let mut state = this.connection.state();
        if state.successor.is_some() && !state.is_free {
            state.is_free = true;
            this.connection.0.free.notify_one();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.get_mut().socket()?).poll_shutdown(context)
    }
}
