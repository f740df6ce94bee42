//! One log line per request.

use salvo::http::{Method, StatusCode};
use salvo::{Depot, Response};
use tokio::time::Instant;

use crate::request_context::RequestContext;

/// Logs the path of the route, never the URL, which may carry a token. Server errors are at `warn`, other errors at
/// `info`, the rest at `debug`.
pub(super) fn write(method: &Method, depot: &Depot, res: &Response, started: Instant, id: u64) {
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
