//! All plugins of the server, built-in and from the plugin directory: loading, selection by file, status.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cache;
use crate::cache::CodeCache;
use crate::engine;
use crate::limits;
use crate::loader::{Loader, new_linker};
use crate::plugin::PluginHandle;
use crate::plugin_index::PluginIndex;
use crate::settings::{BuiltIn, Isolation, PluginHostError, PluginSettings};
use crate::status::{PluginOrigin, PluginState, PluginStatus};
use crate::ticker::Ticker;
use crate::worker::Worker;
use svc_domain::kind::MediaKind;

/// All plugins. Clones share them.
#[derive(Clone)]
pub struct Plugins(Arc<PluginsInner>);

pub(super) struct PluginsInner {
    /// In the order of loading.
    entries: Vec<Entry>,
    plugin_index: PluginIndex,
    pub(super) ticker: Ticker,
}

enum Entry {
    Ready(PluginHandle),
    /// Does not change until the next start.
    Unusable(Box<PluginStatus>),
}

impl Plugins {
    /// Loads all plugins. Blocks while plugins that are not cached are compiled.
    pub fn load(settings: &PluginSettings, built_in: &[BuiltIn]) -> Result<Self, PluginHostError> {
        let engine_error = |error: wasmtime::Error| PluginHostError::Engine(format!("{error:#}"));
        let (engine, address_space) = engine::choose_engine().map_err(engine_error)?;
        // Started first and kept running: loading runs start functions.
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
                plugin.component.bytes(),
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
        let plugin_index = PluginIndex::new(handles(&entries));
        drop(ticking);
        Ok(Self(Arc::new(PluginsInner {
            entries,
            plugin_index,
            ticker,
        })))
    }

    /// The status of all plugins, including those that are not active.
    pub fn list(&self) -> Vec<PluginStatus> {
        self.0.entries.iter().map(Entry::status).collect()
    }

    /// The active extractors for files of this kind and extension (without the dot, in any case), in the order in
    /// which they are called: when one rejects a file, the next one is called.
    pub fn candidates<'a>(
        &'a self,
        kind: &MediaKind,
        extension: &str,
    ) -> impl Iterator<Item = &'a PluginHandle> + use<'a> {
        let of_kind = self.0.plugin_index.by_kind.get(kind);
        let lower = extension.to_ascii_lowercase();
        let found = of_kind.and_then(|extensions| extensions.get(&lower));
        found.into_iter().flatten().filter(|plugin| plugin.is_active())
    }

    /// The extractors of this kind by file extension in lower case, in the order in which they are called, including
    /// quarantined ones.
    pub fn by_extension(&self, kind: &MediaKind) -> HashMap<String, Vec<PluginHandle>> {
        self.0.plugin_index.by_kind.get(kind).cloned().unwrap_or_default()
    }

    /// Extensions, in lower case, of the sidecars that plugins of this kind may read.
    pub fn related_extensions(&self, kind: &MediaKind) -> HashSet<String> {
        let kinds = self.0.handles().flat_map(|plugin| &plugin.0.manifest.kinds);
        let of_kind = kinds.filter(|manifest| manifest.kind == *kind);
        of_kind
            .flat_map(|manifest| manifest.related.iter().cloned())
            .collect()
    }

    /// The first active extractor for files of this kind and extension.
    pub fn for_file(&self, kind: &MediaKind, extension: &str) -> Option<PluginHandle> {
        self.candidates(kind, extension).next().cloned()
    }

    /// Kind and extractor for files with this extension if the kind is not known; the alphabetically first kind if
    /// there are several.
    pub fn for_extension(&self, extension: &str) -> Option<(MediaKind, PluginHandle)> {
        let kinds = self.0.plugin_index.by_kind.keys();
        kinds
            .into_iter()
            .find_map(|kind| Some((kind.clone(), self.for_file(kind, extension)?)))
    }

    /// The active thumbnailer for a file extension (without the dot) or MIME type, in any case.
    pub fn thumbnailer_for(&self, extension_or_media_type: &str) -> Option<PluginHandle> {
        self.0.plugin_index.thumbnailers.active(extension_or_media_type)
    }

    /// The active waveform analyzer for a file extension (without the dot) or MIME type, in any case.
    pub fn waveform_analyzer_for(&self, extension_or_media_type: &str) -> Option<PluginHandle> {
        self.0
            .plugin_index
            .waveform_analyzers
            .active(extension_or_media_type)
    }

    /// The plugin with this id, if it was loaded; it may be quarantined.
    pub fn handle(&self, plugin_id: &str) -> Option<PluginHandle> {
        self.0.handles().find(|plugin| plugin.id() == plugin_id).cloned()
    }

    /// The kinds that extractors read, in alphabetical order.
    pub fn kinds(&self) -> Vec<MediaKind> {
        self.0.plugin_index.by_kind.keys().cloned().collect()
    }

    /// A worker with instances of its own, for one thread.
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

/// Loads one plugin; the ids of those before it are taken.
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
            "plugin cannot be used: {reason}"
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

/// The `.wasm` files of the plugin directory in alphabetical order. Compiled code with this extension is rejected by
/// the loader, since it does not start like a component.
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

/// Reads a component, at most one byte above the limit: the loader reports the size.
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
