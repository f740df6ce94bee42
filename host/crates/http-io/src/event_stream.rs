//! Server-sent events as a response: a subscription as a body, and the headers that keep proxies from buffering it.
//!
//! Over HTTP/1 hyper sends only the head. The events are written to the socket after a connection takeover, so that
//! an open stream needs little memory.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf as _, Bytes};
use futures_util::{Stream, StreamExt as _};
use salvo::http::body::{Body, Frame};
use salvo::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use salvo::http::{ResBody, Version};
use salvo::oapi::{self, BasicType, Components, Content, EndpointOutRegister, Object, Operation};
use salvo::{BoxedError, Depot, Request, Response, Writer, async_trait};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::connection::{Connection, Takeover};
use crate::frame_poll::FramePoll;

/// nginx and similar proxies buffer responses without it.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Encoded events.
pub trait Events: Stream<Item: AsRef<[u8]> + Send + 'static> + Unpin + Send + Sync + 'static {}

impl<S: Stream<Item: AsRef<[u8]> + Send + 'static> + Unpin + Send + Sync + 'static> Events for S {}

/// A response with a stream of events.
#[derive(Debug)]
pub struct EventStream<S>(pub S);

/// The stream as a body for hyper, which polls it in the task of the connection.
struct EventBody<S>(S);

impl<S: Events> Body for EventBody<S> {
    type Data = Bytes;
    type Error = BoxedError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> FramePoll<BoxedError> {
        let piece = self.get_mut().0.poll_next_unpin(context);
        piece.map(|piece| piece.map(|piece| Ok(Frame::data(Bytes::from_owner(piece)))))
    }
}

/// A body that hyper does not send: polling it starts the connection takeover.
struct TakenOverBody {
    connection: Connection,
    takeover: Option<Takeover>,
}

impl Body for TakenOverBody {
    type Data = Bytes;
    type Error = BoxedError;

    fn poll_frame(self: Pin<&mut Self>, _context: &mut Context<'_>) -> FramePoll<BoxedError> {
        let this = self.get_mut();
        if let Some(takeover) = this.takeover.take() {
            this.connection.take_over(takeover);
        }
        Poll::Pending
    }
}

/// Writes the events with `Transfer-Encoding: chunked` (RFC 9112, 7.1) to a socket on which the head was sent, until
/// one side ends the stream.
async fn relay(mut events: impl Events, mut socket: TcpStream) -> io::Result<()> {
    loop {
        let piece = tokio::select! {
            piece = events.next() => piece,
            () = closed(&socket) => return Ok(()),
        };
        let Some(piece) = piece else {
            socket.write_all(b"0\r\n\r\n").await?;
            return socket.shutdown().await;
        };
        let length = format!("{:x}\r\n", piece.as_ref().len());
        let mut chunk = length.as_bytes().chain(piece.as_ref()).chain(&b"\r\n"[..]);
        socket.write_all_buf(&mut chunk).await?;
    }
}

/// Waits until the client has closed its side. Data from the client is discarded.
async fn closed(socket: &TcpStream) {
    while socket.readable().await.is_ok() {
        match socket.try_read(&mut [0; 64]) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

impl<S: Events> EventStream<S> {
    fn body(self, req: &Request) -> ResBody {
        // HTTP/1.0 has no chunked encoding.
        let is_chunked = req.version() == Version::HTTP_11;
        let Some(connection) = Connection::own(req).filter(|_| is_chunked) else {
            return ResBody::Boxed(Box::pin(EventBody(self.0)));
        };
        let takeover: Takeover = Box::new(|socket| {
            Box::pin(async move {
                if let Err(error) = relay(self.0, socket).await {
                    tracing::debug!(%error, "event stream ended with an error");
                }
            })
        });
        ResBody::Boxed(Box::pin(TakenOverBody {
            connection,
            takeover: Some(takeover),
        }))
    }
}

#[async_trait]
impl<S: Events> Writer for EventStream<S> {
    async fn write(self, req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        let headers = res.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
        res.replace_body(self.body(req));
    }
}

impl<S> EndpointOutRegister for EventStream<S> {
    fn register(_components: &mut Components, operation: &mut Operation) {
        let schema = Object::with_type(BasicType::String);
        let response = oapi::Response::new("Events, until one side ends the stream");
        let response = response.add_content("text/event-stream", Content::new(schema));
        operation.responses.insert("200", response);
    }
}
