//! Requests on their way from hyper to the handlers, and answers on their way back: each knows its connection, which is
//! at work until its answer is with hyper, and over HTTP/2 each answer has room among those that wait for the client.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use salvo::http::body::{Body, Frame, SizeHint};
use salvo::http::{ReqBody, ResBody};
use salvo::hyper;
use salvo::hyper::body::Incoming;
use salvo::hyper::service::Service;

use crate::connection::{AtWork, Connection};
use crate::limits::{H2_CHANGE_BYTES, H2_STREAM_BYTES};
use crate::unsent::{Shared, StreamBody, Taken, Unsent};

type Request<B = Incoming> = hyper::Request<B>;
type Response<B = ResBody> = hyper::Response<B>;
type HandlerFuture = BoxFuture<'static, hyper::Result<Response>>;

/// What salvo answers with on one connection; it has no name for it.
pub(super) trait Answers:
    Service<Request<ReqBody>, Response = Response, Error = hyper::Error, Future = HandlerFuture>
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> Answers for S where
    S: Service<Request<ReqBody>, Response = Response, Error = hyper::Error, Future = HandlerFuture>
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// Answers the requests of an HTTP/1 connection.
pub(super) struct OnConnection<S> {
    handler: S,
    connection: Connection,
}

impl<S: Answers> OnConnection<S> {
    pub(super) fn new(handler: S, connection: Connection) -> Self {
        Self { handler, connection }
    }
}

impl<S: Answers> Service<Request> for OnConnection<S> {
    type Response = Response<OneBody>;
    type Error = hyper::Error;
    type Future = Answering;

    fn call(&self, mut request: Request) -> Answering {
        let at_work = self.connection.begin();
        request.extensions_mut().insert(self.connection.clone());
        Answering {
            answer: self.handler.call(request.map(ReqBody::from)),
            at_work: Some(at_work),
        }
    }
}

/// An answer that is being made.
pub(super) struct Answering {
    answer: HandlerFuture,
    at_work: Option<AtWork>,
}

impl Future for Answering {
    type Output = hyper::Result<Response<OneBody>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let response = ready!(this.answer.as_mut().poll(context))?;
        let at_work = this.at_work.take();
        Poll::Ready(Ok(response.map(|body| OneBody {
            body,
            _at_work: at_work,
        })))
    }
}

/// The body of an answer over HTTP/1.
#[derive(Debug)]
pub(super) struct OneBody {
    body: ResBody,
    _at_work: Option<AtWork>,
}

impl Body for OneBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Answers the requests of an HTTP/2 connection.
pub(super) struct OnStream<S> {
    handler: S,
    connection: Connection,
    unsent: Arc<Unsent>,
}

impl<S: Answers> OnStream<S> {
    pub(super) fn new(handler: S, connection: Connection, unsent: Arc<Unsent>) -> Self {
        Self {
            handler,
            connection,
            unsent,
        }
    }
}

impl<S: Answers> Service<Request> for OnStream<S> {
    type Response = Response<StreamBody>;
    type Error = hyper::Error;
    type Future = BoxFuture<'static, hyper::Result<Response<StreamBody>>>;

    fn call(&self, mut request: Request) -> Self::Future {
        let at_work = self.connection.begin();
        request.extensions_mut().insert(self.connection.clone());
        let (handler, unsent) = (self.handler.clone(), Arc::clone(&self.unsent));
        let request = request.map(ReqBody::from);
        Box::pin(async move {
            let (response, room) = if request.method().is_safe() {
                answer(&handler, &unsent, request).await?
            } else {
                change(&handler, &unsent, request).await?
            };
            Ok(response.map(|body| StreamBody::new(body, room, at_work)))
        })
    }
}

/// Bytes that an answer takes of the room of its connection. What is read as it is sent has its room piece by piece.
fn size(response: &Response) -> usize {
    let size = match response.body() {
        ResBody::Once(bytes) if response.extensions().get::<Shared>().is_none() => bytes.len(),
        ResBody::Chunks(chunks) => chunks.iter().map(Bytes::len).sum(),
        _ => 0,
    };
    if size > H2_STREAM_BYTES { size } else { 0 }
}

/// The same request once more; what changes nothing has no body that counts.
fn without_body(request: &Request<ReqBody>) -> Request<ReqBody> {
    let mut again = Request::new(ReqBody::None);
    *again.method_mut() = request.method().clone();
    *again.uri_mut() = request.uri().clone();
    *again.version_mut() = request.version();
    *again.headers_mut() = request.headers().clone();
    *again.extensions_mut() = request.extensions().clone();
    again
}

/// Answers what changes nothing, and again if there is no room for the answer.
async fn answer(
    handler: &impl Answers,
    unsent: &Unsent,
    request: Request<ReqBody>,
) -> hyper::Result<(Response, Option<Taken>)> {
    let again = without_body(&request);
    let response = handler.call(request).await?;
    let needed = size(&response);
    if needed == 0 {
        return Ok((response, None));
    }
    if let Some(room) = unsent.try_take(needed) {
        return Ok((response, Some(room)));
    }
    drop(response);
    let room = unsent.take(needed).await;
    // Meanwhile it may have become a little larger.
    Ok((handler.call(again).await?, room))
}

/// Answers what changes something, once there is room for what is said about that.
async fn change(
    handler: &impl Answers,
    unsent: &Unsent,
    request: Request<ReqBody>,
) -> hyper::Result<(Response, Option<Taken>)> {
    let mut room = unsent.take(H2_CHANGE_BYTES).await;
    let response = handler.call(request).await?;
    let needed = size(&response);
    match &mut room {
        Some(room) if needed < H2_CHANGE_BYTES => drop(room.split(H2_CHANGE_BYTES - needed)),
        Some(room) => {
            if let Some(more) = unsent.try_take(needed - H2_CHANGE_BYTES) {
                room.merge(more);
            }
        }
        None => {}
    }
    Ok((response, room))
}
