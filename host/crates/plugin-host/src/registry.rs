//! All plugins of the server: loading and reloading, selection by file, status.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use crate::cache;
use crate::cloud::CloudPlugin;
use crate::granted_limits::GrantedLimits;
use crate::kinds::{DefinedKind, KindState};
use crate::loader::Loader;
use crate::machine_code::MachineCode;
use crate::manifest::Manifest;
use crate::plugin::PluginHandle;
use crate::plugin_dir::DirectoryState;
use crate::plugin_set::PluginSet;
use crate::served::Served;
use crate::settings::{BuiltIn, PluginChoices, PluginHostError, PluginSettings, UploadedPlugin};
use crate::status::{PluginOrigin, PluginState, PluginStatus};
use crate::terms::{Consent, Terms};
use crate::ticker::Ticker;
use crate::worker::Worker;
use svc_domain::erased::Erased;
use svc_domain::item_kind::KindSchema;
use svc_domain::kind::MediaKind;

/// All plugins. Clones share them.
#[derive(Clone)]
pub struct Plugins(Arc<PluginHost>);

struct PluginHost {
    current: RwLock<Arc<PluginSet>>,
    /// Locked while plugins are loaded, so that two reloads do not overlap.
    loading: Mutex<Loading>,
    reloads: AtomicU64,
    ticker: Arc<Ticker>,
    /// The plugin for accounts, which has an engine of its own.
    cloud: OnceLock<CloudPlugin>,
}

/// What loading needs.
struct Loading {
    loader: Erased<Loader>,
    settings: PluginSettings,
    built_in: Vec<BuiltIn>,
}

/// A plugin that could be loaded.
#[derive(Debug, Clone)]
pub struct ExaminedPlugin {
    /// SHA-256 of the component in hexadecimal.
    pub digest: String,
    /// Its manifest.
    pub manifest: Manifest,
    /// Requested and effective limits by ability.
    pub limits: Vec<GrantedLimits>,
}

impl Plugins {
    /// Loads all plugins. Blocks while plugins that are not cached are compiled.
    pub fn load(settings: &PluginSettings, built_in: &[BuiltIn]) -> Result<Self, PluginHostError> {
        Self::load_for(Served::default(), settings, built_in)
    }

    /// The same for these versions of the interface.
    pub(super) fn load_for(
        served: Served,
        settings: &PluginSettings,
        built_in: &[BuiltIn],
    ) -> Result<Self, PluginHostError> {
        let code = MachineCode::open(settings)?;
        // Started first and kept running: loading runs start functions.
        let ticker = Ticker::start(&code.engine).map_err(PluginHostError::Clock)?;
        let ticking = ticker.hold();
        let loader = Loader {
            linker: served
                .linker(&code.engine)
                .map_err(|error| PluginHostError::Engine(format!("{error:#}")))?,
            served,
            code,
            caps: settings.caps,
            kinds_in_use: settings.kinds_in_use.clone(),
        };
        let set = PluginSet::load(&loader, settings, built_in, &settings.choices, None)?;
        drop(ticking);
        let loading = Loading {
            loader: Erased::new(loader),
            // Uploaded components are no longer needed, and may be large.
            settings: PluginSettings {
                choices: PluginChoices::default(),
                ..settings.clone()
            },
            built_in: built_in.to_vec(),
        };
        Ok(Self(Arc::new(PluginHost {
            current: RwLock::new(Arc::new(set)),
            loading: Mutex::new(loading),
            reloads: AtomicU64::new(0),
            ticker: Arc::new(ticker),
            cloud: OnceLock::new(),
        })))
    }

    /// Loads the plugins again, under these decisions. Those whose bytes and settings did not change stay as they are,
    /// with statistics and quarantine; calls in progress end with the plugin that they began with. Returns the kinds
    /// whose plugins changed. Blocks as [`Self::load`].
    ///
    /// # Errors
    /// The plugin directory cannot be read; the plugins stay as they are.
    pub fn reload(&self, choices: &PluginChoices) -> Result<HashSet<MediaKind>, PluginHostError> {
        let loading = self.0.loading.lock().unwrap_or_else(PoisonError::into_inner);
        let ticking = self.0.ticker.hold();
        let before = self.set();
        let Loading {
            loader,
            settings,
            built_in,
        } = &*loading;
        let after = Arc::new(PluginSet::load(
            loader,
            settings,
            built_in,
            choices,
            Some(&before),
        )?);
        drop(ticking);
        *self.0.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&after);
        self.0.reloads.fetch_add(1, Ordering::Release);
        let gone = changed(&before, &after);
        for plugin in &gone {
            tracing::info!(
                plugin = plugin.id(),
                version = plugin.version(),
                "plugin unloaded"
            );
        }
        let plugins = gone.into_iter().chain(changed(&after, &before));
        Ok(plugins.flat_map(|plugin| plugin.kinds()).collect())
    }

    /// Checks a plugin without compiling or running it.
    ///
    /// # Errors
    /// Why it cannot be loaded.
    pub fn examine(&self, component: &[u8]) -> Result<ExaminedPlugin, PluginState> {
        let loading = self.0.loading.lock().unwrap_or_else(PoisonError::into_inner);
        let examined = loading.loader.examine(component);
        let manifest = examined.map_err(|rejection| rejection.state)?.manifest;
        Ok(ExaminedPlugin {
            digest: cache::digest(component),
            limits: loading.loader.limits_of(&manifest),
            manifest,
        })
    }

    /// Why a plugin with this manifest could not be used: one of its kinds belongs to another plugin.
    pub fn kind_conflict(&self, manifest: &Manifest) -> Option<String> {
        self.set().claims.conflict(manifest)
    }

    /// Loads a plugin beside the others, which it does not affect: no file is routed to it. Blocks while it is compiled.
    ///
    /// # Errors
    /// Why it cannot be loaded.
    pub fn load_beside(
        &self,
        plugin: &UploadedPlugin,
        choices: &PluginChoices,
    ) -> Result<PluginHandle, PluginState> {
        let loading = self.0.loading.lock().unwrap_or_else(PoisonError::into_inner);
        let _ticking = self.0.ticker.hold();
        let digest = cache::digest(&plugin.component);
        let terms = Terms {
            origin: &PluginOrigin::Uploaded(plugin.id.clone()),
            isolation: loading.settings.isolation.third_party,
            choices,
            consent: Consent::of(plugin),
            signed_by: plugin.signed_by.as_deref(),
        };
        let loaded = loading.loader.load(&plugin.component, &digest, terms);
        match loaded {
            Ok(plugin) => Ok(PluginHandle(Arc::new(plugin))),
            Err(rejection) => Err(rejection.state),
        }
    }

    /// The plugin directory now, if it differs from the one that was loaded. A file that is being written differs
    /// from one call to the next.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn directory_change(&self) -> Result<Option<DirectoryState>, PluginHostError> {
        let dir = {
            let loading = self.0.loading.lock().unwrap_or_else(PoisonError::into_inner);
            loading.settings.plugin_dir.clone()
        };
        let now = DirectoryState::of(dir.as_deref())?;
        Ok(Some(now).filter(|now| *now != self.set().directory))
    }

    fn set(&self) -> Arc<PluginSet> {
        let current = self.0.current.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&current)
    }

    /// Changes with the state of any plugin: when plugins are loaded, quarantined or released.
    pub fn state_version(&self) -> u64 {
        let reloads = self.0.reloads.load(Ordering::Acquire);
        let set = self.set();
        let transitions = set.handles().map(|plugin| plugin.0.quarantine.transitions());
        let of_cloud = self.0.cloud.get().map_or(0, CloudPlugin::transitions);
        // Loaded plugins may replace others with as many transitions.
        (reloads << 32).wrapping_add(transitions.sum::<u64>() + of_cloud)
    }

    /// Lists the plugin for accounts among the others from now on. Only the first one is listed.
    pub fn attach(&self, cloud: CloudPlugin) {
        self.0.cloud.get_or_init(|| cloud);
    }

    /// Ends the quarantine of a plugin. False if it was not quarantined, or there is none.
    pub fn release(&self, plugin_id: &str) -> bool {
        let cloud = self.0.cloud.get().filter(|cloud| cloud.id() == plugin_id);
        let handle = self.handle(plugin_id);
        cloud.is_some_and(CloudPlugin::release) || handle.is_some_and(|handle| handle.release())
    }

    /// The status of all plugins, including those that are not active.
    pub fn list(&self) -> Vec<PluginStatus> {
        let cloud = self.0.cloud.get().map(CloudPlugin::status);
        self.set().statuses().into_iter().chain(cloud).collect()
    }

    /// The active extractors for files of this kind and extension (without the dot, in any case), in the order in
    /// which they are called: when one rejects a file, the next one is called.
    pub fn candidates(&self, kind: &MediaKind, extension: &str) -> Vec<PluginHandle> {
        let set = self.set();
        let of_kind = set.index.by_kind.get(kind);
        let found = of_kind.and_then(|extensions| extensions.get(&extension.to_ascii_lowercase()));
        let active = found.into_iter().flatten().filter(|plugin| plugin.is_active());
        active.cloned().collect()
    }

    /// The extractors of this kind by file extension in lower case, in the order in which they are called, including
    /// quarantined ones.
    pub fn by_extension(&self, kind: &MediaKind) -> HashMap<String, Vec<PluginHandle>> {
        self.set().index.by_kind.get(kind).cloned().unwrap_or_default()
    }

    /// Extensions, in lower case, of the sidecars that plugins of this kind may read.
    pub fn related_extensions(&self, kind: &MediaKind) -> HashSet<String> {
        let set = self.set();
        let kinds = set.handles().flat_map(|plugin| &plugin.0.manifest.kinds);
        let of_kind = kinds.filter(|manifest| manifest.kind == *kind);
        of_kind
            .flat_map(|manifest| manifest.related.iter().cloned())
            .collect()
    }

    /// The MIME type that a plugin names for files of this kind and extension (without the dot, in any case); that of
    /// the first plugin in the order of calls.
    pub fn media_type(&self, kind: &MediaKind, extension: &str) -> Option<String> {
        let extension = extension.to_ascii_lowercase();
        let set = self.set();
        let plugins = set.index.by_kind.get(kind)?.get(&extension)?;
        let entries = plugins.iter().flat_map(|plugin| &plugin.0.manifest.kinds);
        let mut of_kind = entries.filter(|entry| entry.kind == *kind);
        of_kind.find_map(|entry| entry.media_types.get(&extension).cloned())
    }

    /// The kinds that loaded plugins define, in alphabetical order.
    pub fn kind_schemas(&self) -> Vec<DefinedKind> {
        self.set().kinds.all()
    }

    /// What a loaded plugin defines of this kind; `None` for a built-in kind and for one that no plugin defines.
    pub fn kind_schema(&self, kind: &MediaKind) -> Option<Arc<KindSchema>> {
        self.set().kinds.schema(kind)
    }

    /// Whether files of this kind are read, and why not.
    pub fn kind_state(&self, kind: &MediaKind) -> KindState {
        let set = self.set();
        let is_read = set.index.by_kind.contains_key(kind);
        set.kinds.state(kind, is_read, || set.statuses())
    }

    /// The first active extractor for files of this kind and extension.
    pub fn for_file(&self, kind: &MediaKind, extension: &str) -> Option<PluginHandle> {
        self.candidates(kind, extension).into_iter().next()
    }

    /// Kind and extractor for files with this extension if the kind is not known; if there are several, kinds that every
    /// server has come first, in alphabetical order: an `.mp3` is music rather than a part of an audiobook.
    pub fn for_extension(&self, extension: &str) -> Option<(MediaKind, PluginHandle)> {
        let mut kinds = self.kinds();
        kinds.sort_by_key(|kind| !MediaKind::BUILT_IN.contains(&kind.as_str()));
        kinds
            .into_iter()
            .find_map(|kind| self.for_file(&kind, extension).map(|plugin| (kind, plugin)))
    }

    /// The active thumbnailer for a file extension (without the dot) or MIME type, in any case.
    pub fn thumbnailer_for(&self, extension_or_media_type: &str) -> Option<PluginHandle> {
        self.set().index.thumbnailers.active(extension_or_media_type)
    }

    /// The active waveform analyzer for a file extension (without the dot) or MIME type, in any case.
    pub fn waveform_analyzer_for(&self, extension_or_media_type: &str) -> Option<PluginHandle> {
        self.set()
            .index
            .waveform_analyzers
            .active(extension_or_media_type)
    }

    /// The plugin with this id, if it was loaded; it may be quarantined.
    pub fn handle(&self, plugin_id: &str) -> Option<PluginHandle> {
        self.set()
            .handles()
            .find(|plugin| plugin.id() == plugin_id)
            .cloned()
    }

    /// The kinds that extractors read, in alphabetical order.
    pub fn kinds(&self) -> Vec<MediaKind> {
        self.set().index.by_kind.keys().cloned().collect()
    }

    /// A worker with instances of its own, for one thread.
    pub fn worker(&self) -> Worker {
        Worker::new(Arc::clone(&self.0.ticker))
    }
}

/// The plugins of one set that are not in the other.
fn changed(of: &PluginSet, other: &PluginSet) -> Vec<PluginHandle> {
    let is_there = |plugin: &&PluginHandle| other.handles().any(|other| Arc::ptr_eq(&other.0, &plugin.0));
    of.handles().filter(|plugin| !is_there(plugin)).cloned().collect()
}

impl fmt::Debug for Plugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.set().handles()).finish()
    }
}
