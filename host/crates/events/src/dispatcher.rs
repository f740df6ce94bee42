//! The dispatcher: delivers published messages at the pace of the subscribers, and ends streams. One task, running
//! while there are subscribers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::time::{Instant, timeout_at};

use crate::broadcaster::Broadcaster;
use crate::subscriber::Subscriber;
use svc_identity::authentication::{Authentication, Principal};

/// Starts the dispatcher; it ends with the last subscriber or the server.
pub(super) fn start(broadcaster: Arc<Broadcaster>, authentication: Authentication) {
    let tasks = authentication.tasks().clone();
    tasks.spawn_until_end("events", async move {
        let mut dispatcher = Dispatcher {
            broadcaster,
            authentication,
            checked: None,
        };
        dispatcher.run().await;
    });
}

struct Dispatcher {
    broadcaster: Arc<Broadcaster>,
    authentication: Authentication,
    /// Revision of accounts at which all subscribers were last checked.
    checked: Option<i64>,
}

impl Dispatcher {
    async fn run(&mut self) {
        let every = self.broadcaster.limits.sweep_interval;
        let mut sweep_at = Instant::now() + every;
        loop {
            let batch = self.broadcaster.take_batch();
            if batch.is_empty() {
                // A timeout means that the sweep is due.
                let _ = timeout_at(sweep_at, self.broadcaster.wake_dispatcher.notified()).await;
            }
            if Instant::now() >= sweep_at {
                let authentication = &self.authentication;
                self.broadcaster
                    .sweep(|subscriber, ends| authentication.is_expired(&subscriber.principal, ends));
                if batch.is_empty() && self.broadcaster.stop_if_unused() {
                    return;
                }
                sweep_at = Instant::now() + every;
            }
            self.refresh_permissions().await;
            if !batch.is_empty() {
                self.deliver(&batch);
                self.wait_for_subscribers().await;
                self.broadcaster.drop_delivered();
            }
        }
    }

    /// Updates the permissions of subscribers whose accounts changed. Until then they receive no messages.
    async fn refresh_permissions(&mut self) {
        let revision = self.authentication.revision();
        if !self.broadcaster.outdated.swap(false, Ordering::AcqRel) && self.checked == Some(revision) {
            return;
        }
        let mut outdated: HashMap<Principal, Vec<Arc<Subscriber>>> = HashMap::new();
        for subscriber in self.broadcaster.subscribers().by_id.values() {
            let changed = self.authentication.revision_of(subscriber.principal.user());
            if subscriber.is_outdated(revision, changed) {
                let same = outdated.entry(subscriber.principal).or_default();
                same.push(Arc::clone(subscriber));
            }
        }
        self.checked = Some(revision);
        for (principal, subscribers) in outdated {
            match self.authentication.permissions(&principal).await {
                Ok(permissions) => {
                    for subscriber in subscribers {
                        subscriber.update(permissions.as_ref(), revision);
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "event delivery suspended: permissions cannot be read from the database");
                    self.checked = None;
                    return;
                }
            }
        }
    }

    fn deliver(&self, batch: &[Arc<super::Message>]) {
        let numbers = self.broadcaster.append(batch);
        let revision = self.authentication.revision();
        let mut too_slow = Vec::new();
        for subscriber in self.broadcaster.subscribers().by_id.values() {
            let is_too_slow = subscriber.notify(
                self.broadcaster.limits.queue,
                &self.broadcaster.lagging,
                numbers,
                revision,
                |principal, capabilities, scope| {
                    let mut messages = batch.iter();
                    messages.any(|message| message.audience.includes(principal.user(), capabilities, scope))
                },
            );
            if is_too_slow {
                too_slow.push(Arc::clone(subscriber));
            }
        }
        for subscriber in too_slow {
            tracing::info!(user = %subscriber.principal.user(), "event stream disconnected: the client is too slow");
            subscriber.disconnect();
        }
    }

    /// Returns when all subscribers have received everything, or none more did so for `patience`.
    async fn wait_for_subscribers(&self) {
        loop {
            let before = self.broadcaster.lagging.count();
            if before == 0 {
                return;
            }
            let until = Instant::now() + self.broadcaster.limits.patience;
            while self.broadcaster.lagging.count() > 0 {
                if timeout_at(until, self.broadcaster.lagging.drained())
                    .await
                    .is_err()
                {
                    break;
                }
            }
            if self.broadcaster.lagging.count() >= before {
                return;
            }
        }
    }
}
