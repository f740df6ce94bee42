//! Headers that protect browsers, on every response.

use salvo::http::StatusCode;
use salvo::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};

/// Set unless the handler set another value.
const DEFAULTS: [(HeaderName, &str); 4] = [
    (CACHE_CONTROL, "no-store"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'",
    ),
];

/// Adds the headers to what the inner layers respond. Errors are never cached.
#[derive(Debug)]
pub struct SecurityHeaders;

#[async_trait]
impl Handler for SecurityHeaders {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        ctrl.call_next(req, depot, res).await;
        let status = res.status_code.unwrap_or(StatusCode::OK);
        let headers = res.headers_mut();
        for (name, value) in DEFAULTS {
            headers.entry(name).or_insert(HeaderValue::from_static(value));
        }
        if status.is_client_error() || status.is_server_error() {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
    }
}
