//! Loads a plugin from its bytes. Nothing of the plugin runs before its manifest, version and imports are checked.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre, Linker};

use crate::budget::Budgets;
use crate::cache::CodeCache;
use crate::call::CallState;
use crate::compile::Compiler;
use crate::engine::AddressSpace;
use crate::exports::ExportIndices;
use crate::granted_limits::{AbilityLimits, GrantedLimits};
use crate::inspect::{Inspection, inspect};
use crate::instance::Instance;
use crate::interface;
use crate::interface::{InterfaceVersion, OFFERED, PACKAGE};
use crate::limits;
use crate::limits::LimitCaps;
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
    pub(super) engine: Engine,
    pub(super) address_space: AddressSpace,
    pub(super) linker: Linker<CallState>,
    /// The versions of the interface that `linker` has.
    pub(super) served: Served,
    pub(super) cache: CodeCache,
    pub(super) compiler: Compiler,
    pub(super) caps: LimitCaps,
    /// Media kinds with a root; `None` for all.
    pub(super) kinds_in_use: Option<BTreeSet<MediaKind>>,
}

/// Why a plugin was not loaded.
pub(super) struct Rejection {
    /// The manifest, if it could be read.
    pub(super) manifest: Option<Box<Manifest>>,
    pub(super) state: PluginState,
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
        if bytes.len() as u64 > limits::COMPONENT_BYTES {
            let problem = format!(
                "it has {} bytes, at most {} are allowed",
                bytes.len(),
                limits::COMPONENT_BYTES
            );
            return Err(Rejection {
                manifest: None,
                state: failed(problem),
            });
        }
        let unread = |state| Rejection {
            manifest: None,
            state,
        };
        let Inspection {
            manifest,
            imports,
            exports,
        } = inspect(bytes).map_err(|error| unread(failed(error.to_string())))?;
        self.check_names(&imports, &exports).map_err(unread)?;
        let manifest = Manifest::parse(manifest).map_err(|error| unread(failed(error.to_string())))?;
        let reject = |state| Rejection {
            manifest: Some(Box::new(manifest.clone())),
            state,
        };
        let version = self.served.of_manifest(&manifest.interface);
        let version = version
            .ok_or_else(|| self.incompatible(&manifest.interface))
            .map_err(reject)?;
        check_one_version(&manifest, version, imports.iter().chain(&exports)).map_err(reject)?;
        check_imports(&manifest, &imports).map_err(reject)?;
        check_exports(&manifest, version, &exports).map_err(reject)?;
        Ok(Examined { manifest, version })
    }

    /// Imports and exports have to be of a version that is served.
    fn check_names(&self, imports: &BTreeSet<String>, exports: &BTreeSet<String>) -> Result<(), PluginState> {
        let used = imports.iter().chain(exports);
        let versions = used
            .filter_map(|name| interface::split(name))
            .map(|(_, version)| version);
        let other = versions
            .filter(|version| !version.is_empty())
            .find(|version| !self.served.has(version));
        other.map_or(Ok(()), |version| Err(self.incompatible(version)))
    }

    fn incompatible(&self, wanted: &str) -> PluginState {
        PluginState::Incompatible {
            reason: self.served.lacks(wanted),
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
            .native(&manifest, bytes, digest)
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

    /// The machine code of the component: from the cache, or compiled and cached.
    fn native(&self, manifest: &Manifest, bytes: &[u8], digest: &str) -> Result<Component, String> {
        if let Some(code) = self.cache.get(digest) {
            match code.load(&self.engine) {
                Ok(component) => return Ok(component),
                Err(error) => self.cache.quarantine(digest, &format!("{error:#}")),
            }
        }
        let (plugin, version) = (&manifest.id, &manifest.version);
        let kib = bytes.len() / 1024;
        tracing::info!(
            plugin,
            version,
            kib,
            "compiling plugin for its first start on this machine"
        );
        let started = Instant::now();
        let code = self
            .compiler
            .compile(&self.engine, self.address_space, bytes)
            .map_err(|error| error.to_string())?;
        tracing::info!(plugin, version, took_ms = millis(started), "plugin compiled");
        if let Err(error) = self.cache.put(digest, &code) {
            tracing::warn!(digest, "compiled code could not be cached: {error}");
        }
        code.load(&self.engine)
            .map_err(|error| format!("its machine code cannot be loaded: {error:#}"))
    }

    fn link(&self, component: &Component, version: InterfaceVersion) -> wasmtime::Result<PluginCode> {
        let instance_pre: InstancePre<CallState> = self.linker.instantiate_pre(component)?;
        Ok(PluginCode {
            exports: ExportIndices::new(component, version)?,
            instance_pre,
        })
    }
}

/// Milliseconds since then, for the log.
pub(super) fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn failed(reason: impl Into<String>) -> PluginState {
    PluginState::Failed {
        reason: reason.into(),
    }
}

/// Imports and exports have to be of the version that the manifest names.
fn check_one_version<'a>(
    manifest: &Manifest,
    version: InterfaceVersion,
    mut names: impl Iterator<Item = &'a String>,
) -> Result<(), PluginState> {
    let other = names.find(|name| interface::split(name).is_some_and(|(_, found)| found != version.0));
    other.map_or(Ok(()), |name| {
        Err(failed(format!(
            "its manifest says `interface = \"{}\"`, but it uses `{name}`: build it for one version of the interface",
            manifest.interface
        )))
    })
}

/// Each ability in the manifest has to be exported, and each exported ability has to have its files in the manifest;
/// otherwise the plugin would never be called.
fn check_exports(
    manifest: &Manifest,
    version: InterfaceVersion,
    exports: &BTreeSet<String>,
) -> Result<(), PluginState> {
    let abilities = [
        ("extractor", "[[kinds]]", !manifest.kinds.is_empty()),
        ("thumbnailer", "[thumbnailer]", manifest.thumbnailer.is_some()),
        ("waveform", "[waveform]", manifest.waveform.is_some()),
    ];
    for (ability, table, is_promised) in abilities {
        let name = version.name_of(ability);
        match (is_promised, exports.contains(&name)) {
            (true, false) => return Err(failed(format!("it does not export `{name}`"))),
            (false, true) => {
                return Err(failed(format!(
                    "it exports `{name}`, but its manifest has no `{table}`"
                )));
            }
            _ => {}
        }
    }
    let pages = version.name_of("pages");
    if exports.contains(&pages) && manifest.kinds.is_empty() {
        return Err(failed(format!(
            "it exports `{pages}`, but its manifest has no `[[kinds]]` whose files have pages"
        )));
    }
    Ok(())
}

/// Why an import is rejected, with what to do about it.
fn not_offered(import: &str) -> String {
    let offered = OFFERED.join("`, `");
    if import.starts_with("wasi:") {
        format!(
            "it imports `{import}`, and plugins have no access to WASI. Rust: build for wasm32-unknown-unknown instead of \
             wasm32-wasip2 and make the component with `svc plugin build`; Python: componentize-py with `--stub-wasi`; \
             JavaScript: jco componentize with `--disable all`"
        )
    } else {
        format!(
            "it imports `{import}`, which this server does not offer to plugins: there are `{offered}` of {PACKAGE}"
        )
    }
}

/// The plugin may import the offered interfaces that its manifest has permissions for.
fn check_imports(manifest: &Manifest, imports: &BTreeSet<String>) -> Result<(), PluginState> {
    for import in imports {
        match interface::split(import) {
            Some(("types", _)) => {}
            Some((short, _)) if OFFERED.contains(&short) => {
                if !manifest.permissions.contains_key(short) {
                    let problem = format!(
                        "it imports `{import}`, but its manifest has no permission `{short}`: add `{short} = \"(the reason)\"` to `[permissions]`"
                    );
                    return Err(failed(problem));
                }
            }
            _ => return Err(failed(not_offered(import))),
        }
    }
    Ok(())
}
