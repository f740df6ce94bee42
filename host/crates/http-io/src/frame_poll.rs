//! The result of polling a body.

use std::task::Poll;

use bytes::Bytes;
use salvo::http::body::Frame;

/// What `Body::poll_frame` returns for a body of bytes.
pub(crate) type FramePoll<E> = Poll<Option<Result<Frame<Bytes>, E>>>;
