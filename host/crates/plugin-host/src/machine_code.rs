//! The machine code of plugins: from the cache, or compiled and cached.

use std::time::Instant;

use wasmtime::Engine;
use wasmtime::component::Component;

use crate::cache::CodeCache;
use crate::compile::Compiler;
use crate::engine;
use crate::engine::AddressSpace;
use crate::manifest::Manifest;
use crate::settings::{PluginHostError, PluginSettings};

/// Where machine code for one engine comes from.
pub(super) struct MachineCode {
    pub(super) engine: Engine,
    pub(super) cache: CodeCache,
    address_space: AddressSpace,
    compiler: Compiler,
}

impl MachineCode {
    /// Creates an engine that suits this machine, and opens the cache of its code.
    pub(super) fn open(settings: &PluginSettings) -> Result<Self, PluginHostError> {
        let (engine, address_space) =
            engine::choose_engine().map_err(|error| PluginHostError::Engine(format!("{error:#}")))?;
        let cache = CodeCache::open(
            &settings.cache_dir,
            settings.cache_key,
            engine::fingerprint(&engine),
        )
        .map_err(|source| PluginHostError::CacheDir {
            path: settings.cache_dir.clone(),
            source,
        })?;
        Ok(Self {
            engine,
            cache,
            address_space,
            compiler: settings.compiler.clone(),
        })
    }

    /// The machine code of a component, by its digest. Blocks while it is compiled.
    pub(super) fn of(&self, manifest: &Manifest, bytes: &[u8], digest: &str) -> Result<Component, String> {
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
}

/// Milliseconds since then, for the log.
pub(super) fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
