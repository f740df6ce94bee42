//! Hands messages out at the pace of the listeners, and ends what is to end. One task, while anybody listens.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::time::{Instant, timeout_at};

use crate::hub::Hub;
use crate::stream::Listener;
use svc_identity::authentication::{Authentication, Standing};

/// Runs until nobody listens any more, or the server ends.
pub(super) fn start(hub: Arc<Hub>, authentication: Authentication) {
    let tasks = authentication.tasks().clone();
    tasks.spawn_until_end("events", async move {
        let mut pump = Pump {
            hub,
            authentication,
            checked: None,
        };
        pump.run().await;
    });
}

struct Pump {
    hub: Arc<Hub>,
    authentication: Authentication,
    /// The state of accounts for which all listeners were last looked at.
    checked: Option<i64>,
}

impl Pump {
    async fn run(&mut self) {
        let every = self.hub.limits.look;
        let mut look_at = Instant::now() + every;
        loop {
            let batch = self.hub.take_batch();
            if batch.is_empty() {
                // An error is the time to look.
                let _ = timeout_at(look_at, self.hub.news.notified()).await;
            }
            if Instant::now() >= look_at {
                let authentication = &self.authentication;
                self.hub
                    .look(|listener, ends| authentication.is_over(&listener.standing, ends));
                if batch.is_empty() && self.hub.is_deserted() {
                    return;
                }
                look_at = Instant::now() + every;
            }
            self.follow_accounts().await;
            if !batch.is_empty() {
                self.hand_out(&batch);
                self.wait_for_listeners().await;
                self.hub.forget_heard();
            }
        }
    }

    /// Looks again at every listener that a change of accounts is about. Until then they get nothing that was told since.
    async fn follow_accounts(&mut self) {
        let revision = self.authentication.revision();
        if !self.hub.outdated.swap(false, Ordering::AcqRel) && self.checked == Some(revision) {
            return;
        }
        let mut outdated: HashMap<Standing, Vec<Arc<Listener>>> = HashMap::new();
        for listener in self.hub.listeners().by_id.values() {
            let changed = self.authentication.revision_of(listener.standing.user());
            if listener.is_outdated(revision, changed) {
                let same = outdated.entry(listener.standing).or_default();
                same.push(Arc::clone(listener));
            }
        }
        self.checked = Some(revision);
        for (standing, listeners) in outdated {
            match self.authentication.still(&standing).await {
                Ok(still) => {
                    for listener in listeners {
                        listener.update(still.as_ref(), revision);
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "event streams wait: the database does not say who may hear them");
                    self.checked = None;
                    return;
                }
            }
        }
    }

    fn hand_out(&self, batch: &[Arc<super::Message>]) {
        let numbers = self.hub.append(batch);
        let revision = self.authentication.revision();
        let mut too_far = Vec::new();
        for listener in self.hub.listeners().by_id.values() {
            let is_too_far =
                listener.announce(&self.hub, numbers, revision, |standing, capabilities, scope| {
                    let mut messages = batch.iter();
                    messages.any(|message| message.audience.includes(standing.user(), capabilities, scope))
                });
            if is_too_far {
                too_far.push(Arc::clone(listener));
            }
        }
        for listener in too_far {
            tracing::info!(user = %listener.standing.user(), "an event stream that is not read was cut off");
            listener.cut();
        }
    }

    /// Goes on as soon as all have heard, or as nobody else does within the patience.
    async fn wait_for_listeners(&self) {
        loop {
            let before = self.hub.behind();
            if before == 0 {
                return;
            }
            let until = Instant::now() + self.hub.limits.patience;
            while self.hub.behind() > 0 {
                if timeout_at(until, self.hub.heard.notified()).await.is_err() {
                    break;
                }
            }
            if self.hub.behind() >= before {
                return;
            }
        }
    }
}
