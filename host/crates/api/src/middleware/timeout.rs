//! The 503 response of a handler that misses the deadline of its request.

use std::task::Poll;

use salvo::http::StatusCode;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};
use tokio::time::{Sleep, sleep_until};

use crate::api_error::ApiError;
use crate::request_context::RequestContext;

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
