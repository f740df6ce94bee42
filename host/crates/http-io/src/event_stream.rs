//! Server-sent events as a response: a subscription as a body, and the headers that keep proxies from holding it up.
//!
//! Over HTTP/1 hyper sends the head only; the events go to the socket that it leaves, so that an open stream holds as
//! little as can be.

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

/// nginx and its kin gather answers otherwise.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Encoded events, in pieces.
pub trait Events: Stream<Item: AsRef<[u8]> + Send + 'static> + Unpin + Send + Sync + 'static {}

impl<S: Stream<Item: AsRef<[u8]> + Send + 'static> + Unpin + Send + Sync + 'static> Events for S {}

/// A stream of events.
#[derive(Debug)]
pub struct EventStream<S>(pub S);

/// The stream as hyper asks for it: in the task of its connection, which is the only one that it has.
struct EventBody<S>(S);

impl<S: Events> Body for EventBody<S> {
    type Data = Bytes;
    type Error = BoxedError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxedError>>> {
        let piece = self.get_mut().0.poll_next_unpin(context);
        piece.map(|piece| piece.map(|piece| Ok(Frame::data(Bytes::from_owner(piece)))))
    }
}

/// A body that is sent by someone else, once hyper asks for it.
struct TakenOverBody {
    connection: Connection,
    takeover: Option<Takeover>,
}

impl Body for TakenOverBody {
    type Data = Bytes;
    type Error = BoxedError;

    fn poll_frame(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxedError>>> {
        let this = self.get_mut();
        if let Some(takeover) = this.takeover.take() {
            this.connection.take_over(takeover);
        }
        Poll::Pending
    }
}

/// Sends the events to a socket on which a head with `Transfer-Encoding: chunked` was sent (RFC 9112, 7.1), until one
/// side ends it.
async fn relay(mut events: impl Events, mut socket: TcpStream) -> io::Result<()> {
    loop {
        let piece = tokio::select! {
            piece = events.next() => piece,
            () = hung_up(&socket) => return Ok(()),
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

/// Until the client has ended its side. It has nothing more to say on this connection.
async fn hung_up(socket: &TcpStream) {
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
        // HTTP/1.0 knows no chunks.
        let is_chunked = req.version() == Version::HTTP_11;
        let Some(connection) = Connection::own(req).filter(|_| is_chunked) else {
            return ResBody::Boxed(Box::pin(EventBody(self.0)));
        };
        let takeover: Takeover = Box::new(|socket| {
            Box::pin(async move {
                if let Err(error) = relay(self.0, socket).await {
                    tracing::debug!(%error, "an event stream ended with an error");
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
