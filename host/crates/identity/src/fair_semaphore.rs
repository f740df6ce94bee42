//! Turns at something scarce, shared by address: whoever asks much waits behind whoever asks little.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::throttle::ClientNetwork;

/// Who asks for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PermitRequest {
    /// From where: addresses share what there is.
    pub network: ClientNetwork,
    /// Somebody who is signed in, or has been from this address. They stand in a line of their own, which gets every
    /// second turn: no number of strange addresses crowds them out.
    pub known: bool,
}

/// Nobody could wait any longer, or anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueFull;

/// How many there may be.
#[derive(Debug, Clone, Copy)]
pub struct FairSemaphoreLimits {
    /// Turns at a time.
    pub permits: usize,
    /// Claimants of a line that wait for one.
    pub waiters: usize,
    /// Of those, from one address.
    pub waiters_per_network: usize,
    /// How long one waits.
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
    /// Whose turn it was last.
    known_was_last: bool,
    next_ticket: u64,
}

/// Waits to be called.
#[derive(Debug)]
struct Waiter {
    ticket: u64,
    call: oneshot::Sender<()>,
}

/// Those who wait, each address in a queue of its own.
#[derive(Debug, Default)]
struct WaitQueue {
    queues: HashMap<ClientNetwork, VecDeque<Waiter>>,
    /// The addresses with somebody waiting, in the order of their turns.
    order: VecDeque<ClientNetwork>,
    waiting: usize,
}

impl WaitQueue {
    /// Adds a waiter. In a full line the address that has most waiting loses its newest to one that would have fewer.
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
            // Dropped, which tells it.
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

    /// The oldest waiter of the address whose turn it is.
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

    /// Takes out a waiter that has gone away, if it is still there.
    fn leave(&mut self, network: ClientNetwork, ticket: u64) {
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

    /// Passes a turn on.
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

/// Gives turns.
#[derive(Debug, Clone)]
pub struct FairSemaphore(Arc<Shared>);

/// A turn; the next in line gets it when it is dropped.
#[derive(Debug)]
pub struct Permit(Arc<Shared>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// A place in line, given up when it is dropped.
struct QueuedWaiter<'a> {
    shared: &'a Shared,
    request: PermitRequest,
    ticket: u64,
    called: oneshot::Receiver<()>,
}

impl Drop for QueuedWaiter<'_> {
    fn drop(&mut self) {
        let PermitRequest { network, known } = self.request;
        self.shared.state().wait_queue(known).leave(network, self.ticket);
        self.called.close();
        // Called at the moment at which it left.
        if self.called.try_recv().is_ok() {
            self.shared.release();
        }
    }
}

impl FairSemaphore {
    /// With these limits.
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

    /// Whether the next claimant would have to wait.
    pub fn is_exhausted(&self) -> bool {
        self.0.state().free == 0
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// When there is no place to wait, or it takes too long.
    pub async fn acquire(&self, request: PermitRequest) -> Result<Permit, QueueFull> {
        let mut queued = {
            let mut state = self.0.state();
            // While there is a free one, nobody waits.
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
