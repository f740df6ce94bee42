//! Turns at something scarce, shared by address: whoever asks much waits behind whoever asks little.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::throttle::Party;

/// Who asks for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claimant {
    /// From where: addresses share what there is.
    pub party: Party,
    /// Somebody who is signed in, or has been from this address. They stand in a line of their own, which gets every
    /// second turn: no number of strange addresses crowds them out.
    pub known: bool,
}

/// Nobody could wait any longer, or anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany;

/// How many there may be.
#[derive(Debug, Clone, Copy)]
pub struct TurnLimits {
    /// Turns at a time.
    pub turns: usize,
    /// Claimants of a line that wait for one.
    pub places: usize,
    /// Of those, from one address.
    pub places_of_one: usize,
    /// How long one waits.
    pub patience: Duration,
}

#[derive(Debug)]
struct Shared {
    limits: TurnLimits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    free: usize,
    known: Line,
    strange: Line,
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
struct Line {
    queues: HashMap<Party, VecDeque<Waiter>>,
    /// The addresses with somebody waiting, in the order of their turns.
    order: VecDeque<Party>,
    waiting: usize,
}

impl Line {
    /// Adds a waiter. In a full line the address that has most waiting loses its newest to one that would have fewer.
    fn join(&mut self, party: Party, waiter: Waiter, limits: &TurnLimits) -> Result<(), TooMany> {
        let own = self.queues.get(&party).map_or(0, VecDeque::len);
        if own >= limits.places_of_one {
            return Err(TooMany);
        }
        if self.waiting >= limits.places {
            let longest = self.queues.values_mut().max_by_key(|queue| queue.len());
            let longest = longest.filter(|queue| queue.len() > own + 1);
            // Dropped, which tells it.
            longest.ok_or(TooMany)?.pop_back();
            self.waiting -= 1;
        }
        let queue = self.queues.entry(party).or_default();
        if queue.is_empty() {
            self.order.push_back(party);
        }
        queue.push_back(waiter);
        self.waiting += 1;
        Ok(())
    }

    /// The oldest waiter of the address whose turn it is.
    fn next(&mut self) -> Option<Waiter> {
        let party = self.order.pop_front()?;
        let queue = self.queues.get_mut(&party)?;
        let waiter = queue.pop_front();
        if queue.is_empty() {
            self.queues.remove(&party);
        } else {
            self.order.push_back(party);
        }
        self.waiting -= usize::from(waiter.is_some());
        waiter
    }

    /// Takes out a waiter that has gone away, if it is still there.
    fn leave(&mut self, party: Party, ticket: u64) {
        let Some(queue) = self.queues.get_mut(&party) else {
            return;
        };
        let before = queue.len();
        queue.retain(|waiter| waiter.ticket != ticket);
        self.waiting -= before - queue.len();
        if queue.is_empty() {
            self.queues.remove(&party);
            self.order.retain(|other| *other != party);
        }
    }
}

impl State {
    fn line(&mut self, known: bool) -> &mut Line {
        if known { &mut self.known } else { &mut self.strange }
    }

    fn next(&mut self) -> Option<Waiter> {
        let known = !self.known_was_last;
        let (waiter, known) = match self.line(known).next() {
            Some(waiter) => (waiter, known),
            None => (self.line(!known).next()?, !known),
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
    fn pass_on(&self) {
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
pub struct Turns(Arc<Shared>);

/// A turn; the next in line gets it when it is dropped.
#[derive(Debug)]
pub struct Turn(Arc<Shared>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.pass_on();
    }
}

/// A place in line, given up when it is dropped.
struct Place<'a> {
    shared: &'a Shared,
    claimant: Claimant,
    ticket: u64,
    called: oneshot::Receiver<()>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let Claimant { party, known } = self.claimant;
        self.shared.state().line(known).leave(party, self.ticket);
        self.called.close();
        // Called at the moment at which it left.
        if self.called.try_recv().is_ok() {
            self.shared.pass_on();
        }
    }
}

impl Turns {
    /// With these limits.
    pub fn new(limits: TurnLimits) -> Self {
        let state = State {
            free: limits.turns,
            ..State::default()
        };
        Self(Arc::new(Shared {
            limits,
            state: Mutex::new(state),
        }))
    }

    /// Whether the next claimant would have to wait.
    pub fn all_taken(&self) -> bool {
        self.0.state().free == 0
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// When there is no place to wait, or it takes too long.
    pub async fn take(&self, claimant: Claimant) -> Result<Turn, TooMany> {
        let mut place = {
            let mut state = self.0.state();
            // While there is a free one, nobody waits.
            if let Some(left) = state.free.checked_sub(1) {
                state.free = left;
                return Ok(Turn(Arc::clone(&self.0)));
            }
            let (call, called) = oneshot::channel();
            let ticket = state.next_ticket;
            state.next_ticket += 1;
            let line = state.line(claimant.known);
            line.join(claimant.party, Waiter { ticket, call }, &self.0.limits)?;
            Place {
                shared: &self.0,
                claimant,
                ticket,
                called,
            }
        };
        match tokio::time::timeout(self.0.limits.patience, &mut place.called).await {
            Ok(Ok(())) => Ok(Turn(Arc::clone(&self.0))),
            _ => Err(TooMany),
        }
    }
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
