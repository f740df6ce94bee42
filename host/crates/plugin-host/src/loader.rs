//! Loads a plugin from its bytes. Nothing of the plugin runs before its manifest, version and imports are checked.

use std::collections::BTreeSet;
use std::sync::Arc;

use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, InstancePre, Linker};

use crate::bindings::exports::svc::plugin::{artwork, extractor, thumbnailer, waveform};
use crate::bindings::svc::plugin::{log, related, source};
use crate::bindings::{PACKAGE, VERSION};
use crate::budget::Budgets;
use crate::cache::CodeCache;
use crate::call::CallState;
use crate::compile::Compiler;
use crate::engine::AddressSpace;
use crate::inspect::{Inspection, inspect};
use crate::instance::Instance;
use crate::limits;
use crate::limits::{AbilityLimits, LimitCaps};
use crate::manifest::Manifest;
use crate::plugin::{LoadedPlugin, PluginCode};
use crate::quarantine::Quarantine;
use crate::settings::Isolation;
use crate::stats::SharedStats;
use crate::status::{PluginOrigin, PluginState};

/// The interfaces that plugins may import. `types` has no functions and needs no permission.
const OFFERED: [&str; 3] = ["source", "related", "log"];

/// Loads plugins.
pub(super) struct Loader<'a> {
    pub(super) engine: &'a Engine,
    pub(super) address_space: AddressSpace,
    pub(super) linker: Linker<CallState>,
    pub(super) cache: CodeCache,
    pub(super) compiler: &'a Compiler,
    pub(super) caps: LimitCaps,
    pub(super) disabled: &'a BTreeSet<String>,
}

/// Why a plugin was not loaded.
pub(super) struct Rejection {
    /// The manifest, if it could be read.
    pub(super) manifest: Option<Box<Manifest>>,
    pub(super) state: PluginState,
}

/// The host functions for plugins.
pub(super) fn new_linker(engine: &Engine) -> wasmtime::Result<Linker<CallState>> {
    let mut linker = Linker::new(engine);
    source::add_to_linker::<CallState, HasSelf<CallState>>(&mut linker, |state| state)?;
    related::add_to_linker::<CallState, HasSelf<CallState>>(&mut linker, |state| state)?;
    log::add_to_linker::<CallState, HasSelf<CallState>>(&mut linker, |state| state)?;
    Ok(linker)
}

impl Loader<'_> {
    /// Loads one plugin.
    pub(super) fn load(
        &self,
        bytes: &[u8],
        digest: &str,
        origin: &PluginOrigin,
        isolation: Isolation,
    ) -> Result<LoadedPlugin, Rejection> {
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
        check_names(&imports, &exports).map_err(unread)?;
        let manifest = Manifest::parse(manifest).map_err(|error| unread(failed(error.to_string())))?;
        let reject = |state| Rejection {
            manifest: Some(Box::new(manifest.clone())),
            state,
        };
        check_version(&manifest).map_err(reject)?;
        check_imports(&manifest, &imports).map_err(reject)?;
        check_exports(&manifest, &exports).map_err(reject)?;
        if self.disabled.contains(&manifest.id) {
            return Err(reject(PluginState::Disabled));
        }
        let component = self.native(bytes, digest).map_err(failed).map_err(reject)?;
        let code = self
            .link(&component, &exports)
            .map_err(|error| reject(failed(format!("{error:#}"))))?;
        let plugin = LoadedPlugin {
            id: Arc::from(manifest.id.as_str()),
            origin: origin.clone(),
            digest: digest.to_owned(),
            limits: AbilityLimits::granted(&manifest, &self.caps),
            isolation,
            code: Box::new(code),
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

    /// The machine code of the component: from the cache, or compiled and cached.
    fn native(&self, bytes: &[u8], digest: &str) -> Result<Component, String> {
        if let Some(code) = self.cache.get(digest) {
            match code.load(self.engine) {
                Ok(component) => return Ok(component),
                Err(error) => self.cache.quarantine(digest, &format!("{error:#}")),
            }
        }
        let code = self
            .compiler
            .compile(self.engine, self.address_space, bytes)
            .map_err(|error| error.to_string())?;
        if let Err(error) = self.cache.put(digest, &code) {
            tracing::warn!(digest, "compiled code could not be cached: {error}");
        }
        code.load(self.engine)
            .map_err(|error| format!("its machine code cannot be loaded: {error:#}"))
    }

    fn link(&self, component: &Component, exports: &BTreeSet<String>) -> wasmtime::Result<PluginCode> {
        let instance_pre: InstancePre<CallState> = self.linker.instantiate_pre(component)?;
        macro_rules! look_up {
            ($ability:ident) => {
                exports
                    .contains(&interface(stringify!($ability)))
                    .then(|| $ability::GuestIndices::new(&instance_pre))
                    .transpose()?
            };
        }
        Ok(PluginCode {
            extractor: look_up!(extractor),
            artwork: look_up!(artwork),
            thumbnailer: look_up!(thumbnailer),
            waveform: look_up!(waveform),
            instance_pre,
        })
    }
}

fn failed(reason: impl Into<String>) -> PluginState {
    PluginState::Failed {
        reason: reason.into(),
    }
}

/// The full name of an interface of this package.
fn interface(name: &str) -> String {
    format!("{PACKAGE}/{name}@{VERSION}")
}

/// Splits `package/interface@version`.
fn split_name(name: &str) -> (&str, Option<&str>) {
    name.split_once('@')
        .map_or((name, None), |(name, version)| (name, Some(version)))
}

/// Imports and exports have to use our version of the interface.
fn check_names(imports: &BTreeSet<String>, exports: &BTreeSet<String>) -> Result<(), PluginState> {
    let theirs = imports
        .iter()
        .chain(exports)
        .map(|name| split_name(name))
        .find_map(|(name, version)| {
            let ours = name
                .strip_prefix(PACKAGE)
                .is_some_and(|rest| rest.starts_with('/'));
            version.filter(|version| ours && *version != VERSION)
        });
    theirs.map_or(Ok(()), |version| Err(incompatible(version)))
}

/// The manifest has to name our version of the interface.
fn check_version(manifest: &Manifest) -> Result<(), PluginState> {
    let patch = VERSION.strip_prefix(&manifest.interface);
    if patch.is_some_and(|rest| rest.starts_with('.')) {
        Ok(())
    } else {
        Err(incompatible(&manifest.interface))
    }
}

fn incompatible(theirs: &str) -> PluginState {
    PluginState::Incompatible {
        reason: format!("it is built for {PACKAGE}@{theirs}, this server supports {PACKAGE}@{VERSION}"),
    }
}

/// Each ability in the manifest has to be exported, and each exported ability has to have its files in the manifest;
/// otherwise the plugin would never be called.
fn check_exports(manifest: &Manifest, exports: &BTreeSet<String>) -> Result<(), PluginState> {
    let abilities = [
        ("extractor", "[[kinds]]", !manifest.kinds.is_empty()),
        ("thumbnailer", "[thumbnailer]", manifest.thumbnailer.is_some()),
        ("waveform", "[waveform]", manifest.waveform.is_some()),
    ];
    for (ability, table, is_promised) in abilities {
        let name = interface(ability);
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
    Ok(())
}

/// The plugin may import the offered interfaces that its manifest has permissions for.
fn check_imports(manifest: &Manifest, imports: &BTreeSet<String>) -> Result<(), PluginState> {
    for import in imports {
        let (name, _) = split_name(import);
        let short = name.strip_prefix(PACKAGE).and_then(|rest| rest.strip_prefix('/'));
        match short {
            Some("types") => {}
            Some(short) if OFFERED.contains(&short) => {
                if !manifest.permissions.contains_key(short) {
                    let problem =
                        format!("it imports `{import}`, but its manifest has no permission `{short}`");
                    return Err(failed(problem));
                }
            }
            _ => {
                return Err(failed(format!(
                    "it imports `{import}`, which this server does not offer to plugins"
                )));
            }
        }
    }
    Ok(())
}
