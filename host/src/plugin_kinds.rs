//! The kinds that plugins define: their schemas go to the store, and directories without a plugin are reported.

use std::path::PathBuf;

use svc_domain::kind::MediaKind;
use svc_plugin_host::Plugins;
use svc_store::{Store, StoreError};

/// Stores the schemas of the loaded plugins, so that lists know them even when a plugin is gone.
///
/// # Errors
/// Database errors.
pub async fn store_kinds(store: &Store, plugins: &Plugins) -> Result<(), StoreError> {
    for kind in plugins.kind_schemas() {
        store
            .kinds
            .store_kind(&kind.schema, &kind.plugin_id, &kind.plugin_version)
            .await?;
    }
    Ok(())
}

/// Logs the directories whose files are not read, because no plugin reads their kind.
pub fn log_unread_directories(media: &[(MediaKind, PathBuf)], plugins: &Plugins) {
    for (kind, directory) in media {
        if let Some(reason) = plugins.kind_state(kind).reason() {
            let directory = directory.display();
            tracing::warn!(%kind, %directory, "files of this directory are not indexed: {reason}");
        }
    }
}
