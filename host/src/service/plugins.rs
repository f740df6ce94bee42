//! The plugins, as administrators see them and act on them.

use super::error::{Result, ServiceError};
use super::identity::{Context, Requester, uninterrupted};
use crate::domain::audit::AuditEvent;
use crate::plugins::Plugins;
pub use crate::plugins::{PluginStats, PluginStatus};

/// Looks at plugins and acts on them. What they stand at is this process's alone: each server of a database has its own
/// plugins, and shuts them off and releases them for itself.
#[derive(Debug, Clone)]
pub struct PluginList {
    context: Context,
    plugins: Plugins,
}

impl PluginList {
    /// Over this plugin host.
    pub fn new(context: Context, plugins: Plugins) -> Self {
        Self { context, plugins }
    }

    /// All plugins, with those that could not be loaded.
    pub fn list(&self) -> Vec<PluginStatus> {
        self.plugins.list()
    }

    /// Ends the quarantine of a plugin: the files that wait for it are read by the next run.
    ///
    /// # Errors
    /// Not found; conflict `plugin_action_conflict` unless it is quarantined; the store's.
    pub async fn release(&self, by: Requester, plugin_id: String) -> Result<PluginStatus> {
        let this = self.clone();
        uninterrupted(&self.context.tasks, "plugin-release", async move {
            let mut change = this.context.change_by(&by).await?;
            let status = this.status(&plugin_id)?;
            let plugin = this.plugins.handle(&plugin_id);
            let plugin = plugin.filter(|plugin| plugin.release()).ok_or_else(|| {
                ServiceError::conflict(
                    "plugin_action_conflict",
                    format!("the plugin is {}, not quarantined", status.state.name()),
                )
            })?;
            let details = [("plugin", plugin_id)];
            let entry = this
                .context
                .audit_of(&by, AuditEvent::PluginReleased, None, &details);
            change.audit(&entry).await?;
            change.commit_quietly().await?;
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
