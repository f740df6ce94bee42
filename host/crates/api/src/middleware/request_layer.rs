//! Around everything: request id, time limit, panics, CORS, security headers, the request log.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use salvo::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use salvo::http::{Method, StatusCode};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::api_error::ApiError;
use crate::csrf::require_plain_host;
use crate::deadline::Deadline;
use crate::middleware::cors::{CorsHeaders, headers_for};
use crate::request_context::RequestContext;
use crate::state::AppState;
use svc_http_io::limits;
use svc_http_io::limits::Limits;
use svc_http_io::malformed_request::{MalformedRequest, REQUEST_ID};

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Headers that every answer has, unless its handler set a stricter or more fitting one.
const DEFAULTS: [(HeaderName, &str); 4] = [
    (CACHE_CONTROL, "no-store"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'",
    ),
];

/// As many as answers have: room for them is made once.
const HEADERS: usize = 16;

/// The outermost layer.
#[derive(Debug)]
pub struct RequestLayer {
    state: Arc<AppState>,
    limits: Limits,
    requests: AtomicU64,
}

impl RequestLayer {
    /// Around handlers that work with this state.
    pub fn new(state: Arc<AppState>, limits: Limits) -> Self {
        Self {
            state,
            limits,
            requests: AtomicU64::new(1),
        }
    }
}

impl RequestLayer {
    /// As long as anybody may make the owner, nobody does by a page that they have another open.
    fn require_host(&self, req: &Request) -> Result<(), ApiError> {
        if self.state.setup.is_done() {
            return Ok(());
        }
        require_plain_host(req, self.state.proxy_config.base_url.as_ref())
    }
}

#[async_trait]
impl Handler for RequestLayer {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        let started = Instant::now();
        let id = self.requests.fetch_add(1, Ordering::Relaxed);
        let cors = headers_for(&self.state.origins, req);
        let context = RequestContext::new(Arc::clone(&self.state), self.limits, started);
        let deadline = context.deadline.clone();
        depot.insert_typed(context);
        res.headers_mut().reserve(HEADERS);
        let known_path = res.status_code != Some(StatusCode::NOT_FOUND);
        if req
            .uri()
            .path_and_query()
            .is_some_and(|target| target.as_str().len() > limits::TARGET_BYTES)
        {
            ApiError::of_status(StatusCode::URI_TOO_LONG).render(res);
            ctrl.skip_rest();
        } else if let Some(&MalformedRequest(status)) = req.extensions().get::<MalformedRequest>() {
            ApiError::of_status(status).render(res);
            ctrl.skip_rest();
        } else if let Err(problem) = self.require_host(req) {
            problem.render(res);
            ctrl.skip_rest();
        } else if cors.preflight && known_path {
            res.status_code(StatusCode::NO_CONTENT);
            ctrl.skip_rest();
        } else {
            run(req, depot, res, ctrl, &deadline).await;
        }
        finish(res, &cors, id);
        log(req.method(), depot, res, started, id);
    }
}

/// Runs the rest, within its time; a panic or a delay ends in an error of its own.
async fn run(
    req: &mut Request,
    depot: &mut Depot,
    res: &mut Response,
    ctrl: &mut FlowCtrl,
    deadline: &Deadline,
) {
    let outcome = {
        let mut rest = std::pin::pin!(ctrl.call_next(req, depot, res));
        // Set when the rest is not done at once.
        let mut alarm = std::pin::pin!(None::<Sleep>);
        let caught = std::future::poll_fn(|context| {
            match std::panic::catch_unwind(AssertUnwindSafe(|| rest.as_mut().poll(context))) {
                Ok(Poll::Pending) => {}
                Ok(Poll::Ready(_)) => return Poll::Ready(Ok(())),
                Err(_) => return Poll::Ready(Err(StatusCode::INTERNAL_SERVER_ERROR)),
            }
            // The handler may have moved it while it was polled.
            let at = deadline.at();
            if alarm
                .as_ref()
                .as_pin_ref()
                .is_none_or(|alarm| alarm.deadline() != at)
            {
                alarm.set(Some(sleep_until(at)));
            }
            let time_is_up = alarm.as_mut().as_pin_mut().map(|alarm| alarm.poll(context));
            let time_is_up = time_is_up.unwrap_or(Poll::Pending);
            time_is_up.map(|()| Err(StatusCode::SERVICE_UNAVAILABLE))
        });
        caught.await
    };
    if let Err(status) = outcome {
        // The panic's own text is in the log, by the panic hook; the client learns none of it.
        tracing::error!(target: "svc::http", status = status.as_u16(), "handler panicked or timed out");
        res.headers_mut().clear();
        ApiError::of_status(status).render(res);
        ctrl.skip_rest();
    }
}

fn finish(res: &mut Response, cors: &CorsHeaders, id: u64) {
    cors.apply(res);
    let status = res.status_code.unwrap_or(StatusCode::OK);
    let is_error = status.is_client_error() || status.is_server_error();
    let headers = res.headers_mut();
    for (name, value) in DEFAULTS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if is_error {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    let policy = if cors.is_listed() {
        "cross-origin"
    } else {
        "same-site"
    };
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static(policy));
    headers.insert(REQUEST_ID, HeaderValue::from(id));
}

/// One line a request: the route's own path, never the URL, which may carry a token. Successes are for those who look
/// for them; refusals and faults are shown.
fn log(method: &Method, depot: &Depot, res: &Response, started: Instant, id: u64) {
    let status = res.status_code.unwrap_or(StatusCode::OK);
    macro_rules! line {
        ($level:ident) => {{
            let context = RequestContext::of(depot).ok();
            let route = context.and_then(|context| context.route).unwrap_or("-");
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
