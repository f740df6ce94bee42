//! What a request carries from layer to layer.

use std::sync::Arc;

use salvo::Depot;
use tokio::time::Instant;

use crate::api_error::ApiError;
use crate::deadline::Deadline;
use crate::state::AppState;
use svc_http_io::limits::{BODY_BYTES, Limits};
use svc_identity::actor::Actor;

/// Put into the depot by the outermost layer, in one piece: a depot takes memory for each.
#[derive(Debug)]
pub struct RequestContext {
    /// The services.
    pub state: Arc<AppState>,
    /// The times that clients have.
    pub limits: Limits,
    /// By when there must be an answer.
    pub deadline: Deadline,
    /// The path of the matched route, with its parameters' names: what the log shows.
    pub route: Option<&'static str>,
    /// Bytes that the body may have.
    pub body_bytes: usize,
    /// The known caller of a route that is not public.
    pub actor: Option<Arc<Actor>>,
}

impl RequestContext {
    /// For a request that came at this moment.
    pub fn new(state: Arc<AppState>, limits: Limits, came: Instant) -> Self {
        Self {
            state,
            limits,
            deadline: Deadline::new(came + limits.handler_time),
            route: None,
            body_bytes: BODY_BYTES,
            actor: None,
        }
    }

    /// The one of the request at hand.
    ///
    /// # Errors
    /// An internal one where the outermost layer is missing.
    pub fn of(depot: &Depot) -> Result<&Self, ApiError> {
        depot
            .get_typed::<Self>()
            .map_err(|_| ApiError::internal("a request without context"))
    }

    /// As [`RequestContext::of`], to be changed.
    ///
    /// # Errors
    /// As there.
    pub fn of_mut(depot: &mut Depot) -> Result<&mut Self, ApiError> {
        depot
            .get_typed_mut::<Self>()
            .map_err(|_| ApiError::internal("a request without context"))
    }
}
