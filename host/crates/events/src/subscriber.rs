//! A subscriber: the permissions of its caller and its position in the ring buffer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use crate::EventLimits;
use crate::lagging::Lagging;
use svc_domain::library::MediaScope;
use svc_domain::time::Timestamp;
use svc_identity::authentication::{PermissionSnapshot, Principal};
use svc_identity::capability::CapabilitySet;

/// A subscriber, shared by its connection and the dispatcher.
pub(super) struct Subscriber {
    pub(super) principal: Principal,
    state: Mutex<State>,
    /// Closes the connection: one that accepts no data does not notice the end of its stream.
    disconnect: Box<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscriber")
            .field("principal", &self.principal)
            .finish_non_exhaustive()
    }
}

/// Small, since there may be ten thousand.
pub(super) struct State {
    /// Sequence number of the next message to receive.
    pub(super) next: u64,
    pub(super) capabilities: CapabilitySet,
    pub(super) scope: MediaScope,
    /// Revision of accounts at which the permissions were read.
    pub(super) revision: i64,
    /// When the token expires, if that ends the stream.
    ends: Option<Timestamp>,
    pub(super) waker: Option<Waker>,
    comment_at: Instant,
    /// Since when the connection has had an unsent frame.
    pub(super) sending_since: Option<Instant>,
    pub(super) ended_at: Option<Instant>,
    pub(super) is_lagging: bool,
    pub(super) is_gone: bool,
    pub(super) wants_comment: bool,
}

impl State {
    /// The state of a subscriber whose next message is `next`; ended already if there are no permissions.
    pub(super) fn new(
        next: u64,
        permissions: Option<&PermissionSnapshot>,
        revision: i64,
        keep_alive: Duration,
    ) -> Self {
        Self {
            next,
            capabilities: permissions
                .map(|permissions| permissions.capabilities)
                .unwrap_or_default(),
            scope: permissions.map_or_else(
                || MediaScope::classes([]),
                |permissions| permissions.scope.clone(),
            ),
            revision,
            ends: permissions.and_then(|permissions| permissions.ends),
            waker: None,
            comment_at: Instant::now() + keep_alive,
            sending_since: None,
            ended_at: permissions.is_none().then(Instant::now),
            is_lagging: false,
            is_gone: false,
            // An immediate comment shows proxies and clients that the stream is open.
            wants_comment: true,
        }
    }

    /// Makes the connection poll the stream.
    pub(super) fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// When the token expires.
    pub(super) fn ends(&self) -> Option<Timestamp> {
        self.ends
    }

    /// Marks the subscriber as removed; returns whether it was lagging.
    pub(super) fn unregister(&mut self) -> bool {
        self.is_gone = true;
        std::mem::take(&mut self.is_lagging)
    }

    /// Requests a comment if it is due; returns whether to disconnect.
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
    pub(super) fn new(
        principal: Principal,
        state: State,
        disconnect: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self {
            principal,
            state: Mutex::new(state),
            disconnect: Box::new(disconnect),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the stream; the connection notices at its next poll.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.ended_at.get_or_insert_with(Instant::now);
        state.wake();
    }

    /// Ends the stream and closes the connection.
    pub(super) fn disconnect(&self) {
        self.end();
        (self.disconnect)();
    }

    /// Whether its account changed, at revision `changed`, after its permissions were read. If not, they are valid for
    /// `revision` too.
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

    /// Sets the permissions at this revision of accounts; `None` ends the stream.
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

    /// Announces the messages from `begin` to `end` (exclusive); `is_addressed` decides whether any of them is for the
    /// caller. Returns whether the subscriber is more than `queue` messages behind.
    pub(super) fn notify(
        &self,
        queue: usize,
        lagging: &Lagging,
        (begin, end): (u64, u64),
        revision: i64,
        is_addressed: impl Fn(&Principal, CapabilitySet, &MediaScope) -> bool,
    ) -> bool {
        let mut state = self.state();
        if state.ended_at.is_some() || state.is_gone || state.next >= end {
            return false;
        }
        if end.saturating_sub(state.next) > queue as u64 {
            return true;
        }
        // A subscriber without a message in the batch is not woken.
        let up_to_date = state.next == begin && state.revision == revision;
        if up_to_date && !is_addressed(&self.principal, state.capabilities, &state.scope) {
            state.next = end;
            return false;
        }
        if !std::mem::replace(&mut state.is_lagging, true) {
            lagging.increment();
        }
        if state.sending_since.is_none() {
            state.wake();
        }
        false
    }
}
