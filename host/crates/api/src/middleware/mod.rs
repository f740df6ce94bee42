//! The layers around handlers.
//!
//! Around every request, from the outside in: request log, response headers, timeout, panics, request check. Around a
//! route's handler: authenticate, authorize, cache. Each route has the layers that its data asks for.

pub mod authenticate;
pub mod authorize;
pub mod cache;
pub mod catch_panic;
pub mod dev_access;
pub mod error_body;
pub mod request_check;
pub mod request_log;
pub mod response_headers;
pub mod timeout;

use salvo::{Router, Service};
use svc_http_io::limits::Limits;

use crate::route::{Access, CachePolicy, Route};
use crate::state::SharedState;

/// Puts the layers around every request to a service.
pub fn around_all(service: Service, state: SharedState, limits: Limits) -> Service {
    service
        .hoop(request_log::RequestLog::new(state, limits))
        .hoop(response_headers::ResponseHeaders)
        .hoop(timeout::Timeout)
        .hoop(catch_panic::CatchPanic)
        .hoop(request_check::RequestCheck)
}

/// Puts the layers of a route around its handler.
pub fn around(leaf: Router, route: &Route) -> Router {
    let leaf = match route.access {
        Access::Public => leaf,
        Access::Dev => leaf.hoop(dev_access::RequireLocal),
        _ => leaf.hoop(authenticate::Authenticate).hoop(authorize::Authorize),
    };
    if route.cache_policy == CachePolicy::Never {
        leaf
    } else {
        leaf.hoop(cache::Cache)
    }
}
