//! The body of a request: received once, within its size and its time.

use salvo::Request;
use salvo::http::body::Body as _;
use salvo::http::{ParseError, StatusCode};

use crate::api_error::ApiError;
use crate::request_context::RequestContext;

/// Receives the whole body, as far as that has not been done, and returns it.
///
/// # Errors
/// 413 for one that is larger than the route allows, 408 for one that does not arrive in time, 400 for one that breaks
/// off.
pub(super) async fn receive<'a>(
    req: &'a mut Request,
    context: &RequestContext,
) -> Result<&'a [u8], ApiError> {
    let most = context.body_bytes();
    let too_large = || {
        let message = format!("the body may have {most} bytes");
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    // What is announced as too large is not even read.
    if req.body().size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let RequestContext { limits, deadline, .. } = context;
    let bytes = deadline.wait_for_client(limits.body_time, req.payload_with_max_size(most));
    let too_slow = || ApiError::of_status(StatusCode::REQUEST_TIMEOUT);
    let bytes = bytes.await.ok_or_else(too_slow)?.map_err(|error| match error {
        ParseError::PayloadTooLarge => too_large(),
        ParseError::Other(error) if is_timeout(error.as_ref()) => too_slow(),
        _ => ApiError::new(StatusCode::BAD_REQUEST, "the body broke off"),
    })?;
    Ok(bytes)
}

/// Whether the time between two pieces of a body was too long.
fn is_timeout(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut chain = std::iter::successors(Some(error), |error| error.source());
    chain.any(|error| {
        let io = error.downcast_ref::<std::io::Error>();
        io.is_some_and(|error| error.kind() == std::io::ErrorKind::TimedOut)
    })
}
