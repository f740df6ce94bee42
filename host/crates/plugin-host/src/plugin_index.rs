//! Selects the plugins for a file.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::manifest::ManifestFiles;
use crate::plugin::PluginHandle;
use crate::status::PluginOrigin;
use svc_domain::kind::MediaKind;

/// Plugins by ability and file type, in the order in which they are called. Plugins of the operator come before
/// built-in ones, so that they can replace them; within each group by id.
#[derive(Debug, Default)]
pub(super) struct PluginIndex {
    /// Extractors, by kind and file extension.
    pub(super) by_kind: BTreeMap<MediaKind, HashMap<String, Vec<PluginHandle>>>,
    /// Thumbnailers, by file type.
    pub(super) thumbnailers: FileTypes,
    /// Waveform analyzers, by file type.
    pub(super) waveform_analyzers: FileTypes,
}

/// Plugins by file extension and MIME type, in lower case. Only MIME types contain a slash, so the two never collide.
#[derive(Debug, Default)]
pub(super) struct FileTypes(HashMap<String, Vec<PluginHandle>>);

impl PluginIndex {
    pub(super) fn new<'a>(plugins: impl Iterator<Item = &'a PluginHandle>) -> Self {
        let mut plugins: Vec<_> = plugins.collect();
        plugins.sort_by_key(|plugin| {
            (
                matches!(plugin.0.origin, PluginOrigin::BuiltIn(_)),
                Arc::clone(&plugin.0.id),
            )
        });
        let mut routes = Self::default();
        for plugin in plugins {
            let manifest = &plugin.0.manifest;
            for kind in &manifest.kinds {
                let of_kind = routes.by_kind.entry(kind.kind.clone()).or_default();
                for extension in &kind.extensions {
                    of_kind.entry(extension.clone()).or_default().push(plugin.clone());
                }
            }
            routes.thumbnailers.add(plugin, manifest.thumbnailer.as_ref());
            routes.waveform_analyzers.add(plugin, manifest.waveform.as_ref());
        }
        routes
    }

    /// Logs which of several plugins for the same files is called first.
    pub(super) fn log_shared_extensions(&self) {
        for (kind, extensions) in &self.by_kind {
            let mut shared: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
            for (extension, plugins) in extensions.iter().filter(|(_, plugins)| plugins.len() > 1) {
                let order = plugins.iter().map(PluginHandle::id).collect();
                shared.entry(order).or_default().push(extension);
            }
            for (order, mut extensions) in shared {
                extensions.sort_unstable();
                tracing::info!(
                    %kind,
                    extensions = extensions.join(", "),
                    "several plugins read these files; in the order of calls: {}",
                    order.join(", ")
                );
            }
        }
    }
}

impl FileTypes {
    fn add(&mut self, plugin: &PluginHandle, files: Option<&ManifestFiles>) {
        let names = files.map(|files| files.extensions.iter().chain(&files.media_types));
        for name in names.into_iter().flatten() {
            self.0.entry(name.clone()).or_default().push(plugin.clone());
        }
    }

    /// The first active plugin for this file type.
    pub(super) fn active(&self, name: &str) -> Option<PluginHandle> {
        let plugins = self.0.get(&name.to_ascii_lowercase())?;
        plugins.iter().find(|plugin| plugin.is_active()).cloned()
    }
}
