//! Loads a plugin from its bytes. Nothing of the plugin runs before its manifest, version and imports are checked.

use std::collections::BTreeSet;
use std::sync::Arc;

use wasmtime::component::{Component, InstancePre, Linker};

use crate::budget::Budgets;
use crate::call::CallState;
use crate::checks::{Outline, Rejection, World, check_exports, check_imports, check_world, failed, outline};
use crate::exports::ExportIndices;
use crate::granted_limits::{AbilityLimits, GrantedLimits};
use crate::instance::Instance;
use crate::interface::InterfaceVersion;
use crate::limits::LimitCaps;
use crate::machine_code::MachineCode;
use crate::manifest::Manifest;
use crate::plugin::{LoadedPlugin, PluginCode};
use crate::quarantine::Quarantine;
use crate::served::Served;
use crate::stats::SharedStats;
use crate::status::{PluginOrigin, PluginState};
use crate::terms::{Terms, record_digest, setting_values};
use svc_domain::erased::Erased;
use svc_domain::kind::MediaKind;

/// Loads plugins.
pub(super) struct Loader {
    pub(super) linker: Linker<CallState>,
    /// The versions of the interface that `linker` has.
    pub(super) served: Served,
    pub(super) code: MachineCode,
    pub(super) caps: LimitCaps,
    /// Media kinds with a root; `None` for all.
    pub(super) kinds_in_use: Option<BTreeSet<MediaKind>>,
}

/// A plugin that was checked and not compiled.
pub(super) struct Examined {
    pub(super) manifest: Manifest,
    /// The version of the interface that it is built for.
    version: InterfaceVersion,
}

impl Loader {
    /// Checks a plugin without compiling or running it.
    pub(super) fn examine(&self, bytes: &[u8]) -> Result<Examined, Rejection> {
        let Outline {
            manifest,
            version,
            imports,
            exports,
        } = outline(bytes, self.served)?;
        let checked = check_world(&manifest, World::Media)
            .and_then(|()| check_imports(&manifest, &imports, World::Media))
            .and_then(|()| check_exports(&manifest, version, &exports));
        match checked {
            Ok(()) => Ok(Examined { manifest, version }),
            Err(state) => Err(Rejection {
                manifest: Some(Box::new(manifest)),
                state,
            }),
        }
    }

    /// Loads one plugin.
    pub(super) fn load(
        &self,
        bytes: &[u8],
        digest: &str,
        terms: Terms<'_>,
    ) -> Result<LoadedPlugin, Rejection> {
        let Examined { manifest, version } = self.examine(bytes)?;
        let Terms { origin, choices, .. } = terms;
        let reject = |state| Rejection {
            manifest: Some(Box::new(manifest.clone())),
            state,
        };
        if choices.disabled.contains(&manifest.id) {
            return Err(reject(PluginState::Disabled));
        }
        if let Some(reason) = terms.consent.objection(&manifest) {
            return Err(reject(PluginState::Waiting { reason }));
        }
        if matches!(origin, PluginOrigin::BuiltIn(_)) && !self.is_in_use(&manifest) {
            return Err(reject(PluginState::Idle));
        }
        let component = self
            .code
            .of(&manifest, bytes, digest)
            .map_err(failed)
            .map_err(reject)?;
        let code = self
            .link(&component, version)
            .map_err(|error| reject(failed(format!("{error:#}"))))?;
        let settings = setting_values(&manifest, choices);
        let plugin = LoadedPlugin {
            id: Arc::from(manifest.id.as_str()),
            origin: origin.clone(),
            component_digest: digest.to_owned(),
            digest: record_digest(digest, &manifest, &settings),
            signed_by: terms.signed_by.map(str::to_owned),
            settings: Arc::new(settings),
            limits: AbilityLimits::granted(&manifest, &self.caps),
            own_types: manifest.own_types(),
            isolation: terms.isolation,
            code: Erased::new(code),
            stats: SharedStats::default(),
            quarantine: Quarantine::default(),
            budgets: Budgets::default(),
            manifest: manifest.clone(),
        };
        // The first instance shows whether the exports have the right types and the start functions complete.
        match Instance::start(&plugin) {
            Ok(_) => Ok(plugin),
            Err(failure) => Err(reject(failed(format!("it does not start: {failure}")))),
        }
    }

    /// The limits of a plugin with this manifest.
    pub(super) fn limits_of(&self, manifest: &Manifest) -> Vec<GrantedLimits> {
        AbilityLimits::granted(manifest, &self.caps).listed(manifest, false)
    }

    /// Whether a file may need the plugin: it reads a kind that every server has or that a root has, or files of any
    /// kind.
    fn is_in_use(&self, manifest: &Manifest) -> bool {
        let Some(in_use) = &self.kinds_in_use else {
            return true;
        };
        let mut kinds = manifest.kinds.iter().map(|of| &of.kind);
        manifest.thumbnailer.is_some()
            || manifest.waveform.is_some()
            || kinds.any(|kind| MediaKind::BUILT_IN.contains(&kind.as_str()) || in_use.contains(kind))
    }

    fn link(&self, component: &Component, version: InterfaceVersion) -> wasmtime::Result<PluginCode> {
        let instance_pre: InstancePre<CallState> = self.linker.instantiate_pre(component)?;
        Ok(PluginCode {
            exports: ExportIndices::new(component, version)?,
            instance_pre,
        })
    }
}
