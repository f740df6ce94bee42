//! A semaphore that is fair between client networks: a network with many requests waits behind networks with few.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::throttle::ClientNetwork;

/// A request for a permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermitRequest {
    /// The client's network; permits are shared fairly between networks.
    pub network: ClientNetwork,
    /// Whether the client is signed in, or was signed in from this network before. Known clients have a queue of
    /// their own that gets every second permit, so that unknown addresses cannot crowd them out.
    pub known: bool,
}

/// The queue is full, or the wait exceeded its timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueFull;

/// Limits of a semaphore.
#[derive(Debug, Clone, Copy)]
pub struct FairSemaphoreLimits {
    /// Permits at the same time.
    pub permits: usize,
    /// Waiters per queue, that of known clients and that of others.
    pub waiters: usize,
    /// Of those, waiters of one network.
    pub waiters_per_network: usize,
    /// How long a request waits.
    pub timeout: Duration,
}

#[derive(Debug)]
struct Shared {
    limits: FairSemaphoreLimits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    free: usize,
    known: WaitQueue,
    unknown: WaitQueue,
    /// Whether the last permit went to a known client.
    known_was_last: bool,
    next_ticket: u64,
}

/// A request that waits for a permit.
#[derive(Debug)]
struct Waiter {
    ticket: u64,
    call: oneshot::Sender<()>,
}

/// Waiters in a queue per network.
#[derive(Debug, Default)]
struct WaitQueue {
    queues: HashMap<ClientNetwork, VecDeque<Waiter>>,
    /// Networks with waiters, in the order of their next permit.
    order: VecDeque<ClientNetwork>,
    waiting: usize,
}

impl WaitQueue {
    /// Adds a waiter. If the queue is full, the network with the most waiters loses its newest one, provided that the
    /// new waiter's network has fewer.
    fn join(
        &mut self,
        network: ClientNetwork,
        waiter: Waiter,
        limits: &FairSemaphoreLimits,
    ) -> Result<(), QueueFull> {
        let own = self.queues.get(&network).map_or(0, VecDeque::len);
        if own >= limits.waiters_per_network {
            return Err(QueueFull);
        }
        if self.waiting >= limits.waiters {
            let longest = self.queues.values_mut().max_by_key(|queue| queue.len());
            let longest = longest.filter(|queue| queue.len() > own + 1);
            // Dropping the waiter rejects it.
            longest.ok_or(QueueFull)?.pop_back();
            self.waiting -= 1;
        }
        let queue = self.queues.entry(network).or_default();
        if queue.is_empty() {
            self.order.push_back(network);
        }
        queue.push_back(waiter);
        self.waiting += 1;
        Ok(())
    }

    /// The oldest waiter of the next address.
    fn next(&mut self) -> Option<Waiter> {
        let network = self.order.pop_front()?;
        let queue = self.queues.get_mut(&network)?;
        let waiter = queue.pop_front();
        if queue.is_empty() {
            self.queues.remove(&network);
        } else {
            self.order.push_back(network);
        }
        self.waiting -= usize::from(waiter.is_some());
        waiter
    }

    /// Removes a waiter that was cancelled, if it is still queued.
    fn remove(&mut self, network: ClientNetwork, ticket: u64) {
        let Some(queue) = self.queues.get_mut(&network) else {
            return;
        };
        let before = queue.len();
        queue.retain(|waiter| waiter.ticket != ticket);
        self.waiting -= before - queue.len();
        if queue.is_empty() {
            self.queues.remove(&network);
            self.order.retain(|other| *other != network);
        }
    }
}

impl State {
    fn wait_queue(&mut self, known: bool) -> &mut WaitQueue {
        if known { &mut self.known } else { &mut self.unknown }
    }

    fn next(&mut self) -> Option<Waiter> {
        let known = !self.known_was_last;
        let (waiter, known) = match self.wait_queue(known).next() {
            Some(waiter) => (waiter, known),
            None => (self.wait_queue(!known).next()?, !known),
        };
        self.known_was_last = known;
        Some(waiter)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a permit to the next waiter.
    fn release(&self) {
        let mut state = self.state();
        while let Some(waiter) = state.next() {
            if waiter.call.send(()).is_ok() {
                return;
            }
        }
        state.free += 1;
    }
}

/// The semaphore. Clones share the permits.
#[derive(Debug, Clone)]
pub struct FairSemaphore(Arc<Shared>);

/// A permit, passed to the next waiter when dropped.
#[derive(Debug)]
pub struct Permit(Arc<Shared>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// A queued waiter, removed when dropped.
struct QueuedWaiter<'a> {
    shared: &'a Shared,
    request: PermitRequest,
    ticket: u64,
    called: oneshot::Receiver<()>,
}

impl Drop for QueuedWaiter<'_> {
    fn drop(&mut self) {
        let PermitRequest { network, known } = self.request;
        self.shared.state().wait_queue(known).remove(network, self.ticket);
        self.called.close();
        // The permit arrived while the waiter was removed.
        if self.called.try_recv().is_ok() {
            self.shared.release();
        }
    }
}

impl FairSemaphore {
    /// A semaphore with all permits free.
    pub fn new(limits: FairSemaphoreLimits) -> Self {
        let state = State {
            free: limits.permits,
            ..State::default()
        };
        Self(Arc::new(Shared {
            limits,
            state: Mutex::new(state),
        }))
    }

    /// Whether the next request would have to wait.
    pub fn is_exhausted(&self) -> bool {
        self.0.state().free == 0
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// The queue is full, or the wait exceeded its timeout.
    pub async fn acquire(&self, request: PermitRequest) -> Result<Permit, QueueFull> {
        let mut queued = {
            let mut state = self.0.state();
            // While a permit is free, no request waits.
            if let Some(left) = state.free.checked_sub(1) {
                state.free = left;
                return Ok(Permit(Arc::clone(&self.0)));
            }
            let (call, called) = oneshot::channel();
            let ticket = state.next_ticket;
            state.next_ticket += 1;
            let wait_queue = state.wait_queue(request.known);
            wait_queue.join(request.network, Waiter { ticket, call }, &self.0.limits)?;
            QueuedWaiter {
                shared: &self.0,
                request,
                ticket,
                called,
            }
        };
        match tokio::time::timeout(self.0.limits.timeout, &mut queued.called).await {
            Ok(Ok(())) => Ok(Permit(Arc::clone(&self.0))),
            _ => Err(QueueFull),
        }
    }
}

#[cfg(test)]
#[path = "fair_semaphore_tests.rs"]
mod tests;
