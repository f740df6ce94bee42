//! The context of a request, shared by its layers and extractors, with its deadline.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use salvo::Depot;
use tokio::time::Instant;

use crate::api_error::ApiError;
use crate::route::Route;
use crate::state::SharedState;
use svc_http_io::limits::{BODY_BYTES, Limits};
use svc_identity::actor::Actor;

/// Inserted into the depot by the outermost layer, as one value: a depot allocates for each.
#[derive(Debug)]
pub struct RequestContext {
    /// The services.
    pub state: SharedState,
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
    pub fn new(state: SharedState, limits: Limits, arrived: Instant) -> Self {
        Self {
            state,
            limits,
            deadline: Deadline::new(arrived + limits.handler_time),
            route: None,
            actor: None,
        }
    }

    /// Sets the matched route, and with it the deadline.
    pub fn set_route(&mut self, route: &Arc<Route>) {
        let more = route
            .timeout
            .handler_time(&self.limits)
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
        route.map_or(self.limits.body_time, |route| {
            route.timeout.body_time(&self.limits)
        })
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

/// The deadline of one request. Clones share it. The time in which the client sends the body does not count.
#[derive(Debug, Clone)]
pub struct Deadline(Arc<Mutex<Instant>>);

impl Deadline {
    /// A deadline at this moment, until it is moved.
    pub fn new(at: Instant) -> Self {
        Self(Arc::new(Mutex::new(at)))
    }

    /// The current deadline; it may move later.
    pub fn at(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Postpones the deadline.
    pub fn extend(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }

    /// Waits for input of the client for at most `patience`, and postpones the deadline by the time that this takes.
    /// `None` after a timeout.
    pub async fn wait_for_client<T>(&self, patience: Duration, wait: impl Future<Output = T>) -> Option<T> {
        let started = Instant::now();
        self.extend(patience);
        let outcome = tokio::time::timeout(patience, wait).await.ok();
        let unused = patience.saturating_sub(started.elapsed());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) -= unused;
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn time_of_the_client_does_not_count() {
        let deadline = Deadline::new(Instant::now() + Duration::from_secs(60));
        let before = deadline.at();
        let patience = Duration::from_millis(20);
        assert_eq!(deadline.wait_for_client(patience, async { 1 }).await, Some(1));
        assert!(deadline.at() < before + patience);
        let never = deadline.wait_for_client(patience, std::future::pending::<()>());
        assert_eq!(never.await, None);
        assert!(deadline.at() >= before + patience);
    }
}
