//! Around every request, from the outside in: request log, response headers, deadline and panics, request check.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use salvo::http::header::HeaderValue;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};
use svc_http_io::limits::Limits;
use svc_http_io::malformed_request::REQUEST_ID;
use tokio::time::Instant;

use super::contain::contain;
use super::request_check::{self, Checked};
use super::request_log;
use super::response_headers::{CorsHeaders, protect};
use crate::request_context::RequestContext;
use crate::state::SharedState;

/// Headers of a typical response: room for them is allocated once.
const HEADERS: usize = 16;

/// One layer for all of it: salvo allocates for each layer of each request.
#[derive(Debug)]
pub struct AroundRequest {
    state: SharedState,
    limits: Limits,
    requests: AtomicU64,
}

impl AroundRequest {
    /// For requests that share this state.
    pub fn new(state: SharedState, limits: Limits) -> Self {
        Self {
            state,
            limits,
            requests: AtomicU64::new(1),
        }
    }
}

#[async_trait]
impl Handler for AroundRequest {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        let started = Instant::now();
        let id = self.requests.fetch_add(1, Ordering::Relaxed);
        let context = RequestContext::new(Arc::clone(&self.state), self.limits, started);
        let deadline = context.deadline.clone();
        depot.insert_typed(context);
        let cors = CorsHeaders::of(req, &self.state.origins);
        res.headers_mut().reserve(HEADERS);
        if let Err(error) = contain(&deadline, respond(req, depot, res, ctrl)).await {
            res.headers_mut().clear();
            error.render(res);
            ctrl.skip_rest();
        }
        cors.apply(res);
        protect(res);
        res.headers_mut().insert(REQUEST_ID, HeaderValue::from(id));
        request_log::write(req, depot, res, started, id);
    }
}

/// Runs the handler of a request that has one.
async fn respond(req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
    match request_check::check(req, depot, res) {
        Ok(Checked::Route) => {
            ctrl.call_next(req, depot, res).await;
        }
        Ok(Checked::Preflight(status)) => {
            res.status_code(status);
            ctrl.skip_rest();
        }
        Err(error) => {
            error.render(res);
            ctrl.skip_rest();
        }
    }
}
