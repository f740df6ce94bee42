//! Authorization: whether the caller may use the route. Decided by the matched route, never by the text of the URL.

use salvo::http::body::Body as _;
use salvo::{Depot, Request};
use svc_identity::error::ServiceError;

use crate::api_error::ApiError;
use crate::body::receive;
use crate::middleware::authenticate::authenticate;
use crate::request_context::RequestContext;

/// Admits or rejects the authenticated caller: before any input is read, and again when the body has arrived, because
/// permissions may have been revoked meanwhile.
///
/// # Errors
/// 401 and 410 as for authentication, 403 without permission, and what is wrong with the body.
pub(super) async fn authorize(req: &mut Request, depot: &mut Depot) -> Result<(), ApiError> {
    require_permission(RequestContext::of(depot)?)?;
    if req.method().is_safe() || req.body().is_end_stream() {
        return Ok(());
    }
    receive(req, RequestContext::of(depot)?).await?;
    authenticate(req, depot).await?;
    require_permission(RequestContext::of(depot)?)
}

fn require_permission(context: &RequestContext) -> Result<(), ApiError> {
    let (Some(route), Some(actor)) = (&context.route, &context.actor) else {
        return Err(ApiError::internal("authorization without a route or a caller"));
    };
    if route.access.requires_session() && !actor.is_signed_in() {
        return Err(ServiceError::TokenNotPermitted.into());
    }
    if !route.access.allows(actor) {
        return Err(actor.lacks_capability().into());
    }
    Ok(())
}
