//! What ends a handler that does not end by itself: the deadline of its request, or a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use salvo::http::StatusCode;
use tokio::time::{Sleep, sleep_until};

use crate::api_error::ApiError;
use crate::request_context::Deadline;

/// Runs a handler until it ends, panics or misses the deadline, which moves while the client sends its body. salvo's own
/// layer would log the panic's payload, which may quote user data.
///
/// # Errors
/// 500 after a panic, 503 after the deadline.
pub(super) async fn contain(deadline: &Deadline, handler: impl Future<Output = ()>) -> Result<(), ApiError> {
    let mut handler = pin!(handler);
    // Set when the handler does not complete at once: most never need a timer.
    let mut timer = pin!(None::<Sleep>);
    std::future::poll_fn(|context| {
        match catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(context))) {
            Ok(Poll::Ready(())) => return Poll::Ready(Ok(())),
            Ok(Poll::Pending) => {}
            Err(_) => {
                // The panic hook has logged the place.
                tracing::error!(target: "svc::http", "handler panicked");
                return Poll::Ready(Err(ApiError::of_status(StatusCode::INTERNAL_SERVER_ERROR)));
            }
        }
        // The handler may have moved the deadline while it was polled.
        let at = deadline.at();
        let is_set = timer
            .as_ref()
            .as_pin_ref()
            .is_some_and(|timer| timer.deadline() == at);
        if !is_set {
            timer.set(Some(sleep_until(at)));
        }
        match timer.as_mut().as_pin_mut().map(|timer| timer.poll(context)) {
            Some(Poll::Ready(())) => {
                tracing::error!(target: "svc::http", "handler timed out");
                Poll::Ready(Err(ApiError::of_status(StatusCode::SERVICE_UNAVAILABLE)))
            }
            _ => Poll::Pending,
        }
    })
    .await
}
