//! Notes the matched route in the request's context, for the layers and extractors that follow.

use std::sync::Arc;

use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};

use crate::request_context::RequestContext;
use crate::route::Route;

/// The first layer of a route.
#[derive(Debug)]
pub struct MatchedRoute(pub Arc<Route>);

#[async_trait]
impl Handler for MatchedRoute {
    async fn handle(&self, _req: &mut Request, depot: &mut Depot, _res: &mut Response, _ctrl: &mut FlowCtrl) {
        if let Ok(context) = RequestContext::of_mut(depot) {
            context.enter(&self.0);
        }
    }
}
