//! Requests that no route handles: malformed, too long, to a foreign host before setup, or CORS preflights.

use salvo::http::StatusCode;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};
use svc_http_io::limits::TARGET_BYTES;
use svc_http_io::malformed_request::MalformedRequest;

use crate::api_error::ApiError;
use crate::csrf::require_plain_host;
use crate::middleware::response_headers;
use crate::request_context::RequestContext;

/// Rejects such requests, or responds to the preflight.
#[derive(Debug)]
pub struct RequestCheck;

#[async_trait]
impl Handler for RequestCheck {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        // salvo has matched the path by now.
        let is_known_path = res.status_code != Some(StatusCode::NOT_FOUND);
        if let Err(error) = check(req, depot) {
            error.render(res);
            ctrl.skip_rest();
        } else if is_known_path && response_headers::is_preflight(req) {
            res.status_code(StatusCode::NO_CONTENT);
            ctrl.skip_rest();
        }
    }
}

fn check(req: &Request, depot: &Depot) -> Result<(), ApiError> {
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
    require_plain_host(req, state.proxy_config.base_url.as_ref())
}
