//! Administration of plugins: list, release from quarantine, audit entries for new quarantines.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use svc_domain::audit::AuditEvent;
use svc_domain::kind::MediaKind;
use svc_identity::audit::BackgroundLog;
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_identity::{AuthContext, Context, run_to_completion};
pub use svc_plugin_host::{GrantedLimits, KindState, PluginOrigin, PluginStats, PluginStatus};
use svc_plugin_host::{PluginState, Plugins};

/// The plugins service. States are per process: each server of a database has its own plugins and quarantines.
#[derive(Debug, Clone)]
pub struct PluginAdmin {
    context: Context,
    log: BackgroundLog,
    plugins: Plugins,
    /// The quarantined plugins at the last check, with the reason.
    quarantined: Arc<Mutex<BTreeMap<String, String>>>,
}

impl PluginAdmin {
    /// Creates the service.
    pub fn new(context: Context, log: BackgroundLog, plugins: Plugins) -> Self {
        Self {
            context,
            log,
            plugins,
            quarantined: Arc::default(),
        }
    }

    /// All plugins, including those that failed to load.
    pub fn list(&self) -> Vec<PluginStatus> {
        self.plugins.list()
    }

    /// Whether files of this kind are read, and why not.
    pub fn kind_state(&self, kind: &MediaKind) -> KindState {
        self.plugins.kind_state(kind)
    }

    /// Writes an audit entry for each plugin quarantined since the last call.
    pub async fn audit_quarantines(&self) {
        for (plugin, reason) in self.newly_quarantined() {
            let details = [("plugin", plugin), ("reason", reason)];
            self.log
                .record(AuditEvent::PluginQuarantined, None, &details)
                .await;
        }
    }

    fn quarantined(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.quarantined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn newly_quarantined(&self) -> Vec<(String, String)> {
        let quarantined: BTreeMap<_, _> = self
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
        let mut before = self.quarantined();
        let new = quarantined.iter().filter(|(id, _)| !before.contains_key(*id));
        let new = new.map(|(id, reason)| (id.clone(), reason.clone())).collect();
        *before = quarantined;
        new
    }

    /// Releases a plugin from quarantine; the next run reads the files that wait for it.
    ///
    /// # Errors
    /// Not found; conflict `plugin_action_conflict` unless it is quarantined; database errors.
    pub async fn release(&self, by: AuthContext, plugin_id: String) -> Result<PluginStatus> {
        let this = self.clone();
        run_to_completion(&self.context.tasks, "plugin-release", async move {
            let mut change = this.context.change_by(&by).await?;
            let status = this.status(&plugin_id)?;
            let plugin = this.plugins.handle(&plugin_id);
            let plugin = plugin.filter(|plugin| plugin.release()).ok_or_else(|| {
                ServiceError::conflict(
                    ErrorCode::PluginActionConflict,
                    format!("the plugin is {}, not quarantined", status.state.name()),
                )
            })?;
            let details = [("plugin", plugin_id)];
            let entry = this
                .context
                .audit_of(&by, AuditEvent::PluginReleased, None, &details);
            change.audit(&entry).await?;
            change.commit_without_invalidation().await?;
            // If it is quarantined again before the next check, that is recorded as well.
            this.quarantined().remove(plugin.id());
            tracing::info!(plugin = plugin.id(), user = %by.actor.user.id, "the plugin was released from quarantine");
            Ok(plugin.status())
        })
        .await
    }

    fn status(&self, plugin_id: &str) -> Result<PluginStatus> {
        let mut plugins = self.plugins.list().into_iter();
        plugins
            .find(|plugin| plugin.id() == plugin_id)
            .ok_or(ServiceError::NotFound)
    }
}
