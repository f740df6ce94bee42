//! A panic of a handler is a 500 response.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use salvo::http::StatusCode;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};

use crate::api_error::ApiError;

/// Catches panics of the inner layers. salvo's own layer would log the panic's payload, which may quote user data.
#[derive(Debug)]
pub struct CatchPanic;

#[async_trait]
impl Handler for CatchPanic {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        let has_panicked = {
            let mut rest = std::pin::pin!(ctrl.call_next(req, depot, res));
            std::future::poll_fn(|context| {
                match catch_unwind(AssertUnwindSafe(|| rest.as_mut().poll(context))) {
                    Ok(Poll::Pending) => Poll::Pending,
                    Ok(Poll::Ready(_)) => Poll::Ready(false),
                    Err(_) => Poll::Ready(true),
                }
            })
            .await
        };
        if has_panicked {
            // The panic hook has logged the place.
            tracing::error!(target: "svc::http", "handler panicked");
            res.headers_mut().clear();
            ApiError::of_status(StatusCode::INTERNAL_SERVER_ERROR).render(res);
            ctrl.skip_rest();
        }
    }
}
