//! Server-sent events as a response: a subscription as a body, and the headers that keep proxies from holding it up.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use salvo::conn::ConnCtrl;
use salvo::http::ResBody;
use salvo::http::body::{Body, Frame};
use salvo::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use salvo::oapi::{self, BasicType, Components, Content, EndpointOutRegister, Object, Operation};
use salvo::{BoxedError, Depot, Extractible, Request, Response, Writer, async_trait, extract::Metadata};

use super::problem::Problem;
use crate::service::events::Subscription;

/// nginx and its kin gather answers otherwise.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The connection that a request came on.
#[derive(Debug)]
pub struct Connection(ConnCtrl);

impl Connection {
    /// Breaks it off, with all that is on it.
    pub fn breaker(self) -> impl Fn() + Send + Sync + 'static {
        move || self.0.abort()
    }
}

impl<'ex> Extractible<'ex> for Connection {
    fn metadata() -> &'static Metadata {
        static METADATA: Metadata = Metadata::new("Connection");
        &METADATA
    }

    #[allow(refining_impl_trait, reason = "the trait hides the error's type")]
    async fn extract(req: &'ex mut Request, _depot: &'ex mut Depot) -> Result<Self, Problem> {
        let control = req.extensions().get::<ConnCtrl>();
        let control = control.ok_or_else(|| Problem::internal("a request without a connection"))?;
        Ok(Self(control.clone()))
    }
}

impl oapi::EndpointArgRegister for Connection {
    fn register(_components: &mut Components, _operation: &mut Operation, _arg: &str) {}
}

/// A stream of events.
#[derive(Debug)]
pub struct EventStream(pub Subscription);

/// The stream as hyper asks for it: in the task of its connection, which is the only one that it has.
struct EventBody(Subscription);

impl Body for EventBody {
    type Data = Bytes;
    type Error = BoxedError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxedError>>> {
        let piece = self.0.poll_next(context);
        piece.map(|piece| piece.map(|piece| Ok(Frame::data(Bytes::from_owner(piece)))))
    }
}

#[async_trait]
impl Writer for EventStream {
    async fn write(self, _req: &mut Request, _depot: &mut Depot, res: &mut Response) {
        let headers = res.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
        res.replace_body(ResBody::Boxed(Box::pin(EventBody(self.0))));
    }
}

impl EndpointOutRegister for EventStream {
    fn register(_components: &mut Components, operation: &mut Operation) {
        let schema = Object::with_type(BasicType::String);
        let response = oapi::Response::new("Events, until one side ends the stream");
        let response = response.add_content("text/event-stream", Content::new(schema));
        operation.responses.insert("200", response);
    }
}
