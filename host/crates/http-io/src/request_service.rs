//! Between hyper and the handlers: requests get access to their connection, which is active until hyper has the
//! response, and HTTP/2 responses reserve space in the send buffer.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use salvo::http::body::{Body, SizeHint};
use salvo::http::{ReqBody, ResBody};
use salvo::hyper;
use salvo::hyper::body::Incoming;
use salvo::hyper::service::Service;

use crate::connection::{Connection, InFlightGuard};
use crate::frame_poll::FramePoll;
use crate::http2_body::Http2Body;
use crate::limits::{H2_CHANGE_BYTES, H2_STREAM_BYTES};
use crate::send_buffer::{BufferPermit, SendBuffer, Shared};

type Request<B = Incoming> = hyper::Request<B>;
type Response<B = ResBody> = hyper::Response<B>;
type HandlerFuture = BoxFuture<'static, hyper::Result<Response>>;

/// The type of salvo's handler for one connection, which has no name.
pub(super) trait HttpHandler:
    Service<Request<ReqBody>, Response = Response, Error = hyper::Error, Future = HandlerFuture>
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> HttpHandler for S where
    S: Service<Request<ReqBody>, Response = Response, Error = hyper::Error, Future = HandlerFuture>
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// Handles the requests of an HTTP/1 connection.
pub(super) struct Http1Service<S> {
    handler: S,
    connection: Connection,
}

impl<S: HttpHandler> Http1Service<S> {
    pub(super) fn new(handler: S, connection: Connection) -> Self {
        Self { handler, connection }
    }
}

impl<S: HttpHandler> Service<Request> for Http1Service<S> {
    type Response = Response<Http1Body>;
    type Error = hyper::Error;
    type Future = Http1ResponseFuture;

    fn call(&self, mut request: Request) -> Http1ResponseFuture {
        let in_flight = self.connection.begin();
        request.extensions_mut().insert(self.connection.clone());
        Http1ResponseFuture {
            response: self.handler.call(request.map(ReqBody::from)),
            in_flight: Some(in_flight),
        }
    }
}

/// A response that is being generated.
pub(super) struct Http1ResponseFuture {
    response: HandlerFuture,
    in_flight: Option<InFlightGuard>,
}

impl Future for Http1ResponseFuture {
    type Output = hyper::Result<Response<Http1Body>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let response = ready!(this.response.as_mut().poll(context))?;
        let in_flight = this.in_flight.take();
        Poll::Ready(Ok(response.map(|body| Http1Body {
            body,
            _in_flight: in_flight,
        })))
    }
}

/// The body of an HTTP/1 response.
#[derive(Debug)]
pub(super) struct Http1Body {
    body: ResBody,
    _in_flight: Option<InFlightGuard>,
}

impl Body for Http1Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> FramePoll<io::Error> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Handles the requests of an HTTP/2 connection.
pub(super) struct Http2Service<S> {
    handler: S,
    connection: Connection,
    send_buffer: Arc<SendBuffer>,
}

impl<S: HttpHandler> Http2Service<S> {
    pub(super) fn new(handler: S, connection: Connection, send_buffer: Arc<SendBuffer>) -> Self {
        Self {
            handler,
            connection,
            send_buffer,
        }
    }
}

impl<S: HttpHandler> Service<Request> for Http2Service<S> {
    type Response = Response<Http2Body>;
    type Error = hyper::Error;
    type Future = BoxFuture<'static, hyper::Result<Response<Http2Body>>>;

    fn call(&self, mut request: Request) -> Self::Future {
        let in_flight = self.connection.begin();
        request.extensions_mut().insert(self.connection.clone());
        let (handler, send_buffer) = (self.handler.clone(), Arc::clone(&self.send_buffer));
        let request = request.map(ReqBody::from);
        Box::pin(async move {
            let (response, space) = if request.method().is_safe() {
                handle_safe(&handler, &send_buffer, request).await?
            } else {
                handle_unsafe(&handler, &send_buffer, request).await?
            };
            Ok(response.map(|body| Http2Body::new(body, space, in_flight)))
        })
    }
}

/// Bytes that a response occupies in the send buffer. Bodies that are read while they are sent reserve space per piece.
fn size(response: &Response) -> usize {
    let size = match response.body() {
        ResBody::Once(bytes) if response.extensions().get::<Shared>().is_none() => bytes.len(),
        ResBody::Chunks(chunks) => chunks.iter().map(Bytes::len).sum(),
        _ => 0,
    };
    if size > H2_STREAM_BYTES { size } else { 0 }
}

/// A copy of a safe request, whose body has no meaning.
fn without_body(request: &Request<ReqBody>) -> Request<ReqBody> {
    let mut again = Request::new(ReqBody::None);
    *again.method_mut() = request.method().clone();
    *again.uri_mut() = request.uri().clone();
    *again.version_mut() = request.version();
    *again.headers_mut() = request.headers().clone();
    *again.extensions_mut() = request.extensions().clone();
    again
}

/// Handles a safe request; discards the response and handles it again if there is no space for the response.
async fn handle_safe(
    handler: &impl HttpHandler,
    send_buffer: &SendBuffer,
    request: Request<ReqBody>,
) -> hyper::Result<(Response, Option<BufferPermit>)> {
    let again = without_body(&request);
    let response = handler.call(request).await?;
    let needed = size(&response);
    if needed == 0 {
        return Ok((response, None));
    }
    if let Some(space) = send_buffer.try_acquire(needed) {
        return Ok((response, Some(space)));
    }
    drop(response);
    let space = send_buffer.acquire(needed).await;
    // The new response may be slightly larger than the reserved space.
    Ok((handler.call(again).await?, space))
}

/// Handles a request that may change something, after reserving space for its response.
async fn handle_unsafe(
    handler: &impl HttpHandler,
    send_buffer: &SendBuffer,
    request: Request<ReqBody>,
) -> hyper::Result<(Response, Option<BufferPermit>)> {
    let mut space = send_buffer.acquire(H2_CHANGE_BYTES).await;
    let response = handler.call(request).await?;
    let needed = size(&response);
    match &mut space {
        Some(space) if needed < H2_CHANGE_BYTES => drop(space.split(H2_CHANGE_BYTES - needed)),
        Some(space) => {
            if let Some(more) = send_buffer.try_acquire(needed - H2_CHANGE_BYTES) {
                space.merge(more);
            }
        }
        None => {}
    }
    Ok((response, space))
}
