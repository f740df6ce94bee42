//! The plugins, as administrators see them.

use crate::plugins::Plugins;
pub use crate::plugins::{PluginStats, PluginStatus};

/// Looks at plugins.
#[derive(Debug, Clone)]
pub struct PluginList {
    plugins: Plugins,
}

impl PluginList {
    /// Over this plugin host.
    pub fn new(plugins: Plugins) -> Self {
        Self { plugins }
    }

    /// All plugins, with those that could not be loaded.
    pub fn list(&self) -> Vec<PluginStatus> {
        self.plugins.list()
    }
}
