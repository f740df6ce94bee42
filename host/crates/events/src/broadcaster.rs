//! The broadcaster: the inbox of published messages, the ring buffer of messages in delivery, the list of subscribers.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::EventLimits;
use crate::lagging::Lagging;
use crate::message::Message;
use crate::subscriber::Subscriber;
use svc_domain::id::UserId;
use svc_domain::time::Timestamp;

/// The publishing side. Never blocks, and costs next to nothing without subscribers. Clones share one broadcaster.
#[derive(Debug, Clone)]
pub struct Events(pub(super) Arc<Broadcaster>);

/// State shared by publishers, dispatcher and subscribers.
///
/// Lock order: `subscribers`, the state of one subscriber, `ring_buffer`.
#[derive(Debug)]
pub(super) struct Broadcaster {
    pub(super) limits: EventLimits,
    inbox: Mutex<VecDeque<Message>>,
    dropped: AtomicUsize,
    pub(super) ring_buffer: RwLock<RingBuffer>,
    pub(super) subscribers: Mutex<Subscribers>,
    /// Number of subscribers, read by publishers without a lock.
    count: AtomicUsize,
    pub(super) lagging: Lagging,
    /// Whether some subscriber's permissions are older than the last change of accounts.
    pub(super) outdated: AtomicBool,
    closed: AtomicBool,
    /// Wakes the dispatcher for new messages.
    pub(super) wake_dispatcher: Notify,
}

/// The last messages by sequence number. Each subscriber has its own position in it.
#[derive(Debug, Default)]
pub(super) struct RingBuffer {
    first: u64,
    messages: VecDeque<Arc<Message>>,
}

impl RingBuffer {
    /// Sequence number of the next message.
    pub(super) fn end(&self) -> u64 {
        self.first + self.messages.len() as u64
    }

    /// The message with this sequence number, if it is still in the buffer.
    pub(super) fn get(&self, number: u64) -> Option<&Arc<Message>> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.messages.get(place)
    }
}

/// The open event streams.
#[derive(Debug, Default)]
pub(super) struct Subscribers {
    next_id: u64,
    pub(super) by_id: HashMap<u64, Arc<Subscriber>>,
    /// Number of streams per account.
    by_user: HashMap<UserId, usize>,
    /// Whether the dispatcher is running.
    pub(super) is_dispatching: bool,
}

impl Default for Events {
    fn default() -> Self {
        Self::new(EventLimits::default())
    }
}

impl Events {
    /// The interval at which expired streams are ended.
    pub fn sweep_interval(&self) -> Duration {
        self.0.limits.sweep_interval
    }

    /// A broadcaster without subscribers.
    pub fn new(limits: EventLimits) -> Self {
        Self(Arc::new(Broadcaster {
            limits,
            inbox: Mutex::default(),
            dropped: AtomicUsize::new(0),
            ring_buffer: RwLock::default(),
            subscribers: Mutex::default(),
            count: AtomicUsize::new(0),
            lagging: Lagging::default(),
            outdated: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            wake_dispatcher: Notify::new(),
        }))
    }

    /// Publishes a message; delivery is in the order of the calls. `message` is called only if there are subscribers.
    pub fn publish(&self, message: impl FnOnce() -> Message) {
        if self.subscribers() > 0 {
            self.0.push(message());
        }
    }

    /// Number of subscribers.
    pub fn subscribers(&self) -> usize {
        self.0.count.load(Ordering::Acquire)
    }

    /// Closes all streams, and every later one at once.
    pub fn close(&self) {
        self.0.closed.store(true, Ordering::Release);
        for subscriber in self.0.subscribers().by_id.values() {
            subscriber.end();
        }
    }
}

impl Broadcaster {
    fn push(&self, message: Message) {
        {
            let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
            if inbox.len() >= self.limits.inbox && message.kind.is_droppable() {
                if self.dropped.fetch_add(1, Ordering::Relaxed) == 0 {
                    tracing::warn!("event inbox is full; droppable events are discarded");
                }
                return;
            }
            inbox.push_back(message);
        }
        self.wake_dispatcher.notify_one();
    }

    pub(super) fn subscribers(&self) -> MutexGuard<'_, Subscribers> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next messages to deliver from the inbox; may be empty.
    pub(super) fn take_batch(&self) -> Vec<Arc<Message>> {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let length = inbox.len().min(self.limits.batch);
        let batch = inbox.drain(..length).map(Arc::new).collect();
        if inbox.is_empty() {
            self.dropped.store(0, Ordering::Relaxed);
            // Releases the memory of a burst.
            inbox.shrink_to(self.limits.batch);
        }
        batch
    }

    /// Appends messages to the ring buffer; returns the range of their sequence numbers.
    pub(super) fn append(&self, batch: &[Arc<Message>]) -> (u64, u64) {
        let mut ring_buffer = self.ring_buffer.write().unwrap_or_else(PoisonError::into_inner);
        let begin = ring_buffer.end();
        ring_buffer.messages.extend(batch.iter().cloned());
        let beyond = ring_buffer.messages.len().saturating_sub(self.limits.queue);
        ring_buffer.messages.drain(..beyond);
        ring_buffer.first += beyond as u64;
        (begin, ring_buffer.end())
    }

    /// Removes the messages from the ring buffer if all subscribers have received them.
    pub(super) fn drop_delivered(&self) {
        let mut ring_buffer = self.ring_buffer.write().unwrap_or_else(PoisonError::into_inner);
        if self.lagging.count() == 0 {
            ring_buffer.first = ring_buffer.end();
            ring_buffer.messages = VecDeque::new();
        }
    }

    /// Adds a subscriber, which `subscriber` builds for its first sequence number. Returns its id and whether it is the
    /// first; `None` if the account has [`EventLimits::per_account`] streams.
    pub(super) fn add(
        &self,
        user: UserId,
        subscriber: impl FnOnce(u64) -> Subscriber,
    ) -> Option<(u64, Arc<Subscriber>, bool)> {
        let mut subscribers = self.subscribers();
        let of_user = subscribers.by_user.entry(user).or_insert(0);
        if *of_user >= self.limits.per_account {
            return None;
        }
        *of_user += 1;
        let begin = self
            .ring_buffer
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .end();
        let subscriber = Arc::new(subscriber(begin));
        let id = subscribers.next_id;
        subscribers.next_id += 1;
        subscribers.by_id.insert(id, Arc::clone(&subscriber));
        self.count.store(subscribers.by_id.len(), Ordering::Release);
        // Under the lock: either `close` finds the new subscriber or this finds `closed`.
        if self.closed.load(Ordering::Acquire) {
            subscriber.end();
        }
        let is_first = !std::mem::replace(&mut subscribers.is_dispatching, true);
        Some((id, subscriber, is_first))
    }

    /// Removes a subscriber.
    pub(super) fn remove(&self, id: u64) {
        let mut subscribers = self.subscribers();
        if let Some(subscriber) = subscribers.by_id.remove(&id) {
            let user = subscriber.principal.user();
            if let Some(of_user) = subscribers.by_user.get_mut(&user) {
                *of_user -= 1;
                if *of_user == 0 {
                    subscribers.by_user.remove(&user);
                }
            }
            self.count.store(subscribers.by_id.len(), Ordering::Release);
            // Releases the memory after thousands have disconnected.
            if subscribers.by_id.len() * 4 < subscribers.by_id.capacity() {
                subscribers.by_id.shrink_to_fit();
            }
            if subscriber.state().unregister() {
                self.lagging.decrement();
            }
        }
    }

    /// Stops dispatching if there are no subscribers, and discards the inbox. True if it stopped.
    pub(super) fn stop_if_unused(&self) -> bool {
        let mut subscribers = self.subscribers();
        if !subscribers.by_id.is_empty() {
            return false;
        }
        subscribers.is_dispatching = false;
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).clear();
        drop(subscribers);
        self.drop_delivered();
        true
    }

    /// Sends due comments, ends expired streams and disconnects stalled connections.
    pub(super) fn sweep(&self, is_expired: impl Fn(&Subscriber, Option<Timestamp>) -> bool) {
        let now = Instant::now();
        let mut disconnect = Vec::new();
        for subscriber in self.subscribers().by_id.values() {
            let ends = subscriber.state().ends();
            if is_expired(subscriber, ends) {
                subscriber.end();
            }
            if subscriber.state().sweep(now, &self.limits) {
                disconnect.push(Arc::clone(subscriber));
            }
        }
        for subscriber in disconnect {
            subscriber.disconnect();
        }
    }
}
