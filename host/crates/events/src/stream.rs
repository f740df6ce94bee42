//! One listener: what it may hear at this moment, and what it has not heard yet.

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::Bytes;

use crate::broadcaster::{Broadcaster, Events};
use crate::{EventLimits, dispatcher};
use svc_domain::library::MediaScope;
use svc_domain::time::Timestamp;
use svc_identity::actor::Actor;
use svc_identity::authentication::{Authentication, PermissionSnapshot, Principal};
use svc_identity::capability::CapabilitySet;
use svc_identity::error::{ErrorCode, ServiceError};

/// A line that says nothing: all clients pass over it.
const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// What goes out in one piece. A single message is passed on as it is, shared by all; only several are copied.
#[derive(Default)]
struct Chunk {
    only: Bytes,
    merged: Vec<u8>,
}

impl Chunk {
    fn add(&mut self, text: &Bytes) {
        if self.is_empty() {
            self.only = text.clone();
            return;
        }
        if self.merged.is_empty() {
            self.merged.extend_from_slice(&std::mem::take(&mut self.only));
        }
        self.merged.extend_from_slice(text);
    }

    fn len(&self) -> usize {
        self.only.len() + self.merged.len()
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl From<Chunk> for Bytes {
    fn from(chunk: Chunk) -> Self {
        if chunk.merged.is_empty() {
            chunk.only
        } else {
            chunk.merged.into()
        }
    }
}

/// Opens streams.
#[derive(Debug, Clone)]
pub struct EventStreams {
    events: Events,
    authentication: Authentication,
}

/// A listener as its connection and the pump share it.
pub(super) struct Subscriber {
    pub(super) principal: Principal,
    state: Mutex<State>,
    /// Breaks the connection off: one that takes nothing cannot be told that its stream is over.
    disconnect: Box<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener")
            .field("standing", &self.principal)
            .finish_non_exhaustive()
    }
}

/// Kept small: there are ten thousand of them.
pub(super) struct State {
    /// The number of the message that it hears next.
    next: u64,
    capabilities: CapabilitySet,
    scope: MediaScope,
    /// The state of accounts that these are of.
    revision: i64,
    /// When its token is over, where that ends the stream.
    ends: Option<Timestamp>,
    waker: Option<Waker>,
    comment_at: Instant,
    /// Since when its connection has had a piece that is not sent.
    sending_since: Option<Instant>,
    ended_at: Option<Instant>,
    is_lagging: bool,
    is_gone: bool,
    wants_comment: bool,
}

impl State {
    /// Makes the connection ask.
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// When its token is over.
    pub(super) fn ends(&self) -> Option<Timestamp> {
        self.ends
    }

    /// It is not counted any more; tells whether it was behind.
    pub(super) fn leave(&mut self) -> bool {
        self.is_gone = true;
        std::mem::take(&mut self.is_lagging)
    }

    /// Wakes it for a comment that is due; tells whether it is to be cut off.
    pub(super) fn sweep(&mut self, now: Instant, limits: &EventLimits) -> bool {
        if self.comment_at <= now + limits.sweep_interval / 2 {
            self.comment_at = now + limits.keep_alive;
            self.wants_comment = true;
            self.wake();
        }
        let since = |moment: Option<Instant>| moment.map(|moment| now.saturating_duration_since(moment));
        since(self.sending_since).is_some_and(|time| time >= limits.stall)
            || since(self.ended_at).is_some_and(|time| time >= limits.sweep_interval)
    }
}

impl Subscriber {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the stream in good order: its connection finds that nothing more comes.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.ended_at.get_or_insert_with(Instant::now);
        state.wake();
    }

    /// Breaks the connection off.
    pub(super) fn disconnect(&self) {
        self.end();
        (self.disconnect)();
    }

    /// Whether its account has `changed` since it was last looked at. If not, what it may hear is of this state of
    /// accounts as well.
    pub(super) fn is_outdated(&self, revision: i64, changed: i64) -> bool {
        let mut state = self.state();
        if state.ended_at.is_some() {
            return false;
        }
        if changed > state.revision {
            return true;
        }
        if state.revision != revision {
            state.revision = revision;
            if state.is_lagging {
                state.wake();
            }
        }
        false
    }

    /// What its caller may by this state of accounts; `None` ends the stream.
    pub(super) fn update(&self, permissions: Option<&PermissionSnapshot>, revision: i64) {
        let Some(permissions) = permissions else {
            return self.end();
        };
        let mut state = self.state();
        state.capabilities = permissions.capabilities;
        state.scope = permissions.scope.clone();
        state.ends = permissions.ends;
        state.revision = revision;
        if state.is_lagging {
            state.wake();
        }
    }

    /// There are messages from `begin` to `end`; `concerns` tells whether one of them is for these capabilities. Tells
    /// whether it is too far behind.
    pub(super) fn notify(
        &self,
        broadcaster: &Broadcaster,
        (begin, end): (u64, u64),
        revision: i64,
        is_addressed: impl Fn(&Principal, CapabilitySet, &MediaScope) -> bool,
    ) -> bool {
        let mut state = self.state();
        if state.ended_at.is_some() || state.is_gone || state.next >= end {
            return false;
        }
        if end.saturating_sub(state.next) > broadcaster.limits.queue as u64 {
            return true;
        }
        // Whom it does not concern is not even woken.
        let up_to_date = state.next == begin && state.revision == revision;
        if up_to_date && !is_addressed(&self.principal, state.capabilities, &state.scope) {
            state.next = end;
            return false;
        }
        if !std::mem::replace(&mut state.is_lagging, true) {
            broadcaster.increment_lagging();
        }
        if state.sending_since.is_none() {
            state.wake();
        }
        false
    }
}

impl EventStreams {
    /// Over these.
    pub fn new(events: Events, authentication: Authentication) -> Self {
        Self {
            events,
            authentication,
        }
    }

    /// Listens as this caller, from now on. `cut` breaks the connection off.
    ///
    /// # Errors
    /// Conflict `too_many_streams` when the account has as many as one may; the store's.
    pub async fn subscribe(
        &self,
        actor: &Actor,
        disconnect: impl Fn() + Send + Sync + 'static,
    ) -> Result<Subscription, ServiceError> {
        let principal = Principal::of(actor);
        // Read before the question, so that a change in between is seen.
        let revision = self.authentication.revision();
        let permissions = self.authentication.permissions(&principal).await?;
        let broadcaster = Arc::clone(&self.events.0);
        let added = broadcaster.add(principal.user(), |begin| Subscriber {
            principal,
            state: Mutex::new(State {
                next: begin,
                capabilities: permissions
                    .as_ref()
                    .map(|permissions| permissions.capabilities)
                    .unwrap_or_default(),
                scope: permissions.as_ref().map_or_else(
                    || MediaScope::classes([]),
                    |permissions| permissions.scope.clone(),
                ),
                revision,
                ends: permissions.as_ref().and_then(|permissions| permissions.ends),
                waker: None,
                comment_at: Instant::now() + broadcaster.limits.keep_alive,
                sending_since: None,
                ended_at: permissions.is_none().then(Instant::now),
                is_lagging: false,
                is_gone: false,
                // What is sent at once tells proxies and clients that the stream is open.
                wants_comment: true,
            }),
            disconnect: Box::new(disconnect),
        });
        let Some((id, subscriber, first)) = added else {
            let message = "this account has as many event streams open as one may";
            return Err(ServiceError::conflict(ErrorCode::TooManyStreams, message));
        };
        let subscription = Subscription {
            id,
            subscriber,
            broadcaster,
            authentication: self.authentication.clone(),
        };
        if first {
            dispatcher::start(Arc::clone(&subscription.broadcaster), self.authentication.clone());
        }
        subscription.request_refresh_if_outdated(revision);
        Ok(subscription)
    }
}

/// An open stream. Whoever drops it listens no more.
#[derive(Debug)]
pub struct Subscription {
    id: u64,
    subscriber: Arc<Subscriber>,
    broadcaster: Arc<Broadcaster>,
    authentication: Authentication,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.broadcaster.remove(self.id);
    }
}

/// Some messages on their way. The next ones are given out when this is dropped, which is when it is sent.
#[derive(Debug)]
pub struct Frame {
    text: Bytes,
    subscriber: Arc<Subscriber>,
}

impl AsRef<[u8]> for Frame {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        let mut state = self.subscriber.state();
        state.sending_since = None;
        if state.is_lagging || state.wants_comment || state.ended_at.is_some() {
            state.wake();
        }
    }
}

impl futures_util::Stream for Subscription {
    type Item = Frame;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Frame>> {
        Self::poll_next(&self, context)
    }
}

impl Subscription {
    /// The next messages, all that wait in one piece; `None` at the end.
    pub fn poll_next(&self, context: &mut Context<'_>) -> Poll<Option<Frame>> {
        let mut state = self.subscriber.state();
        let mut chunk = Chunk::default();
        if state.sending_since.is_none() {
            if state.ended_at.is_some() {
                return Poll::Ready(None);
            }
            if state.is_lagging {
                self.take_messages(&mut state, &mut chunk);
            }
            if std::mem::take(&mut state.wants_comment) {
                chunk.add(&COMMENT);
            }
        }
        if chunk.is_empty() {
            let same = state
                .waker
                .as_ref()
                .is_some_and(|old| old.will_wake(context.waker()));
            if !same {
                state.waker = Some(context.waker().clone());
            }
            return Poll::Pending;
        }
        state.sending_since = Some(Instant::now());
        drop(state);
        let subscriber = Arc::clone(&self.subscriber);
        let text = chunk.into();
        Poll::Ready(Some(Frame { text, subscriber }))
    }

    /// What is for the caller as they are now, and no more than a piece holds.
    fn take_messages(&self, state: &mut State, chunk: &mut Chunk) {
        if self.request_refresh_if_outdated(state.revision) {
            return;
        }
        let user = self.subscriber.principal.user();
        let ring_buffer = self
            .broadcaster
            .ring_buffer
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        while state.next < ring_buffer.end() && chunk.len() < self.broadcaster.limits.frame_bytes {
            let Some(message) = ring_buffer.get(state.next) else {
                // Overtaken. The pump has seen it as well, and cuts the connection off.
                break;
            };
            state.next += 1;
            if message.audience.includes(user, state.capabilities, &state.scope) {
                chunk.add(&message.text);
            }
        }
        if state.next == ring_buffer.end() && std::mem::take(&mut state.is_lagging) && !state.is_gone {
            self.broadcaster.decrement_lagging();
        }
    }

    fn request_refresh_if_outdated(&self, revision: i64) -> bool {
        let outdated = revision != self.authentication.revision();
        if outdated {
            self.broadcaster.outdated.store(true, Ordering::Release);
            self.broadcaster.wake_dispatcher.notify_one();
        }
        outdated
    }
}
