//! Changes of the states of plugins: events for clients, audit entries for quarantines.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use svc_domain::audit::AuditEvent;
use svc_events::plugins::state_changed;
use svc_plugin_host::{PluginState, PluginStatus};

use crate::plugins::PluginAdmin;

/// The state of a plugin that is gone, in events.
const REMOVED: &str = "removed";

/// The states of plugins at the last look, by id.
#[derive(Debug)]
pub(super) struct SeenStates(BTreeMap<String, SeenState>);

/// What is announced of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SeenState {
    version: Option<String>,
    state: PluginState,
}

impl SeenState {
    fn of(status: &PluginStatus) -> Self {
        Self {
            version: status.manifest.as_ref().map(|manifest| manifest.version.clone()),
            state: status.state.clone(),
        }
    }
}

impl SeenStates {
    /// The states at the start, which are no changes.
    pub(super) fn new(statuses: &[PluginStatus]) -> Self {
        let mut states: BTreeMap<String, SeenState> = BTreeMap::new();
        // Of several files with one id, the one that is loaded counts.
        for status in statuses {
            let is_loaded = status.stats.is_some();
            if is_loaded || !states.contains_key(&status.id()) {
                states.insert(status.id(), SeenState::of(status));
            }
        }
        Self(states)
    }

    /// The plugins that differ from the last look, with `None` for those that are gone.
    fn changes(&mut self, statuses: &[PluginStatus]) -> Vec<(String, Option<SeenState>)> {
        let now = Self::new(statuses).0;
        let before = std::mem::replace(&mut self.0, now.clone());
        let gone = before.keys().filter(|id| !now.contains_key(*id));
        let mut changes: Vec<_> = gone.map(|id| (id.clone(), None)).collect();
        let changed = now
            .into_iter()
            .filter(|(id, state)| before.get(id) != Some(state));
        changes.extend(changed.map(|(id, state)| (id, Some(state))));
        changes
    }
}

impl PluginAdmin {
    /// Publishes an event for each plugin whose state changed since the last call, and writes an audit entry for each
    /// that was quarantined.
    pub async fn announce_changes(&self) {
        let statuses = self.parts().plugins.list();
        let changes = {
            let mut seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.changes(&statuses)
        };
        for (id, seen) in changes {
            let version = seen.as_ref().and_then(|seen| seen.version.as_deref());
            let state = seen.as_ref().map(|seen| &seen.state);
            let (name, reason) = state.map_or((REMOVED, None), |state| (state.name(), state.reason()));
            self.parts()
                .events
                .publish(|| state_changed(&id, version, name, reason));
            if let Some(PluginState::Quarantined { reason }) = state {
                let details = [("plugin", id.clone()), ("reason", reason.clone())];
                let log = &self.parts().log;
                log.record(AuditEvent::PluginQuarantined, None, &details).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_plugin_host::PluginOrigin;

    fn status(id: &str, state: PluginState) -> PluginStatus {
        PluginStatus {
            origin: PluginOrigin::Uploaded(id.to_owned()),
            digest: String::new(),
            manifest: None,
            state,
            abilities: Vec::new(),
            degraded: false,
            signed_by: None,
            granted: Default::default(),
            limits: Vec::new(),
            stats: None,
        }
    }

    #[test]
    fn only_differences_from_the_last_look_are_changes() {
        let active = || status("a", PluginState::Active);
        let mut seen = SeenStates::new(&[active()]);
        assert!(seen.changes(&[active()]).is_empty());
        let disabled = seen.changes(&[
            status("a", PluginState::Disabled),
            status("b", PluginState::Active),
        ]);
        let named: Vec<_> = disabled
            .iter()
            .map(|(id, seen)| (id.as_str(), seen.as_ref().map(|seen| seen.state.name())))
            .collect();
        assert_eq!(named, [("a", Some("disabled")), ("b", Some("active"))]);
        let gone = seen.changes(&[status("b", PluginState::Active)]);
        assert_eq!(gone, [("a".to_owned(), None)]);
    }
}
