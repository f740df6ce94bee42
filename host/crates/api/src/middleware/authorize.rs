//! Authorization: whether the caller may use the route. Decided by the matched route, never by the text of the URL.

use salvo::http::body::Body as _;
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};
use svc_identity::error::ServiceError;

use crate::api_error::ApiError;
use crate::body::receive;
use crate::middleware::authenticate::authenticate;
use crate::request_context::RequestContext;

/// Admits or rejects the authenticated caller: before any input is read, and again when the body has arrived, because
/// permissions may have been revoked meanwhile.
#[derive(Debug)]
pub struct Authorize;

#[async_trait]
impl Handler for Authorize {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        if let Err(error) = authorize_with_body(req, depot).await {
            error.render(res);
            ctrl.skip_rest();
        }
    }
}

async fn authorize_with_body(req: &mut Request, depot: &mut Depot) -> Result<(), ApiError> {
    authorize(RequestContext::of(depot)?)?;
    if req.method().is_safe() || req.body().is_end_stream() {
        return Ok(());
    }
    receive(req, RequestContext::of(depot)?).await?;
    authenticate(req, depot).await?;
    authorize(RequestContext::of(depot)?)
}

fn authorize(context: &RequestContext) -> Result<(), ApiError> {
    let (Some(route), Some(actor)) = (&context.route, &context.actor) else {
        return Err(ApiError::internal("authorization without a route or a caller"));
    };
    if route.access.requires_session() && !actor.is_signed_in() {
        return Err(ServiceError::TokenNotPermitted.into());
    }
    if !route.access.allows(actor) {
        return Err(ApiError::forbidden());
    }
    Ok(())
}
