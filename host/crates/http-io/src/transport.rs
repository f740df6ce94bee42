//! The socket from the view of hyper. In between, the transport
//!
//! - sends a part of a file with `sendfile` where hyper sends the placeholder of [`Connection::send_part`];
//! - releases the socket once hyper has sent a head after which [`Connection::take_over`] was called. This frees
//!   hyper's 20 KiB per connection, since event streams stay open for days;
//! - replaces hyper's own response to a malformed request by one with a body.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use rustix::net::{SendAncillaryBuffer, SendFlags};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

use crate::connection::{Connection, is_placeholder};
use crate::limits::HEAD_BUFFER_BYTES;
use crate::malformed_request::{ErrorResponder, ErrorResponse, HeadBuffer, rejected_status};

/// The first bytes from an HTTP/2 client (RFC 9113, 3.4).
const H2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Maximum number of reads of the rest of a malformed head: as much as hyper reads of one.
const READS: usize = 16;

/// The socket from the view of hyper.
pub(super) struct Transport {
    socket: Option<TcpStream>,
    /// Bytes that were read from the socket but not yet by hyper.
    read: Bytes,
    connection: Connection,
    error_responder: ErrorResponder,
    head_buffer: HeadBuffer,
    rejection: Option<ErrorResponse>,
    is_http2: bool,
    /// Whether the last write was partial.
    is_mid_write: bool,
}

impl Transport {
    pub(super) fn new(socket: TcpStream, connection: Connection, error_responder: ErrorResponder) -> Self {
        Self {
            socket: Some(socket),
            read: Bytes::new(),
            connection,
            error_responder,
            head_buffer: HeadBuffer::default(),
            rejection: None,
            is_http2: false,
            is_mid_write: false,
        }
    }

    /// Whether the client starts with the HTTP/2 preface. Reads no more than needed to decide.
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
        self.is_http2 = begin == H2_PREFACE;
        Ok(self.is_http2)
    }

    /// Buffers the head, for the response in case it is malformed.
    fn record_head(&mut self, read: &[u8]) {
        let activity = self.connection.activity();
        if !self.is_http2 && !activity.has_requests_in_flight() {
            self.head_buffer.keep(read, activity.begun());
        }
    }

    /// Reads the available rest of a head that hyper rejected early. hyper does not read it: the connection is
    /// closed.
    fn record_rest(&mut self) {
        let Some(socket) = &self.socket else { return };
        let begun = self.connection.activity().begun();
        let mut buffer = [0; HEAD_BUFFER_BYTES];
        for _ in 0..READS {
            match socket.try_read(&mut buffer) {
                Ok(read @ 1..) => self
                    .head_buffer
                    .keep(buffer.get(..read).unwrap_or_default(), begun),
                _ => return,
            }
        }
    }

    /// Whether the next write may be a rejection by hyper: a head has arrived but no request, and no other response
    /// is incomplete. Data within a body may look like a rejection.
    fn may_reject(&self) -> bool {
        !self.is_mid_write
            && self
                .head_buffer
                .has_data_after(self.connection.activity().begun())
    }

    /// If hyper writes a rejection of its own, sends our response in its place.
    fn poll_reject(
        &mut self,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<Option<usize>>> {
        if self.rejection.is_none() {
            let first = slices.first().map_or(&[][..], |slice| &**slice);
            let Some(status) = self.may_reject().then(|| rejected_status(first)).flatten() else {
                return Poll::Ready(Ok(None));
            };
            self.record_rest();
            self.rejection = Some(
                self.error_responder
                    .respond(status, &self.head_buffer, first.len()),
            );
        }
        let (Some(rejection), Some(socket)) = (&mut self.rejection, &mut self.socket) else {
            return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
        };
        ready!(rejection.poll_generated(context));
        while rejection.unsent.has_remaining() {
            match ready!(Pin::new(&mut *socket).poll_write(context, &rejection.unsent))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                sent => rejection.unsent.advance(sent),
            }
        }
        let instead_of = rejection.instead_of;
        self.rejection = None;
        Poll::Ready(Ok(Some(instead_of)))
    }

    fn poll_send(&mut self, context: &mut Context<'_>, slices: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        if let Some(sent) = ready!(self.poll_reject(context, slices))? {
            return Poll::Ready(Ok(sent));
        }
        let Some(first) = slices.iter().position(|slice| is_placeholder(slice)) else {
            return Pin::new(self.socket()?).poll_write_vectored(context, slices);
        };
        let (before, rest) = slices.split_at(first);
        if before.iter().all(|slice| slice.is_empty()) {
            let placeholder = rest.first().map_or(0, |slice| slice.len());
            return self.poll_send_part(context, placeholder);
        }
        let socket = self.socket()?;
        poll_send(socket, context, || {
            // More data follows immediately: the head does not need a packet of its own.
            let flags = SendFlags::MORE | SendFlags::NOSIGNAL;
            let mut nothing = SendAncillaryBuffer::default();
            rustix::net::sendmsg(socket_fd(socket), before, &mut nothing, flags)
        })
    }

    fn socket(&mut self) -> io::Result<&mut TcpStream> {
        self.socket
            .as_mut()
            .ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Sends the bytes of the next part of a file that `placeholder` stands for.
    fn poll_send_part(&mut self, context: &mut Context<'_>, placeholder: usize) -> Poll<io::Result<usize>> {
        let connection = self.connection.clone();
        let mut state = connection.state();
        let Some(part) = state.parts.front_mut() else {
            return Poll::Ready(Err(io::Error::other("placeholder without a part of a file")));
        };
        let socket = self.socket()?;
        let wanted = placeholder.min(part.remaining);
        let sent = ready!(poll_send(socket, context, || {
            let mut position = part.position;
            rustix::fs::sendfile(socket_fd(socket), &part.file, Some(&mut position), wanted)
        }))?;
        if sent == 0 {
            // The file was truncated: closing the connection shows the client that the body is incomplete.
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

/// Retries `send` until the socket accepts data.
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
        self.connection.release_socket(&mut self.socket);
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        if this.read.is_empty() {
            ready!(Pin::new(this.socket()?).poll_read(context, buffer))?;
        } else {
            let length = this.read.len().min(buffer.remaining());
            buffer.put_slice(&this.read.split_to(length));
        }
        this.record_head(buffer.filled().get(before..).unwrap_or_default());
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
        let sent = this.poll_send(context, slices);
        this.connection.activity().set_blocked(sent.is_pending());
        if let Poll::Ready(Ok(sent)) = sent {
            this.is_mid_write = sent < slices.iter().map(|slice| slice.len()).sum::<usize>();
        }
        sent
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(Pin::new(this.socket()?).poll_flush(context))?;
        // hyper flushes after it has written all its data.
        this.connection.sent();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.get_mut().socket()?).poll_shutdown(context)
    }
}
