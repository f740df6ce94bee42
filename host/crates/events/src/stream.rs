//! Event streams: subscriptions as streams of frames.

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;

use crate::broadcaster::{Broadcaster, Events};
use crate::dispatcher;
use crate::subscriber::{State, Subscriber};
use svc_identity::actor::Actor;
use svc_identity::authentication::{Authentication, Principal};
use svc_identity::error::{ErrorCode, ServiceError};

/// An empty comment, which clients ignore.
const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// The text of a frame. A single message is shared with other subscribers; several are copied into one buffer.
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

/// Opens event streams for callers.
#[derive(Debug, Clone)]
pub struct EventStreams {
    events: Events,
    authentication: Authentication,
}

impl EventStreams {
    /// The event streams of a server.
    pub fn new(events: Events, authentication: Authentication) -> Self {
        Self {
            events,
            authentication,
        }
    }

    /// Subscribes the caller to events from now on. `disconnect` closes the connection.
    ///
    /// # Errors
    /// Conflict `too_many_streams` if the account has [`EventLimits::per_account`] streams; the store's.
    pub async fn subscribe(
        &self,
        actor: &Actor,
        disconnect: impl Fn() + Send + Sync + 'static,
    ) -> Result<Subscription, ServiceError> {
        let principal = Principal::of(actor);
        // Read before the permissions, so that a change in between is detected.
        let revision = self.authentication.revision();
        let permissions = self.authentication.permissions(&principal).await?;
        let broadcaster = Arc::clone(&self.events.0);
        let keep_alive = broadcaster.limits.keep_alive;
        let added = broadcaster.add(principal.user(), |begin| {
            let state = State::new(begin, permissions.as_ref(), revision, keep_alive);
            Subscriber::new(principal, state, disconnect)
        });
        let Some((id, subscriber, is_first)) = added else {
            let message = "the account has reached its limit of open event streams";
            return Err(ServiceError::conflict(ErrorCode::TooManyStreams, message));
        };
        let subscription = Subscription {
            id,
            subscriber,
            broadcaster,
            authentication: self.authentication.clone(),
        };
        if is_first {
            dispatcher::start(Arc::clone(&subscription.broadcaster), self.authentication.clone());
        }
        subscription.request_refresh_if_outdated(revision);
        Ok(subscription)
    }
}

/// An open event stream. Dropping it unsubscribes.
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

/// One or several messages in one buffer. The stream returns the next frame only after this one is dropped, that is,
/// sent.
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
    /// Polls for the next frame, with all pending messages up to [`EventLimits::frame_bytes`]; `None` at the end.
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

    /// Moves messages that the caller may receive now into `chunk`, until it has the size of a frame.
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
                // Overwritten. The dispatcher detects this as well and disconnects.
                break;
            };
            state.next += 1;
            if message.audience.includes(user, state.capabilities, &state.scope) {
                chunk.add(&message.text);
            }
        }
        if state.next == ring_buffer.end() && std::mem::take(&mut state.is_lagging) && !state.is_gone {
            self.broadcaster.lagging.decrement();
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
