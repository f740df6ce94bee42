//! Requests that no route handles: malformed, too long, to a foreign host before setup, or CORS preflights.

use salvo::http::StatusCode;
use salvo::{Depot, Request, Response};
use svc_http_io::limits::TARGET_BYTES;
use svc_http_io::malformed_request::MalformedRequest;

use super::response_headers;
use crate::api_error::ApiError;
use crate::request_context::RequestContext;
use crate::requested_url::require_own_host;

/// A request that is not rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Checked {
    /// Its route responds, or 404 if it has none.
    Route,
    /// It is a CORS preflight, with this status as response.
    Preflight(StatusCode),
}

/// Looks at a request before its route does.
///
/// # Errors
/// 414 and 400 for what no route can read, 421 for a foreign host before the setup.
pub(super) fn check(req: &Request, depot: &Depot, res: &Response) -> Result<Checked, ApiError> {
    require_well_formed(req, depot)?;
    // salvo has matched the path by now.
    let is_known_path = res.status_code != Some(StatusCode::NOT_FOUND);
    Ok(if is_known_path && response_headers::is_preflight(req) {
        Checked::Preflight(StatusCode::NO_CONTENT)
    } else {
        Checked::Route
    })
}

fn require_well_formed(req: &Request, depot: &Depot) -> Result<(), ApiError> {
    let target = req.uri().path_and_query();
    if target.is_some_and(|target| target.as_str().len() > TARGET_BYTES) {
        return Err(ApiError::of_status(StatusCode::URI_TOO_LONG));
    }
    if let Some(&MalformedRequest(status)) = req.extensions().get::<MalformedRequest>() {
        return Err(ApiError::of_status(status));
    }
    let state = &RequestContext::of(depot)?.state;
    if state.setup.is_done() {
        return Ok(());
    }
    // Until there is an owner, a web page in a browser on this network must not be able to create one.
    require_own_host(req, state.proxy_config.base_url.as_ref())
}
