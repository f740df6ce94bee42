//! What hyper refuses by itself, because it cannot read the head: answered as all else is, with a message, `no-store` and
//! the headers for browsers. hyper would send the status alone.
//!
//! hyper tells nobody that it refuses. It is seen by what it writes: a head without the id that each of our answers has.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use salvo::http::header::{CONNECTION, HeaderName, HeaderValue, ORIGIN};
use salvo::http::uri::Scheme;
use salvo::http::{Method, ReqBody, ResBody, StatusCode};
use salvo::{ConnCtrl, Request, Response, Service, hyper};

use crate::limits::HEAD_BUFFER_BYTES;

/// The id of a request in its answer.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// More than hyper's own heads have: 77 bytes and the reason.
const HEAD_BYTES: usize = 160;

/// In the extensions of a request that stands for one that could not be read: what it is refused with.
#[derive(Debug, Clone, Copy)]
pub struct MalformedRequest(pub StatusCode);

/// The status of an answer that hyper gave by itself, by what it writes.
pub(super) fn refused_status(written: &[u8]) -> Option<StatusCode> {
    let status = written.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    let is_refusal = status.starts_with(b"4")
        && written.len() < HEAD_BYTES
        && written.ends_with(b"\r\n\r\n")
        && !contains(written, REQUEST_ID.as_str().as_bytes());
    is_refusal.then(|| StatusCode::from_bytes(status).ok()).flatten()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes
        .windows(part.len())
        .any(|window| window.eq_ignore_ascii_case(part))
}

/// What was heard of the heads of requests, for the one that cannot be read.
#[derive(Debug, Default)]
pub(super) struct HeadBuffer {
    bytes: Vec<u8>,
    /// Requests that had begun before.
    begun: u64,
}

impl HeadBuffer {
    /// Keeps what came after so many requests: the beginning of the next head, whatever its length.
    pub(super) fn keep(&mut self, bytes: &[u8], begun: u64) {
        if self.begun != begun {
            self.begun = begun;
            self.bytes.clear();
        }
        let room = HEAD_BUFFER_BYTES
            .saturating_sub(self.bytes.len())
            .min(bytes.len());
        self.bytes
            .extend_from_slice(bytes.get(..room).unwrap_or_default());
    }

    /// Whether something was heard after so many requests.
    pub(super) fn is_after(&self, begun: u64) -> bool {
        self.begun == begun && !self.bytes.is_empty()
    }

    /// The page's origin, as far as one is said. Where several heads came at once it is the last one's.
    fn origin(&self) -> Option<HeaderValue> {
        let mut lines = self.bytes.split(|byte| *byte == b'\n').rev();
        lines.find_map(|line| {
            let (name, value) = line.split_at_checked(line.iter().position(|byte| *byte == b':')?)?;
            let is_origin = name.eq_ignore_ascii_case(ORIGIN.as_str().as_bytes());
            let value = value.get(1..)?.trim_ascii();
            is_origin.then(|| HeaderValue::from_bytes(value).ok()).flatten()
        })
    }

    fn asks_for_a_head(&self) -> bool {
        self.bytes.starts_with(b"HEAD ")
    }
}

/// Answers in hyper's place.
#[derive(Clone)]
pub(super) struct ErrorResponder(
    Arc<dyn Fn(StatusCode, Option<HeaderValue>) -> BoxFuture<'static, Response> + Send + Sync>,
);

impl ErrorResponder {
    /// With the service that gives all other answers.
    pub(super) fn new(service: &Service, address: std::net::SocketAddr) -> Self {
        let nowhere = salvo::conn::SocketAddr::Unknown;
        let control = ConnCtrl::new();
        let handler = service.hyper_handler(address.into(), nowhere, Scheme::HTTP, None, control, None);
        Self(Arc::new(move |status, origin| {
            let mut request = hyper::Request::new(ReqBody::None);
            *request.method_mut() = Method::GET;
            request.extensions_mut().insert(MalformedRequest(status));
            if let Some(origin) = origin {
                request.headers_mut().insert(ORIGIN, origin);
            }
            Box::pin(handler.handle(Request::from_hyper(request, Scheme::HTTP)))
        }))
    }

    /// The answer to what was heard, in place of so many bytes of hyper's.
    pub(super) fn refuse(
        &self,
        status: StatusCode,
        head_buffer: &HeadBuffer,
        instead_of: usize,
    ) -> ErrorResponse {
        let answer = (self.0)(status, head_buffer.origin());
        let with_body = !head_buffer.asks_for_a_head();
        ErrorResponse {
            making: Some(Box::pin(async move { text(answer.await, with_body) })),
            unsent: Bytes::new(),
            instead_of,
        }
    }
}

/// An answer as it goes over the wire.
fn text(mut answer: Response, with_body: bool) -> Bytes {
    let status = answer.status_code.unwrap_or(StatusCode::BAD_REQUEST);
    let headers = answer.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    let reason = status.canonical_reason().unwrap_or_default();
    let mut head = format!("HTTP/1.1 {} {reason}\r\n", status.as_str()).into_bytes();
    for (name, value) in &*headers {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    if let (true, ResBody::Once(body)) = (with_body, answer.take_body()) {
        head.extend_from_slice(&body);
    }
    head.into()
}

/// An answer on its way in place of hyper's.
pub(super) struct ErrorResponse {
    making: Option<BoxFuture<'static, Bytes>>,
    pub(super) unsent: Bytes,
    /// The bytes that hyper believes to write.
    pub(super) instead_of: usize,
}

impl ErrorResponse {
    /// Until there is something to send.
    pub(super) fn poll_made(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(making) = &mut self.making {
            self.unsent = ready!(Pin::new(making).poll(context));
            self.making = None;
        }
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests {
    use svc_covers::covers;

    use super::*;

    #[test]
    fn heads_without_the_id_of_a_request_are_refusals() {
        for (written, status) in [
            ("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n", Some(400)),
            (
                "HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\r\n",
                Some(431),
            ),
            ("HTTP/1.1 404 Not Found\r\nx-request-id: 1\r\n\r\n", None),
            ("HTTP/1.1 200 OK\r\n\r\n", None),
            ("HTTP/1.1 400 Bad Request\r\n", None),
            ("", None),
        ] {
            let found = refused_status(written.as_bytes()).map(|status| status.as_u16());
            assert_eq!(found, status, "{written}");
        }
    }

    #[covers("limit HEAD_BUFFER_BYTES")]
    #[test]
    fn origin_is_that_of_the_last_head() {
        let mut head_buffer = HeadBuffer::default();
        assert_eq!(head_buffer.origin(), None);
        head_buffer.keep(b"GET /a HTTP/1.1\r\nOrigin: https://one", 0);
        head_buffer.keep(b".example\r\nx: origin: no\r\n\r\n", 0);
        assert_eq!(head_buffer.origin().unwrap(), "https://one.example");
        head_buffer.keep(b"GET /b HTTP/1.1\r\n\r\n", 1);
        assert_eq!(head_buffer.origin(), None);
        head_buffer.keep(&[b'x'; 2 * HEAD_BUFFER_BYTES], 1);
        assert_eq!(head_buffer.bytes.len(), HEAD_BUFFER_BYTES);
    }
}
