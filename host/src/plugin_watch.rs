//! Loads plugins again when the files of the plugin directory change.

use std::path::PathBuf;
use std::time::Duration;

use svc_domain::kind::MediaKind;
use svc_library::plugins::PluginAdmin;
use svc_plugin_host::{DirectoryState, PluginHostError, Plugins};

use crate::plugin_kinds::log_unread_directories;

/// Interval of looks at the directory. A change takes effect when two looks find the same, so that no file is read
/// while it is written.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Watches the plugin directory.
#[derive(Debug)]
pub struct PluginWatch {
    /// The plugins whose directory is watched.
    pub plugins: Plugins,
    /// Loads them again.
    pub service: PluginAdmin,
    /// The configured media directories.
    pub media: Vec<(MediaKind, PathBuf)>,
}

impl PluginWatch {
    /// Watches until the server stops.
    pub async fn run(self) {
        let mut seen: Option<DirectoryState> = None;
        let mut is_readable = true;
        let mut look = tokio::time::interval(LOOK_EVERY);
        loop {
            look.tick().await;
            match self.blocking(|plugins| plugins.directory_change()).await {
                Some(Ok(change)) => {
                    is_readable = true;
                    if change.is_some() && change == seen {
                        self.reload().await;
                    }
                    seen = change;
                }
                Some(Err(error)) => {
                    if is_readable {
                        tracing::warn!(%error, "changes of plugins are not noticed until it can be read again");
                    }
                    is_readable = false;
                }
                None => {}
            }
        }
    }

    async fn reload(&self) {
        tracing::info!("the plugin directory changed; its plugins are loaded again");
        match self.service.reload().await {
            Ok(()) => log_unread_directories(&self.media, &self.plugins),
            Err(error) => tracing::error!(%error, "the plugins could not be loaded again"),
        }
    }

    /// Calls the plugin host on a thread that may block; `None` if it panicked, which is logged.
    async fn blocking<T: Send + 'static>(
        &self,
        call: impl FnOnce(Plugins) -> Result<T, PluginHostError> + Send + 'static,
    ) -> Option<Result<T, PluginHostError>> {
        let plugins = self.plugins.clone();
        tokio::task::spawn_blocking(move || call(plugins)).await.ok()
    }
}
