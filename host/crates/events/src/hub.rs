//! Where messages wait: a queue of what was told, and a ring of what is being heard.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::EventLimits;
use crate::message::Message;
use crate::stream::Listener;
use svc_domain::id::UserId;
use svc_domain::time::Timestamp;

/// For those who tell: it costs next to nothing while nobody listens, and never waits.
#[derive(Debug, Clone)]
pub struct Events(pub(super) Arc<Hub>);

/// What tellers, pump and listeners share.
///
/// Locks are taken in this order: listeners, one listener's state, ring.
#[derive(Debug)]
pub(super) struct Hub {
    pub(super) limits: EventLimits,
    inbox: Mutex<VecDeque<Message>>,
    left_out: AtomicUsize,
    pub(super) ring: RwLock<Ring>,
    pub(super) listeners: Mutex<Listeners>,
    /// Their number, for tellers.
    count: AtomicUsize,
    /// Listeners that have not heard all of the ring.
    behind: AtomicUsize,
    /// A listener was last looked at before the last change of accounts.
    pub(super) outdated: AtomicBool,
    closed: AtomicBool,
    /// Wakes the pump.
    pub(super) news: Notify,
    /// Wakes the pump while it waits for the listeners.
    pub(super) heard: Notify,
}

/// The last messages, by number. Each listener has its own place in it.
#[derive(Debug, Default)]
pub(super) struct Ring {
    first: u64,
    messages: VecDeque<Arc<Message>>,
}

impl Ring {
    /// The number that the next message will have.
    pub(super) fn end(&self) -> u64 {
        self.first + self.messages.len() as u64
    }

    /// The message of this number, if it is still there.
    pub(super) fn get(&self, number: u64) -> Option<&Arc<Message>> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.messages.get(place)
    }
}

/// Who listens.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    next_id: u64,
    pub(super) by_id: HashMap<u64, Arc<Listener>>,
    /// How many each account has.
    by_user: HashMap<UserId, usize>,
    /// Whether the pump runs.
    pub(super) pumping: bool,
}

impl Default for Events {
    fn default() -> Self {
        Self::new(EventLimits::default())
    }
}

impl Events {
    /// How often streams are looked at for what is to end.
    pub fn look(&self) -> Duration {
        self.0.limits.look
    }

    /// With these limits.
    pub fn new(limits: EventLimits) -> Self {
        Self(Arc::new(Hub {
            limits,
            inbox: Mutex::default(),
            left_out: AtomicUsize::new(0),
            ring: RwLock::default(),
            listeners: Mutex::default(),
            count: AtomicUsize::new(0),
            behind: AtomicUsize::new(0),
            outdated: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            news: Notify::new(),
            heard: Notify::new(),
        }))
    }

    /// Tells something, in the order of the calls. It is made only if somebody listens.
    pub fn tell(&self, message: impl FnOnce() -> Message) {
        if self.listeners() > 0 {
            self.0.push(message());
        }
    }

    /// How many listen.
    pub fn listeners(&self) -> usize {
        self.0.count.load(Ordering::Acquire)
    }

    /// Ends all streams, and every later one at once.
    pub fn close(&self) {
        self.0.closed.store(true, Ordering::Release);
        for listener in self.0.listeners().by_id.values() {
            listener.end();
        }
    }
}

impl Hub {
    fn push(&self, message: Message) {
        {
            let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
            if inbox.len() >= self.limits.inbox && message.kind.may_be_left_out() {
                if self.left_out.fetch_add(1, Ordering::Relaxed) == 0 {
                    tracing::warn!("more happens than can be told; clients are not told of every addition");
                }
                return;
            }
            inbox.push_back(message);
        }
        self.news.notify_one();
    }

    pub(super) fn listeners(&self) -> MutexGuard<'_, Listeners> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next messages to hand out; empty when there are none.
    pub(super) fn take_batch(&self) -> Vec<Arc<Message>> {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let length = inbox.len().min(self.limits.batch);
        let batch = inbox.drain(..length).map(Arc::new).collect();
        if inbox.is_empty() {
            self.left_out.store(0, Ordering::Relaxed);
            // A burst must not leave its memory behind.
            inbox.shrink_to(self.limits.batch);
        }
        batch
    }

    /// Puts messages into the ring; tells where they begin and end.
    pub(super) fn append(&self, batch: &[Arc<Message>]) -> (u64, u64) {
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        let begin = ring.end();
        ring.messages.extend(batch.iter().cloned());
        let beyond = ring.messages.len().saturating_sub(self.limits.queue);
        ring.messages.drain(..beyond);
        ring.first += beyond as u64;
        (begin, ring.end())
    }

    /// Gives back the memory of messages that all have heard.
    pub(super) fn forget_heard(&self) {
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        if self.behind() == 0 {
            ring.first = ring.end();
            ring.messages = VecDeque::new();
        }
    }

    /// How many listeners have not heard all.
    pub(super) fn behind(&self) -> usize {
        self.behind.load(Ordering::Acquire)
    }

    pub(super) fn one_more_behind(&self) {
        self.behind.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn one_less_behind(&self) {
        if self.behind.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.heard.notify_one();
        }
    }

    /// Adds a listener of an account, made for the place in the ring where it begins; `None` if it has as many as one
    /// may.
    pub(super) fn add(
        &self,
        user: UserId,
        listener: impl FnOnce(u64) -> Listener,
    ) -> Option<(u64, Arc<Listener>, bool)> {
        let mut listeners = self.listeners();
        let of_user = listeners.by_user.entry(user).or_insert(0);
        if *of_user >= self.limits.per_account {
            return None;
        }
        *of_user += 1;
        let begin = self.ring.read().unwrap_or_else(PoisonError::into_inner).end();
        let listener = Arc::new(listener(begin));
        let id = listeners.next_id;
        listeners.next_id += 1;
        listeners.by_id.insert(id, Arc::clone(&listener));
        self.count.store(listeners.by_id.len(), Ordering::Release);
        // Under the lock, so that either this or `close` sees the other.
        if self.closed.load(Ordering::Acquire) {
            listener.end();
        }
        let first = !std::mem::replace(&mut listeners.pumping, true);
        Some((id, listener, first))
    }

    /// Takes a listener out.
    pub(super) fn remove(&self, id: u64) {
        let mut listeners = self.listeners();
        if let Some(listener) = listeners.by_id.remove(&id) {
            let user = listener.standing.user();
            if let Some(of_user) = listeners.by_user.get_mut(&user) {
                *of_user -= 1;
                if *of_user == 0 {
                    listeners.by_user.remove(&user);
                }
            }
            self.count.store(listeners.by_id.len(), Ordering::Release);
            // After thousands have gone, so is their memory.
            if listeners.by_id.len() * 4 < listeners.by_id.capacity() {
                listeners.by_id.shrink_to_fit();
            }
            if listener.state().leave() {
                self.one_less_behind();
            }
        }
    }

    /// Whether the pump may end: nobody listens. What was told to nobody is forgotten.
    pub(super) fn is_deserted(&self) -> bool {
        let mut listeners = self.listeners();
        if !listeners.by_id.is_empty() {
            return false;
        }
        listeners.pumping = false;
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).clear();
        drop(listeners);
        self.forget_heard();
        true
    }

    /// Comments that are due, streams that are over by themselves, connections that take nothing.
    pub(super) fn look(&self, is_over: impl Fn(&Listener, Option<Timestamp>) -> bool) {
        let now = Instant::now();
        let mut cut = Vec::new();
        for listener in self.listeners().by_id.values() {
            let ends = listener.state().ends();
            if is_over(listener, ends) {
                listener.end();
            }
            if listener.state().look(now, &self.limits) {
                cut.push(Arc::clone(listener));
            }
        }
        for listener in cut {
            listener.cut();
        }
    }
}
