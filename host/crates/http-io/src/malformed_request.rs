//! Responses to requests whose head hyper cannot parse: the same as all other errors, with a message, `no-store` and
//! CORS headers. hyper would send the status only.
//!
//! hyper does not report such requests. They are detected by the head that it writes: one without the request id that
//! all our responses have.

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

/// The response header with the request id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// hyper's own heads have 77 bytes and the reason phrase.
const HEAD_BYTES: usize = 160;

/// Extension of the substitute request for one that could not be parsed, with the status to respond.
#[derive(Debug, Clone, Copy)]
pub struct MalformedRequest(pub StatusCode);

/// The status of a response that hyper generated, from the bytes that it writes; `None` for other data.
pub(super) fn rejected_status(written: &[u8]) -> Option<StatusCode> {
    let status = written.strip_prefix(b"HTTP/1.1 ")?.get(..3)?;
    let is_rejection = status.starts_with(b"4")
        && written.len() < HEAD_BYTES
        && written.ends_with(b"\r\n\r\n")
        && !contains(written, REQUEST_ID.as_str().as_bytes());
    is_rejection
        .then(|| StatusCode::from_bytes(status).ok())
        .flatten()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes
        .windows(part.len())
        .any(|window| window.eq_ignore_ascii_case(part))
}

/// The start of the head that is being read, in case it cannot be parsed.
#[derive(Debug, Default)]
pub(super) struct HeadBuffer {
    bytes: Vec<u8>,
    /// Number of requests before this head.
    begun: u64,
}

impl HeadBuffer {
    /// Appends data that arrived after `begun` requests, up to a limit. Data after a further request starts a new
    /// head.
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

    /// Whether data arrived after `begun` requests.
    pub(super) fn has_data_after(&self, begun: u64) -> bool {
        self.begun == begun && !self.bytes.is_empty()
    }

    /// The `Origin` header, if there is one. If the buffer contains several heads, that of the last one.
    fn origin(&self) -> Option<HeaderValue> {
        let mut lines = self.bytes.split(|byte| *byte == b'\n').rev();
        lines.find_map(|line| {
            let (name, value) = line.split_at_checked(line.iter().position(|byte| *byte == b':')?)?;
            let is_origin = name.eq_ignore_ascii_case(ORIGIN.as_str().as_bytes());
            let value = value.get(1..)?.trim_ascii();
            is_origin.then(|| HeaderValue::from_bytes(value).ok()).flatten()
        })
    }

    fn is_head_request(&self) -> bool {
        self.bytes.starts_with(b"HEAD ")
    }
}

/// Generates the response in place of hyper.
#[derive(Clone)]
pub(super) struct ErrorResponder(
    Arc<dyn Fn(StatusCode, Option<HeaderValue>) -> BoxFuture<'static, Response> + Send + Sync>,
);

impl ErrorResponder {
    /// Uses the service that generates all other responses.
    pub(super) fn new(service: &Service, address: std::net::SocketAddr) -> Self {
        let unknown = salvo::conn::SocketAddr::Unknown;
        let control = ConnCtrl::new();
        let handler = service.hyper_handler(address.into(), unknown, Scheme::HTTP, None, control, None);
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

    /// The response to the buffered head, which replaces `instead_of` bytes of hyper.
    pub(super) fn respond(
        &self,
        status: StatusCode,
        head_buffer: &HeadBuffer,
        instead_of: usize,
    ) -> ErrorResponse {
        let response = (self.0)(status, head_buffer.origin());
        let with_body = !head_buffer.is_head_request();
        ErrorResponse {
            generating: Some(Box::pin(async move { text(response.await, with_body) })),
            unsent: Bytes::new(),
            instead_of,
        }
    }
}

/// Serializes a response for HTTP/1.
fn text(mut response: Response, with_body: bool) -> Bytes {
    let status = response.status_code.unwrap_or(StatusCode::BAD_REQUEST);
    let headers = response.headers_mut();
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
    if let (true, ResBody::Once(body)) = (with_body, response.take_body()) {
        head.extend_from_slice(&body);
    }
    head.into()
}

/// A response that replaces one of hyper.
pub(super) struct ErrorResponse {
    generating: Option<BoxFuture<'static, Bytes>>,
    pub(super) unsent: Bytes,
    /// Number of bytes that hyper tries to write.
    pub(super) instead_of: usize,
}

impl ErrorResponse {
    /// Waits until the response is generated.
    pub(super) fn poll_generated(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(generating) = &mut self.generating {
            self.unsent = ready!(Pin::new(generating).poll(context));
            self.generating = None;
        }
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests {
    use svc_covers::covers;

    use super::*;

    #[test]
    fn heads_without_a_request_id_are_rejections() {
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
            let found = rejected_status(written.as_bytes()).map(|status| status.as_u16());
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
