//! The body of an HTTP/2 response: small pieces within the send buffer of its connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use salvo::http::ResBody;
use salvo::http::body::{Body, Frame, SizeHint};

use crate::connection::InFlightGuard;
use crate::frame_poll::FramePoll;
use crate::limits::H2_PIECE_BYTES;
use crate::send_buffer::{BufferPermit, Stream};

/// The body of an HTTP/2 response.
#[derive(Debug)]
pub(super) struct Http2Body {
    body: ResBody,
    /// The rest of a frame of the body.
    rest: Bytes,
    space: Option<Arc<BufferPermit>>,
    stream: Option<Arc<Stream>>,
    _in_flight: InFlightGuard,
}

impl Http2Body {
    /// Sends a body with the space reserved for it. To be created in the task of its stream.
    pub(super) fn new(body: ResBody, space: Option<BufferPermit>, in_flight: InFlightGuard) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            space: space.map(Arc::new),
            stream: Stream::current(),
            _in_flight: in_flight,
        }
    }
}

impl Body for Http2Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> FramePoll<io::Error> {
        let this = self.get_mut();
        while this.rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    // Dropped before the wait: other tasks may depend on the end of the body, such as those that
                    // count a user's streams.
                    this.body = ResBody::None;
                    this.space = None;
                    if let Some(stream) = &this.stream {
                        ready!(stream.poll_flushed(context));
                    }
                    return Poll::Ready(None);
                }
            }
        }
        let length = this.rest.len().min(H2_PIECE_BYTES);
        let chunk = this.rest.split_to(length);
        let chunk = match &this.stream {
            Some(stream) => stream.chunk(chunk, this.space.clone()),
            None => chunk,
        };
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        let is_flushed = self.stream.as_ref().is_none_or(|stream| stream.is_flushed());
        is_flushed && self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.rest.is_empty() {
            self.body.size_hint()
        } else {
            SizeHint::default()
        }
    }
}
