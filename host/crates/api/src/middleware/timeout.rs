//! The deadline of a request, and the 503 response of a handler that misses it. The time in which the client sends the
//! body does not count.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use salvo::http::StatusCode;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::api_error::ApiError;
use crate::request_context::RequestContext;

/// The deadline of one request. Clones share it.
#[derive(Debug, Clone)]
pub struct Deadline(Arc<Mutex<Instant>>);

impl Deadline {
    /// A deadline at this moment, until it is moved.
    pub fn new(at: Instant) -> Self {
        Self(Arc::new(Mutex::new(at)))
    }

    /// The current deadline; it may move later.
    pub fn at(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Postpones the deadline.
    pub fn extend(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }

    /// Waits for input of the client for at most `patience`, and postpones the deadline by the time that this takes.
    /// `None` after a timeout.
    pub async fn wait_for_client<T>(&self, patience: Duration, wait: impl Future<Output = T>) -> Option<T> {
        let started = Instant::now();
        self.extend(patience);
        let outcome = tokio::time::timeout(patience, wait).await.ok();
        let unused = patience.saturating_sub(started.elapsed());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) -= unused;
        outcome
    }
}

/// Cancels the inner layers at the request's deadline, which moves while the client sends its body.
#[derive(Debug)]
pub struct Timeout;

#[async_trait]
impl Handler for Timeout {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        let Ok(context) = RequestContext::of(depot) else {
            return;
        };
        let deadline = context.deadline.clone();
        let has_timed_out = {
            let mut rest = std::pin::pin!(ctrl.call_next(req, depot, res));
            // Set when the rest does not complete at once: most handlers never need a timer.
            let mut timer = std::pin::pin!(None::<Sleep>);
            std::future::poll_fn(|context| {
                if rest.as_mut().poll(context).is_ready() {
                    return Poll::Ready(false);
                }
                // The rest may have moved the deadline while it was polled.
                let at = deadline.at();
                let is_set = timer
                    .as_ref()
                    .as_pin_ref()
                    .is_some_and(|timer| timer.deadline() == at);
                if !is_set {
                    timer.set(Some(sleep_until(at)));
                }
                match timer.as_mut().as_pin_mut().map(|timer| timer.poll(context)) {
                    Some(Poll::Ready(())) => Poll::Ready(true),
                    _ => Poll::Pending,
                }
            })
            .await
        };
        if has_timed_out {
            tracing::error!(target: "svc::http", "handler timed out");
            res.headers_mut().clear();
            ApiError::of_status(StatusCode::SERVICE_UNAVAILABLE).render(res);
            ctrl.skip_rest();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn time_of_the_client_does_not_count() {
        let deadline = Deadline::new(Instant::now() + Duration::from_secs(60));
        let before = deadline.at();
        let patience = Duration::from_millis(20);
        assert_eq!(deadline.wait_for_client(patience, async { 1 }).await, Some(1));
        assert!(deadline.at() < before + patience);
        let never = deadline.wait_for_client(patience, std::future::pending::<()>());
        assert_eq!(never.await, None);
        assert!(deadline.at() >= before + patience);
    }
}
