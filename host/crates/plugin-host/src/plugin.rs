//! A loaded plugin.

use std::fmt;
use std::sync::Arc;

use wasmtime::component::InstancePre;

use crate::budget::Budgets;
use crate::call::{CallState, SettingValues};
use crate::exports::ExportIndices;
use crate::granted_limits::AbilityLimits;
use crate::manifest::Manifest;
use crate::quarantine::Quarantine;
use crate::settings::Isolation;
use crate::stats::SharedStats;
use crate::status::{PluginOrigin, PluginState, PluginStatus};
use crate::validate::OwnTypes;
use svc_domain::erased::Erased;
use svc_domain::kind::MediaKind;

/// A loaded plugin, shared by all workers.
pub(super) struct LoadedPlugin {
    pub(super) id: Arc<str>,
    pub(super) manifest: Manifest,
    pub(super) origin: PluginOrigin,
    /// Of the component.
    pub(super) component_digest: String,
    /// Of the component, and of its settings where they are not the defaults.
    pub(super) digest: String,
    pub(super) signed_by: Option<String>,
    pub(super) settings: SettingValues,
    pub(super) limits: AbilityLimits,
    pub(super) own_types: OwnTypes,
    pub(super) isolation: Isolation,
    pub(super) code: Erased<PluginCode>,
    pub(super) stats: SharedStats,
    pub(super) quarantine: Quarantine,
    pub(super) budgets: Budgets,
}

/// The machine code of a plugin, with the places of the functions that it exports.
pub(super) struct PluginCode {
    pub(super) instance_pre: InstancePre<CallState>,
    pub(super) exports: ExportIndices,
}

/// A plugin to be called through a `Worker`. Cheap to clone.
#[derive(Clone)]
pub struct PluginHandle(pub(super) Arc<LoadedPlugin>);

impl PluginHandle {
    /// Id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Version of the plugin.
    pub fn version(&self) -> &str {
        &self.0.manifest.version
    }

    /// SHA-256 in hexadecimal of the component, and of its settings where they are not the defaults. What a plugin with
    /// another digest read may be stale.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// SHA-256 of the component in hexadecimal.
    pub fn component_digest(&self) -> &str {
        &self.0.component_digest
    }

    /// The kinds whose files it reads.
    pub(super) fn kinds(&self) -> Vec<MediaKind> {
        let kinds = self.0.manifest.kinds.iter();
        kinds.map(|kind| kind.kind.clone()).collect()
    }

    /// Whether it exports `artwork`.
    pub fn has_artwork(&self) -> bool {
        self.0.code.exports.read_picture.is_some()
    }

    /// Whether it exports `pages`.
    pub fn has_pages(&self) -> bool {
        self.0.code.exports.list_pages.is_some()
    }

    /// The abilities that it exports.
    fn abilities(&self) -> Vec<&'static str> {
        let exports = &self.0.code.exports;
        let abilities = [
            ("extractor", exports.extract.is_some()),
            ("artwork", exports.read_picture.is_some()),
            ("pages", exports.list_pages.is_some()),
            ("thumbnailer", exports.render.is_some()),
            ("waveform", exports.analyze.is_some()),
        ];
        let exported = abilities.into_iter().filter(|(_, is_exported)| *is_exported);
        exported.map(|(name, _)| name).collect()
    }

    /// Whether it may be called: it is not quarantined.
    pub fn is_active(&self) -> bool {
        !self.0.quarantine.is_quarantined()
    }

    /// Why it is quarantined, if it is.
    pub fn quarantine_reason(&self) -> Option<String> {
        self.0.quarantine.quarantine_reason()
    }

    /// Ends its quarantine. False if it was not quarantined.
    pub fn release(&self) -> bool {
        self.0.quarantine.release()
    }

    /// The current status.
    pub fn status(&self) -> PluginStatus {
        let plugin = &self.0;
        PluginStatus {
            origin: plugin.origin.clone(),
            digest: plugin.component_digest.clone(),
            manifest: Some(plugin.manifest.clone()),
            state: PluginState::of_loaded(plugin.quarantine.quarantine_reason()),
            abilities: self.abilities(),
            degraded: plugin.quarantine.is_degraded(),
            signed_by: plugin.signed_by.clone(),
            granted: plugin.manifest.permissions.keys().cloned().collect(),
            limits: plugin.limits.listed(&plugin.manifest, self.has_pages()),
            stats: Some(plugin.stats.snapshot()),
        }
    }
}

impl fmt::Debug for PluginHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PluginHandle({} {})", self.id(), self.version())
    }
}
