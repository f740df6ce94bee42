//! Which plugins are asked for which files.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::manifest::ManifestFiles;
use crate::plugin::PluginHandle;
use crate::status::PluginOrigin;
use svc_domain::kind::MediaKind;

/// Plugins by what they are asked for, the first to be asked first. The operator's come before the server's own, for
/// nobody puts a plugin into the directory to have it passed over; among themselves they are asked in the order of their
/// ids.
#[derive(Debug, Default)]
pub(super) struct Routes {
    /// Those that say what files say about themselves, by kind and file extension.
    pub(super) by_kind: BTreeMap<MediaKind, HashMap<String, Vec<PluginHandle>>>,
    /// Those that draw pictures in smaller sizes.
    pub(super) thumbnailers: Sorts,
    /// Those that sum up sounds.
    pub(super) waveform_analyzers: Sorts,
}

/// Plugins by file extension and MIME type, which have a slash and so are never the same. Lower case.
#[derive(Debug, Default)]
pub(super) struct Sorts(HashMap<String, Vec<PluginHandle>>);

impl Routes {
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
}

impl Sorts {
    fn add(&mut self, plugin: &PluginHandle, files: Option<&ManifestFiles>) {
        let names = files.map(|files| files.extensions.iter().chain(&files.media_types));
        for name in names.into_iter().flatten() {
            self.0.entry(name.clone()).or_default().push(plugin.clone());
        }
    }

    /// The first plugin for this sort that may be called.
    pub(super) fn active(&self, name: &str) -> Option<PluginHandle> {
        let plugins = self.0.get(&name.to_ascii_lowercase())?;
        plugins.iter().find(|plugin| plugin.is_active()).cloned()
    }
}
