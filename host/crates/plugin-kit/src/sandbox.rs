//! One plugin in the plugin host, as the server would run it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use svc_domain::extraction::PictureData;
use svc_domain::kind::MediaKind;
use svc_domain::path::extension;
use svc_domain::rendering::ImageBounds;
use svc_plugin_host::{
    BuiltIn, GrantedLimits, Isolation, IsolationPolicy, Manifest, PluginChoices, PluginHandle, PluginOrigin,
    PluginSettings, Plugins, SourceFile, Worker, inspect,
};
use tempfile::TempDir;

use crate::error::KitError;
use crate::record::Record;

/// Name of the plugin's file in the directory from which it is loaded.
const PLUGIN: &str = "plugin.wasm";
/// Edge of the thumbnails that are rendered, in pixels.
const THUMBNAIL: u32 = 256;
/// Bins of the waveforms that are computed.
const BINS: u32 = 64;

/// What the plugin host needs besides the plugin.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// Where and how plugins are compiled. The plugin directory has the plugins whose kinds a plugin may add file types to.
    pub settings: PluginSettings,
    /// The server's own plugins, which a plugin may add file types to.
    pub built_in: Vec<BuiltIn>,
}

/// A loaded plugin.
#[derive(Debug)]
pub struct Sandbox {
    plugins: Plugins,
    handle: PluginHandle,
    manifest: Manifest,
    limits: Vec<GrantedLimits>,
    /// The directory from which it was loaded.
    _directory: TempDir,
}

impl Sandbox {
    /// Loads a component; compiles it unless its code is cached.
    ///
    /// # Errors
    /// It cannot be read or loaded.
    pub fn load(options: &HostOptions, file: &Path, isolation: Isolation) -> Result<Self, KitError> {
        let path = file.canonicalize().map_err(KitError::file(file))?;
        let directory = tempfile::tempdir().map_err(KitError::file(file))?;
        symlink(&path, directory.path().join(PLUGIN)).map_err(KitError::file(file))?;
        let others = Others::of(options, &path)?;
        for (number, other) in others.files.iter().enumerate() {
            let link = directory.path().join(format!("other-{number}.wasm"));
            symlink(other, link).map_err(KitError::file(other))?;
        }
        let settings = PluginSettings {
            plugin_dir: Some(directory.path().to_owned()),
            choices: PluginChoices::default(),
            isolation: IsolationPolicy {
                built_in: isolation,
                third_party: isolation,
            },
            ..options.settings.clone()
        };
        let plugins = Plugins::load(&settings, &others.built_in)?;
        let statuses = plugins.list();
        let status = statuses
            .iter()
            .find(|status| matches!(&status.origin, PluginOrigin::File(path) if path.ends_with(PLUGIN)));
        let not_loaded = |reason: String| KitError::NotLoaded {
            path: file.to_owned(),
            reason,
        };
        let status = status.ok_or_else(|| not_loaded("it is not listed".to_owned()))?;
        if let Some(reason) = status.state.reason() {
            return Err(not_loaded(reason.to_owned()));
        }
        let handle = plugins.handle(&status.id());
        let (Some(handle), Some(manifest)) = (handle, status.manifest.clone()) else {
            return Err(not_loaded(status.state.name().to_owned()));
        };
        Ok(Self {
            limits: status.limits.clone(),
            plugins,
            handle,
            manifest,
            _directory: directory,
        })
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The limits in force.
    pub fn limits(&self) -> &[GrantedLimits] {
        &self.limits
    }

    /// Instances for one thread.
    pub fn reader(&self) -> Reader {
        Reader {
            worker: self.plugins.worker(),
            handle: self.handle.clone(),
            manifest: self.manifest.clone(),
        }
    }

    /// The most linear memory that an instance had, in bytes. Readers report it when they are dropped.
    pub fn max_memory(&self) -> u64 {
        self.handle.status().stats.map_or(0, |stats| stats.max_memory)
    }

    /// Whether the plugin reads files with this name.
    pub fn reads(&self, name: &str) -> bool {
        Abilities::of(&self.manifest, name).any()
    }
}

/// What has to be loaded beside a plugin that adds file types to a kind that another one defines. Compiling the others
/// takes seconds, so they are left out otherwise.
#[derive(Debug, Default)]
struct Others {
    built_in: Vec<BuiltIn>,
    /// Files of the plugin directory that define such a kind.
    files: Vec<PathBuf>,
}

impl Others {
    fn of(options: &HostOptions, path: &Path) -> Result<Self, KitError> {
        let Some(manifest) = manifest_of(path) else {
            return Ok(Self::default());
        };
        let foreign = manifest.kinds.iter().filter(|kind| kind.schema.is_none());
        let foreign: Vec<&MediaKind> = foreign
            .map(|kind| &kind.kind)
            .filter(|kind| !MediaKind::BUILT_IN.contains(&kind.as_str()))
            .collect();
        if foreign.is_empty() {
            return Ok(Self::default());
        }
        let defines = |other: &Manifest| {
            let mut defined = other.kinds.iter().filter(|kind| kind.schema.is_some());
            other.id != manifest.id && defined.any(|kind| foreign.contains(&&kind.kind))
        };
        let mut files = Vec::new();
        if let Some(directory) = &options.settings.plugin_dir {
            for entry in fs::read_dir(directory)
                .map_err(KitError::file(directory))?
                .flatten()
            {
                let file = entry.path();
                let is_plugin = file.extension().is_some_and(|extension| extension == "wasm");
                let Some(file) = file.canonicalize().ok().filter(|_| is_plugin) else {
                    continue;
                };
                if manifest_of(&file).is_some_and(|other| defines(&other)) {
                    files.push(file);
                }
            }
        }
        let built_in = options.built_in.iter();
        let built_in = built_in.filter(|other| other.name != manifest.id);
        Ok(Self {
            built_in: built_in.copied().collect(),
            files,
        })
    }
}

/// The manifest of a component; `None` for any other file.
fn manifest_of(path: &Path) -> Option<Manifest> {
    let bytes = fs::read(path).ok()?;
    let outline = inspect(&bytes).ok()?;
    Manifest::parse(outline.manifest).ok()
}

/// What a plugin does with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Abilities {
    extracts: bool,
    renders: bool,
    measures: bool,
}

impl Abilities {
    fn of(manifest: &Manifest, name: &str) -> Self {
        let extension = extension(name);
        let has = |extensions: &[String]| extensions.iter().any(|known| *known == extension);
        let files = |files: &Option<svc_plugin_host::ManifestFiles>| {
            files.as_ref().is_some_and(|files| has(&files.extensions))
        };
        Self {
            extracts: manifest.kinds.iter().any(|kind| has(&kind.extensions)),
            renders: files(&manifest.thumbnailer),
            measures: files(&manifest.waveform),
        }
    }

    fn any(self) -> bool {
        self.extracts || self.renders || self.measures
    }
}

/// Instances of the plugin for one thread. Whether it reuses one says the isolation.
pub struct Reader {
    worker: Worker,
    handle: PluginHandle,
    manifest: Manifest,
}

impl Reader {
    /// Calls every ability that the plugin has for files with this name.
    pub fn read(&mut self, source: &Arc<SourceFile>) -> Record {
        let abilities = Abilities::of(&self.manifest, source.name());
        let mut record = Record::default();
        if abilities.extracts {
            self.extract(source, &mut record);
        }
        if abilities.renders {
            let sizes = [ImageBounds::square(THUMBNAIL)];
            record.add_thumbnails(self.worker.render(&self.handle, source, &sizes));
        }
        if abilities.measures {
            record.add_waveform(self.worker.measure(&self.handle, source, BINS));
        }
        record
    }

    /// Extracts, reads the packed pictures, lists the pages and reads the first packed one.
    fn extract(&mut self, source: &Arc<SourceFile>, record: &mut Record) {
        let (worker, handle) = (&mut self.worker, &self.handle);
        let outcome = worker.explain(handle, source);
        let pictures = outcome
            .as_ref()
            .ok()
            .and_then(Option::as_ref)
            .map(|extraction| &extraction.pictures);
        let data = pictures.into_iter().flatten().map(|picture| picture.data);
        for index in on_request(data).into_iter().filter(|_| handle.has_artwork()) {
            record.add_artwork(worker.read_picture(handle, source, index));
        }
        let is_read = outcome.is_ok();
        record.add_extraction(outcome);
        if is_read && handle.has_pages() {
            let pages = worker.list_pages(handle, source);
            let data = pages.iter().flatten().map(|page| page.data);
            let first = on_request(data).first().copied();
            record.add_pages(pages);
            if let Some(first) = first {
                record.add_page(worker.read_page(handle, source, first));
            }
        }
    }
}

/// The indices of what the plugin returns on request.
fn on_request(data: impl Iterator<Item = PictureData>) -> Vec<u32> {
    (0..)
        .zip(data)
        .filter(|(_, data)| *data == PictureData::OnRequest)
        .map(|(index, _)| index)
        .collect()
}
