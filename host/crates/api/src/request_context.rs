//! The context of a request, shared by its layers and extractors.

use std::sync::Arc;
use std::time::Duration;

use salvo::Depot;
use tokio::time::Instant;

use crate::api_error::ApiError;
use crate::middleware::timeout::Deadline;
use crate::route::Route;
use crate::state::AppState;
use svc_http_io::limits::{BODY_BYTES, Limits};
use svc_identity::actor::Actor;

/// Inserted into the depot by the outermost layer, as one value: a depot allocates for each.
#[derive(Debug)]
pub struct RequestContext {
    /// The services.
    pub state: Arc<AppState>,
    /// The timeouts of requests.
    pub limits: Limits,
    /// The deadline for the head of the response.
    pub deadline: Deadline,
    /// The matched route.
    pub route: Option<Arc<Route>>,
    /// The authenticated caller of a route that is not public.
    pub actor: Option<Arc<Actor>>,
}

impl RequestContext {
    /// The context of a request that arrived at this moment.
    pub fn new(state: Arc<AppState>, limits: Limits, arrived: Instant) -> Self {
        Self {
            state,
            limits,
            deadline: Deadline::new(arrived + limits.handler_time),
            route: None,
            actor: None,
        }
    }

    /// Notes the matched route, whose timeout counts from now on.
    pub fn enter(&mut self, route: &Arc<Route>) {
        let more = route
            .timeout
            .of(&self.limits)
            .saturating_sub(self.limits.handler_time);
        if !more.is_zero() {
            self.deadline.extend(more);
        }
        self.route = Some(Arc::clone(route));
    }

    /// Largest body of the request, in bytes.
    pub fn body_bytes(&self) -> usize {
        self.route.as_ref().map_or(BODY_BYTES, |route| route.body_bytes)
    }

    /// Time for the body of the request to arrive.
    pub fn body_time(&self) -> Duration {
        let route = self.route.as_ref();
        route.map_or(self.limits.body_time, |route| route.timeout.of_body(&self.limits))
    }

    /// The context of the current request.
    ///
    /// # Errors
    /// 500 if the outermost layer is missing.
    pub fn of(depot: &Depot) -> Result<&Self, ApiError> {
        depot
            .get_typed::<Self>()
            .map_err(|_| ApiError::internal("a request without context"))
    }

    /// The context of the current request, to change it.
    ///
    /// # Errors
    /// As [`RequestContext::of`].
    pub fn of_mut(depot: &mut Depot) -> Result<&mut Self, ApiError> {
        depot
            .get_typed_mut::<Self>()
            .map_err(|_| ApiError::internal("a request without context"))
    }
}
