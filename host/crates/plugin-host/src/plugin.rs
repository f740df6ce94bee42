//! One plugin that is ready to run.

use std::fmt;
use std::sync::Arc;

use wasmtime::component::InstancePre;

use crate::bindings::exports::svc::plugin::{artwork, extractor, thumbnailer, waveform};
use crate::breaker::Breaker;
use crate::budget::Budgets;
use crate::call::CallState;
use crate::limits::AbilityLimits;
use crate::manifest::Manifest;
use crate::registry::Isolation;
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
    pub(super) breaker: Breaker,
    pub(super) budgets: Budgets,
}

/// The code behind a trait, so that the compiler need not look through wasmtime's types again for each future that holds
/// the plugins, to see that they may go from thread to thread.
pub(super) trait AsCode: Send + Sync {
    fn as_code(&self) -> &PluginCode;
}

impl AsCode for PluginCode {
    fn as_code(&self) -> &PluginCode {
        self
    }
}

/// A plugin's machine code with everything looked up that can be looked up beforehand: of the abilities those that it
/// exports.
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
    /// The plugin's id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The plugin's own version.
    pub fn version(&self) -> &str {
        &self.0.manifest.version
    }

    /// SHA-256 of the plugin's bytes in hexadecimal digits: a record read by other bytes may be out of date.
    pub fn digest(&self) -> &str {
        &self.0.digest
    }

    /// Whether it hands out pictures.
    pub fn has_artwork(&self) -> bool {
        self.0.code.as_code().artwork.is_some()
    }

    /// Whether it may be called; not after it was shut off.
    pub fn is_active(&self) -> bool {
        !self.0.breaker.is_open()
    }

    /// Why it was shut off, if it was.
    pub fn quarantine_reason(&self) -> Option<String> {
        self.0.breaker.open_reason()
    }

    /// Ends its quarantine. False if it was not shut off.
    pub fn release(&self) -> bool {
        self.0.breaker.release()
    }

    /// As it stands.
    pub fn status(&self) -> PluginStatus {
        let plugin = &self.0;
        PluginStatus {
            origin: plugin.origin.clone(),
            digest: plugin.digest.clone(),
            manifest: Some(plugin.manifest.clone()),
            state: match plugin.breaker.open_reason() {
                Some(reason) => PluginState::Quarantined { reason },
                None => PluginState::Active,
            },
            has_artwork: self.has_artwork(),
            degraded: plugin.breaker.is_degraded(),
            stats: Some(plugin.stats.snapshot()),
        }
    }
}

impl fmt::Debug for PluginHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PluginHandle({} {})", self.id(), self.version())
    }
}
