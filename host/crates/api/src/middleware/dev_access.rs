//! Access to the routes of development mode: tests on the same machine, never a page of another origin.

use salvo::Request;
use salvo::http::StatusCode;
use salvo::http::header::ORIGIN;

use crate::api_error::ApiError;
use crate::csrf::{CsrfOriginCheck, check_csrf_origin};
use crate::request_context::RequestContext;
use crate::requested_url::{own_urls, require_own_host};

/// Rejects requests that are not from this machine.
///
/// # Errors
/// 404 for other machines, as if the route did not exist; 403 for foreign pages.
pub(super) fn require_local(req: &Request, context: &RequestContext) -> Result<(), ApiError> {
    if is_local(req) {
        require_own_page(req, context)
    } else {
        Err(ApiError::of_status(StatusCode::NOT_FOUND))
    }
}

/// Whether the request comes from this machine, and not through a proxy on it.
fn is_local(req: &Request) -> bool {
    let peer = req.remote_addr().ip();
    let forwarded = ["forwarded", "x-forwarded-for", "x-real-ip"]
        .iter()
        .any(|name| req.headers().contains_key(*name));
    peer.is_some_and(|peer| peer.to_canonical().is_loopback()) && !forwarded
}

/// A browser on this machine may show somebody else's page: its requests are rejected, whether they come from another
/// origin or from a name that was made to resolve to this machine (DNS rebinding).
fn require_own_page(req: &Request, context: &RequestContext) -> Result<(), ApiError> {
    let state = &context.state;
    let base_url = state.proxy_config.base_url.as_ref();
    require_own_host(req, base_url)?;
    let origins = req.headers().get_all(ORIGIN);
    let mut origins = origins.iter().filter_map(|origin| origin.to_str().ok());
    let is_listed =
        origins.next().is_some_and(|origin| state.origins.allows(origin)) && origins.next().is_none();
    let own = own_urls(req, false, base_url);
    if is_listed || check_csrf_origin(req.headers(), &own) == CsrfOriginCheck::SameSite {
        Ok(())
    } else {
        Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "pages of this origin may not call this",
        ))
    }
}
