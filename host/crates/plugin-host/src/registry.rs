//! All plugins of the server: those that are part of it and those of the plugin directory, which of them reads
//! which file, and how they stand.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cache;
use crate::cache::CodeCache;
use crate::compile::Compiler;
use crate::engine;
use crate::limits;
use crate::limits::LimitCaps;
use crate::loader::{Loader, new_linker};
use crate::plugin::PluginHandle;
use crate::routes::Routes;
use crate::status::{PluginOrigin, PluginState, PluginStatus};
use crate::ticker::Ticker;
use crate::worker::Worker;
use svc_domain::kind::MediaKind;

/// What the plugin host needs to know.
#[derive(Debug, Clone)]
pub struct PluginSettings {
    /// Where compiled code is kept; made if it is missing, and readable for the server's user only.
    pub cache_dir: PathBuf,
    /// The installation's key for compiled code. Kept outside of `cache_dir`.
    pub cache_key: [u8; 32],
    /// Who compiles.
    pub compiler: Compiler,
    /// The operator's plugins: its `*.wasm` files.
    pub plugin_dir: Option<PathBuf>,
    /// Ids of plugins that are not to be used.
    pub disabled: BTreeSet<String>,
    /// How long instances are kept.
    pub isolation: IsolationPolicy,
    /// The most that plugins get for one file.
    pub caps: LimitCaps,
}

/// How many files an instance reads before it is replaced. Whatever it says, an instance that failed or holds a
/// lot of memory is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// As many as come: fastest.
    Worker,
    /// This many.
    Recycle(u32),
    /// One: nothing of a file can reach the next.
    PerFile,
}

/// The isolation of the two sorts of plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsolationPolicy {
    /// Of the server's own plugins, for which tests show that they keep no state.
    pub built_in: Isolation,
    /// Of the plugin directory's.
    pub third_party: Isolation,
}

impl Default for IsolationPolicy {
    fn default() -> Self {
        // 64 files share the cost of one instance: an eighth more time than none at all.
        Self {
            built_in: Isolation::Worker,
            third_party: Isolation::Recycle(64),
        }
    }
}

/// A plugin that is part of the server.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// For messages, such as `music`.
    pub name: &'static str,
    /// The component.
    pub bytes: &'static [u8],
}

/// Why the plugin host could not start. A plugin that cannot be loaded is no such reason: it is listed as failed.
#[derive(Debug, thiserror::Error)]
pub enum PluginHostError {
    /// The engine refuses to run on this machine.
    #[error("WebAssembly cannot be run on this machine: {0}")]
    Engine(String),
    /// The directory of compiled code.
    #[error("the directory of compiled plugins, {path}, cannot be used: {source}", path = path.display())]
    CacheDir {
        /// The directory.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// The plugin directory.
    #[error("the plugin directory {path} cannot be read: {source}", path = path.display())]
    PluginDir {
        /// The directory.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// More files than anybody has plugins.
    #[error("the plugin directory {path} holds more than {max} `.wasm` files", path = path.display(), max = limits::PLUGIN_FILES)]
    TooManyPlugins {
        /// The directory.
        path: PathBuf,
    },
    /// The thread that interrupts guests.
    #[error("the plugin clock could not be started: {0}")]
    Clock(io::Error),
}

/// All plugins. Cheap to clone: the clones are one.
#[derive(Clone)]
pub struct Plugins(Arc<PluginsInner>);

pub(super) struct PluginsInner {
    /// In the order of loading.
    entries: Vec<Entry>,
    routes: Routes,
    pub(super) ticker: Ticker,
}

enum Entry {
    Ready(PluginHandle),
    /// As it will stay until the next start.
    Unusable(Box<PluginStatus>),
}

impl Plugins {
    /// Loads all plugins. Blocks while those that are not in the cache are compiled.
    pub fn load(settings: &PluginSettings, built_in: &[BuiltIn]) -> Result<Self, PluginHostError> {
        let engine_error = |error: wasmtime::Error| PluginHostError::Engine(format!("{error:#}"));
        let (engine, address_space) = engine::choose_engine().map_err(engine_error)?;
        // Started first, and held: loading runs start functions.
        let ticker = Ticker::start(&engine).map_err(PluginHostError::Clock)?;
        let ticking = ticker.hold();
        let cache = CodeCache::open(
            &settings.cache_dir,
            settings.cache_key,
            engine::fingerprint(&engine),
        )
        .map_err(|source| PluginHostError::CacheDir {
            path: settings.cache_dir.clone(),
            source,
        })?;
        let loader = Loader {
            engine: &engine,
            address_space,
            linker: new_linker(&engine).map_err(engine_error)?,
            cache,
            compiler: &settings.compiler,
            caps: settings.caps,
            disabled: &settings.disabled,
        };
        let mut entries = Vec::new();
        for plugin in built_in {
            let origin = PluginOrigin::BuiltIn(plugin.name);
            let entry = load_one(
                &loader,
                &entries,
                Ok(plugin.bytes.into()),
                origin,
                settings.isolation.built_in,
            );
            entries.push(entry);
        }
        for path in plugin_files(settings.plugin_dir.as_deref())? {
            let bytes = read_component(&path);
            let origin = PluginOrigin::File(path);
            let entry = load_one(&loader, &entries, bytes, origin, settings.isolation.third_party);
            entries.push(entry);
        }
        let in_use = entries.iter().map(|entry| entry.status().digest).collect();
        if let Err(error) = loader.cache.prune(&in_use) {
            tracing::warn!("old compiled plugins could not be removed: {error}");
        }
        let routes = Routes::new(handles(&entries));
        drop(ticking);
        Ok(Self(Arc::new(PluginsInner {
            entries,
            routes,
            ticker,
        })))
    }

    /// All plugins as they stand, those that cannot be used included.
    pub fn list(&self) -> Vec<PluginStatus> {
        self.0.entries.iter().map(Entry::status).collect()
    }

    /// The plugins that read files of this kind with this extension (without the dot, in any case), those that
    /// may be called, the first to be asked first: when one refuses a file, the next may try.
    pub fn candidates<'a>(
        &'a self,
        kind: &MediaKind,
        extension: &str,
    ) -> impl Iterator<Item = &'a PluginHandle> + use<'a> {
        let of_kind = self.0.routes.by_kind.get(kind);
        let lower = extension.to_ascii_lowercase();
        let found = of_kind.and_then(|extensions| extensions.get(&lower));
        found.into_iter().flatten().filter(|plugin| plugin.is_active())
    }

    /// The plugins of this kind by file extension in lower case, those first to be asked first, whether or not they
    /// may be called now.
    pub fn by_extension(&self, kind: &MediaKind) -> HashMap<String, Vec<PluginHandle>> {
        self.0.routes.by_kind.get(kind).cloned().unwrap_or_default()
    }

    /// The endings of the files beside a media file of this kind that its plugins may read, in lower case.
    pub fn related_extensions(&self, kind: &MediaKind) -> HashSet<String> {
        let kinds = self.0.handles().flat_map(|plugin| &plugin.0.manifest.kinds);
        let of_kind = kinds.filter(|manifest| manifest.kind == *kind);
        of_kind
            .flat_map(|manifest| manifest.related.iter().cloned())
            .collect()
    }

    /// The plugin that reads files of this kind with this extension.
    pub fn for_file(&self, kind: &MediaKind, extension: &str) -> Option<PluginHandle> {
        self.candidates(kind, extension).next().cloned()
    }

    /// The kind and plugin of files with this extension when the kind is not known; the kind first in the
    /// alphabet if several read it.
    pub fn for_extension(&self, extension: &str) -> Option<(MediaKind, PluginHandle)> {
        let kinds = self.0.routes.by_kind.keys();
        kinds
            .into_iter()
            .find_map(|kind| Some((kind.clone(), self.for_file(kind, extension)?)))
    }

    /// The plugin that draws pictures of this sort in smaller sizes: by file extension (without the dot) or MIME type, in
    /// any case.
    pub fn thumbnailer_for(&self, extension_or_media_type: &str) -> Option<PluginHandle> {
        self.0.routes.thumbnailers.active(extension_or_media_type)
    }

    /// The plugin that sums up sounds of this sort: by file extension (without the dot) or MIME type, in any case.
    pub fn waveform_analyzer_for(&self, extension_or_media_type: &str) -> Option<PluginHandle> {
        self.0.routes.waveform_analyzers.active(extension_or_media_type)
    }

    /// The plugin with this id, if it was loaded; it may have been shut off since.
    pub fn handle(&self, plugin_id: &str) -> Option<PluginHandle> {
        self.0.handles().find(|plugin| plugin.id() == plugin_id).cloned()
    }

    /// The kinds that a plugin reads, in alphabetical order.
    pub fn kinds(&self) -> Vec<MediaKind> {
        self.0.routes.by_kind.keys().cloned().collect()
    }

    /// A new set of instances, for one thread.
    pub fn worker(&self) -> Worker {
        Worker::new(Arc::clone(&self.0))
    }
}

impl fmt::Debug for Plugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.handles()).finish()
    }
}

impl PluginsInner {
    fn handles(&self) -> impl Iterator<Item = &PluginHandle> {
        handles(&self.entries)
    }
}

fn handles(entries: &[Entry]) -> impl Iterator<Item = &PluginHandle> {
    entries.iter().filter_map(|entry| match entry {
        Entry::Ready(plugin) => Some(plugin),
        Entry::Unusable(_) => None,
    })
}

impl Entry {
    fn status(&self) -> PluginStatus {
        match self {
            Self::Ready(plugin) => plugin.status(),
            Self::Unusable(status) => (**status).clone(),
        }
    }
}

/// Loads one plugin after those before it, whose ids are taken.
fn load_one(
    loader: &Loader<'_>,
    before: &[Entry],
    bytes: io::Result<Vec<u8>>,
    origin: PluginOrigin,
    isolation: Isolation,
) -> Entry {
    let mut digest = String::new();
    let (manifest, state) = match bytes {
        Err(error) => (
            None,
            PluginState::Failed {
                reason: format!("it cannot be read: {error}"),
            },
        ),
        Ok(bytes) => {
            digest = cache::digest(&bytes);
            match loader.load(&bytes, &digest, &origin, isolation) {
                Ok(plugin) => match handles(before).find(|other| *other.0.id == *plugin.id) {
                    None => return Entry::Ready(PluginHandle(Arc::new(plugin))),
                    Some(other) => {
                        let owner = other.0.origin.label();
                        let reason = format!("the id `{}` is taken by the plugin from {owner}", plugin.id);
                        (Some(plugin.manifest), PluginState::Failed { reason })
                    }
                },
                Err(rejection) => (rejection.manifest.map(|manifest| *manifest), rejection.state),
            }
        }
    };
    if let Some(reason) = state.reason() {
        tracing::error!(
            plugin = origin.label(),
            state = state.name(),
            "the plugin cannot be used: {reason}"
        );
    }
    let (has_artwork, degraded, stats) = (false, false, None);
    let status = PluginStatus {
        origin,
        digest,
        manifest,
        state,
        has_artwork,
        degraded,
        stats,
    };
    Entry::Unusable(Box::new(status))
}

/// The `.wasm` files of the plugin directory in alphabetical order. Compiled code that somebody left there is
/// none of them, whatever it is called: it does not begin like a component.
fn plugin_files(dir: Option<&Path>) -> Result<Vec<PathBuf>, PluginHostError> {
    let Some(dir) = dir else { return Ok(Vec::new()) };
    let unreadable = |source| PluginHostError::PluginDir {
        path: dir.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            files.push(path);
        }
        if files.len() > limits::PLUGIN_FILES {
            return Err(PluginHostError::TooManyPlugins { path: dir.to_owned() });
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a component, one byte more than allowed at most: the loader names what is too long.
fn read_component(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(limits::COMPONENT_BYTES + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
