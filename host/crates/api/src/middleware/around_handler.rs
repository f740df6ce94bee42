//! Around the handler of a route: authenticate, authorize, cache.

use std::sync::Arc;

use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};

use super::{authenticate, authorize, cache, dev_access};
use crate::api_error::ApiError;
use crate::request_context::RequestContext;
use crate::route::{Access, Route};

/// The handler of a route, with what the route's data asks for around it.
#[derive(Debug)]
pub struct AroundHandler(Arc<Route>);

impl AroundHandler {
    /// Around the handler of this route.
    pub fn new(route: &Route) -> Self {
        Self(Arc::new(route.clone()))
    }

    /// Notes the route in the context of the request and decides whether its handler may run.
    async fn admit(&self, req: &mut Request, depot: &mut Depot) -> Result<(), ApiError> {
        RequestContext::of_mut(depot)?.set_route(&self.0);
        match self.0.access {
            Access::Public => Ok(()),
            Access::Dev => dev_access::require_local(req, RequestContext::of(depot)?),
            _ => {
                authenticate::authenticate(req, depot).await?;
                authorize::authorize(req, depot).await
            }
        }
    }
}

#[async_trait]
impl Handler for AroundHandler {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        if let Err(error) = self.admit(req, depot).await {
            error.render(res);
            return;
        }
        let key = match cache::look_up(req, depot, res) {
            cache::Lookup::Responded => return,
            cache::Lookup::Missing(key) => Some(key),
            cache::Lookup::NotCacheable => None,
        };
        self.0.handler.handle(req, depot, res, ctrl).await;
        if let Some(key) = key {
            cache::store(key, depot, res);
        }
    }
}
