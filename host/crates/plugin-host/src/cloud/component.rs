//! The component of a cloud plugin: read, checked, compiled and linked.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wasmtime::component::{Component, HasSelf, Linker};

use crate::bindings::svc::plugin::{log, settings};
use crate::cache;
use crate::checks::{Outline, World, check_exports, check_imports, check_world, outline};
use crate::cloud::bindings::exports::svc::plugin::cloud;
use crate::cloud::bindings::svc::plugin::{clock, http, state};
use crate::cloud::call::{CloudCall, CloudHost};
use crate::cloud::failure_log::{FailureLog, RepeatedLines};
use crate::cloud::plugin::{CloudCode, CloudPlugin, LoadedCloudPlugin};
use crate::cloud::secrets::Secrets;
use crate::machine_code::MachineCode;
use crate::manifest::Manifest;
use crate::plugin_dir::read_component;
use crate::quarantine::Quarantine;
use crate::served::Served;
use crate::settings::{BuiltIn, PluginHostError, PluginSettings};
use crate::stats::SharedStats;
use crate::status::{PluginOrigin, PluginState};
use crate::ticker::Ticker;
use svc_domain::erased::Erased;

/// Why a cloud plugin cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CloudPluginError {
    /// Its file cannot be read.
    #[error("the cloud plugin {} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It is damaged, or another one is needed.
    #[error("the cloud plugin {name} cannot be used: {reason}")]
    Refused {
        /// Its id, or the name of its file.
        name: String,
        /// A sentence.
        reason: String,
    },
    /// No plugin could be used.
    #[error(transparent)]
    Host(#[from] PluginHostError),
}

/// The value of a setting.
#[derive(Clone)]
pub struct CloudSetting {
    /// A text.
    pub value: String,
    /// Never shown in a log line of the plugin.
    pub is_secret: bool,
}

/// A component of world `cloud-client`, checked and not compiled.
pub struct CloudComponent {
    origin: PluginOrigin,
    bytes: Vec<u8>,
    manifest: Manifest,
}

impl CloudComponent {
    /// One that is part of the program.
    ///
    /// # Errors
    /// It is none.
    pub fn built_in(plugin: BuiltIn) -> Result<Self, CloudPluginError> {
        let bytes = plugin
            .component
            .bytes()
            .map_err(|source| CloudPluginError::Unreadable {
                path: plugin.name.into(),
                source,
            })?;
        Self::check(PluginOrigin::BuiltIn(plugin.name), bytes)
    }

    /// One in a file.
    ///
    /// # Errors
    /// The file cannot be read, or is none.
    pub fn file(path: &Path) -> Result<Self, CloudPluginError> {
        let bytes = read_component(path).map_err(|source| CloudPluginError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        Self::check(PluginOrigin::File(path.to_owned()), bytes)
    }

    fn check(origin: PluginOrigin, bytes: Vec<u8>) -> Result<Self, CloudPluginError> {
        let checked = outline(&bytes, Served::newest())
            .map_err(|rejection| rejection.state)
            .and_then(checked);
        match checked {
            Ok(manifest) => Ok(Self {
                origin,
                bytes,
                manifest,
            }),
            Err(state) => Err(refused(&origin, state.reason().unwrap_or_default())),
        }
    }

    /// What it says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Compiles it, unless that was done before, and links it. Starts an engine of its own. Values of settings that its
    /// manifest does not declare have no effect. Blocks while it is compiled.
    ///
    /// # Errors
    /// It cannot be compiled or linked, or a setting refuses its value.
    pub fn load(
        self,
        settings: &PluginSettings,
        values: &BTreeMap<String, CloudSetting>,
        host: CloudHost,
    ) -> Result<CloudPlugin, CloudPluginError> {
        let Self {
            origin,
            bytes,
            manifest,
        } = self;
        let refused = |reason: String| refused(&origin, &reason);
        let mut chosen = BTreeMap::new();
        let mut secrets = Secrets::default();
        for setting in &manifest.settings {
            let Some(given) = values.get(&setting.key) else {
                continue;
            };
            let value = given.value.as_str().into();
            // The value itself may be a secret, so it is not repeated.
            setting
                .read(&value)
                .map_err(|reason| refused(format!("the value of its setting `{}` {reason}", setting.key)))?;
            chosen.insert(setting.key.clone(), value);
            if given.is_secret {
                secrets.add(&given.value);
            }
        }
        let engine_error = |error: wasmtime::Error| PluginHostError::Engine(format!("{error:#}"));
        let code = MachineCode::open(settings)?;
        let digest = cache::digest(&bytes);
        let component = code.of(&manifest, &bytes, &digest).map_err(refused)?;
        let linker = new_linker(&code).map_err(engine_error)?;
        let linked = link(&linker, &component).map_err(|error| refused(format!("{error:#}")))?;
        let values = manifest.setting_values(&chosen).into_iter();
        Ok(CloudPlugin(Arc::new(LoadedCloudPlugin {
            id: Arc::from(manifest.id.as_str()),
            settings: Arc::new(values.map(|(key, value)| (key, value.into())).collect()),
            secrets,
            host,
            code: Erased::new(linked),
            ticker: Ticker::start(&code.engine).map_err(PluginHostError::Clock)?,
            stats: SharedStats::default(),
            quarantine: Quarantine::default(),
            failures: FailureLog::default(),
            lines: Arc::new(RepeatedLines::default()),
            manifest,
            origin,
            digest,
        })))
    }
}

fn checked(outline: Outline) -> Result<Manifest, PluginState> {
    check_world(&outline.manifest, World::Cloud)?;
    check_imports(&outline.manifest, &outline.imports, World::Cloud)?;
    check_exports(&outline.manifest, outline.version, &outline.exports)?;
    Ok(outline.manifest)
}

fn refused(origin: &PluginOrigin, reason: &str) -> CloudPluginError {
    CloudPluginError::Refused {
        name: origin.label(),
        reason: reason.to_owned(),
    }
}

/// The host functions for cloud plugins.
fn new_linker(code: &MachineCode) -> wasmtime::Result<Linker<CloudCall>> {
    let mut linker = Linker::new(&code.engine);
    http::add_to_linker::<CloudCall, HasSelf<CloudCall>>(&mut linker, |call| call)?;
    clock::add_to_linker::<CloudCall, HasSelf<CloudCall>>(&mut linker, |call| call)?;
    state::add_to_linker::<CloudCall, HasSelf<CloudCall>>(&mut linker, |call| call)?;
    settings::add_to_linker::<CloudCall, HasSelf<CloudCall>>(&mut linker, |call| call)?;
    log::add_to_linker::<CloudCall, HasSelf<CloudCall>>(&mut linker, |call| call)?;
    Ok(linker)
}

fn link(linker: &Linker<CloudCall>, component: &Component) -> wasmtime::Result<CloudCode> {
    let instance_pre = linker.instantiate_pre(component)?;
    Ok(CloudCode {
        cloud: cloud::GuestIndices::new(&instance_pre)?,
        instance_pre,
    })
}
