//! The outermost layer: the request's context and id, and one log line per request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use salvo::http::header::HeaderValue;
use salvo::http::{Method, StatusCode};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};
use svc_http_io::limits::Limits;
use svc_http_io::malformed_request::REQUEST_ID;
use tokio::time::Instant;

use crate::request_context::RequestContext;
use crate::state::SharedState;

/// Headers of a typical response: room for them is allocated once.
const HEADERS: usize = 16;

/// Numbers requests and logs them.
#[derive(Debug)]
pub struct RequestLog {
    state: SharedState,
    limits: Limits,
    requests: AtomicU64,
}

impl RequestLog {
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
impl Handler for RequestLog {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        let started = Instant::now();
        let id = self.requests.fetch_add(1, Ordering::Relaxed);
        depot.insert_typed(RequestContext::new(Arc::clone(&self.state), self.limits, started));
        res.headers_mut().reserve(HEADERS);
        ctrl.call_next(req, depot, res).await;
        res.headers_mut().insert(REQUEST_ID, HeaderValue::from(id));
        log(req.method(), depot, res, started, id);
    }
}

/// Logs the path of the route, never the URL, which may carry a token. Server errors are at `warn`, other errors at
/// `info`, the rest at `debug`.
fn log(method: &Method, depot: &Depot, res: &Response, started: Instant, id: u64) {
    let status = res.status_code.unwrap_or(StatusCode::OK);
    macro_rules! line {
        ($level:ident) => {{
            let context = RequestContext::of(depot).ok();
            let route = context.and_then(|context| context.route.as_ref());
            let route = route.map_or("-", |route| route.path);
            let actor = context.and_then(|context| context.actor.as_ref());
            let user = actor.map(|actor| tracing::field::display(actor.user.id));
            let status = status.as_u16();
            let ms = started.elapsed().as_secs_f64() * 1000.0;
            tracing::$level!(target: "svc::http::request", id, %method, route, status, ms, user, "request");
        }};
    }
    if status == StatusCode::INTERNAL_SERVER_ERROR {
        line!(warn);
    } else if status.is_client_error() || status.is_server_error() {
        line!(info);
    } else if tracing::enabled!(target: "svc::http::request", tracing::Level::DEBUG) {
        line!(debug);
    }
}
