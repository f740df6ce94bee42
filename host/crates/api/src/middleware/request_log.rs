//! One log line per request.

use salvo::http::StatusCode;
use salvo::http::uri::Scheme;
use salvo::{Depot, Request, Response};
use tokio::time::Instant;

use crate::api_error::ExceededLimit;
use crate::client::Client;
use crate::request_context::RequestContext;

/// Logs the path of the route, never the URL, which may carry a token. Status 500 is at `warn`; other errors
/// are at `info`, also 503, which is no fault of the server; the rest is at `debug`. The address is that of the client, as
/// limits see it, for programs that block addresses.
pub(super) fn write(req: &Request, depot: &Depot, res: &Response, started: Instant, id: u64) {
    let status = res.status_code.unwrap_or(StatusCode::OK);
    macro_rules! line {
        ($level:ident) => {{
            let context = RequestContext::of(depot).ok();
            let route = context.and_then(|context| context.route.as_ref());
            let route = route.map_or("-", |route| route.path);
            let actor = context.and_then(|context| context.actor.as_ref());
            let user = actor.map(|actor| tracing::field::display(actor.user.id));
            let client = context.and_then(|context| {
                let is_https = *req.scheme() == Scheme::HTTPS;
                let address = req.remote_addr().ip();
                Client::of(&context.state.proxy_config, address, is_https, req.headers()).address
            });
            let client = client.map(tracing::field::display);
            let limit = res.extensions.get::<ExceededLimit>().map(|limit| limit.0);
            let method = req.method();
            let status = status.as_u16();
            let ms = started.elapsed().as_secs_f64() * 1000.0;
            tracing::$level!(target: "svc::http::request", id, %method, route, status, ms, user, client, limit, "request");
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
