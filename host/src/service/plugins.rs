//! The plugins, as administrators see them, and word of those that are shut off.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::identity::audit::BackgroundLog;
use crate::domain::audit::AuditEvent;
use crate::plugins::{PluginState, Plugins};
pub use crate::plugins::{PluginStats, PluginStatus};

/// Looks at plugins.
#[derive(Debug, Clone)]
pub struct PluginList {
    plugins: Plugins,
    /// Those that were shut off when last looked at, and why.
    shut_off: Arc<Mutex<BTreeMap<String, String>>>,
}

impl PluginList {
    /// Over this plugin host.
    pub fn new(plugins: Plugins) -> Self {
        Self {
            plugins,
            shut_off: Arc::default(),
        }
    }

    /// All plugins, with those that could not be loaded.
    pub fn list(&self) -> Vec<PluginStatus> {
        self.plugins.list()
    }

    /// Writes a line of the audit log about each plugin that was shut off since this was last called.
    pub async fn note_quarantines(&self, log: &BackgroundLog) {
        for (plugin, reason) in self.newly_shut_off() {
            let details = [("plugin", plugin), ("reason", reason)];
            log.note(AuditEvent::PluginQuarantined, None, &details).await;
        }
    }

    fn newly_shut_off(&self) -> Vec<(String, String)> {
        let shut_off: BTreeMap<_, _> = self
            .list()
            .into_iter()
            .filter_map(|status| match status.state {
                PluginState::Quarantined { reason } => {
                    let id = status.manifest.map(|manifest| manifest.id);
                    Some((id.unwrap_or_else(|| status.origin.label()), reason))
                }
                _ => None,
            })
            .collect();
        let mut before = self.shut_off.lock().unwrap_or_else(PoisonError::into_inner);
        let new = shut_off.iter().filter(|(id, _)| !before.contains_key(*id));
        let new = new.map(|(id, reason)| (id.clone(), reason.clone())).collect();
        *before = shut_off;
        new
    }
}
