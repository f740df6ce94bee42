//! A loaded plugin.

use std::fmt;
use std::sync::Arc;

use wasmtime::component::InstancePre;

use crate::bindings::exports::svc::plugin::{artwork, extractor, thumbnailer, waveform};
use crate::budget::Budgets;
use crate::call::CallState;
use crate::limits::AbilityLimits;
use crate::manifest::Manifest;
use crate::quarantine::Quarantine;
use crate::settings::Isolation;
use crate::stats::SharedStats;
use crate::status::{PluginOrigin, PluginState, PluginStatus};

/// A loaded plugin, shared by all workers.
pub(super) struct LoadedPlugin {
    pub(super) id: Arc<str>,
    pub(super) manifest: Manifest,
    pub(super) origin: PluginOrigin,
    pub(super) digest: String,
    pub(super) limits: AbilityLimits,
    pub(super) isolation: Isolation,
    pub(super) code: Box<dyn AsCode>,
    pub(super) stats: SharedStats,
    pub(super) quarantine: Quarantine,
    pub(super) budgets: Budgets,
}

/// Access to the code through a trait object: the compiler then need not check wasmtime's types for `Send` in each
/// future that holds plugins.
pub(super) trait AsCode: Send + Sync {
    fn as_code(&self) -> &PluginCode;
}

impl AsCode for PluginCode {
    fn as_code(&self) -> &PluginCode {
        self
    }
}

/// The machine code of a plugin, with the indices of the abilities that it exports.
pub(super) struct PluginCode {
    pub(super) instance_pre: InstancePre<CallState>,
    pub(super) extractor: Option<extractor::GuestIndices>,
    pub(super) artwork: Option<artwork::GuestIndices>,
    pub(super) thumbnailer: Option<thumbnailer::GuestIndices>,
    pub(super) waveform: Option<waveform::GuestIndices>,
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

    /// SHA-256 of the component in hexadecimal. A record of a plugin with another digest may be stale.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// Whether it exports `artwork`.
    pub fn has_artwork(&self) -> bool {
        self.0.code.as_code().artwork.is_some()
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
            digest: plugin.digest.clone(),
            manifest: Some(plugin.manifest.clone()),
            state: match plugin.quarantine.quarantine_reason() {
                Some(reason) => PluginState::Quarantined { reason },
                None => PluginState::Active,
            },
            has_artwork: self.has_artwork(),
            degraded: plugin.quarantine.is_degraded(),
            stats: Some(plugin.stats.snapshot()),
        }
    }
}

impl fmt::Debug for PluginHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PluginHandle({} {})", self.id(), self.version())
    }
}
