//! The first-party plugins in the real plugin host, for tests that read single files.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use svc_domain::extraction::{ExtractFailure, ExtractOutcome};
use svc_domain::kind::MediaKind;
use svc_domain::path::extension;
use svc_domain::rendering::{ImageBounds, RenderedImage};
use svc_domain::waveform::AudioSummary;
use svc_plugin_host::{
    BuiltIn, Compiler, Component, IsolationPolicy, LimitCaps, PluginSettings, Plugins, SourceFile, Worker,
};

/// A plugin of this project, as `cargo xtask plugins` left it.
pub fn component(name: &str) -> &'static [u8] {
    let path = crate::workspace().join(format!("target/plugins/{name}.wasm"));
    let bytes = std::fs::read(&path);
    bytes
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask plugins`", path.display()))
        .leak()
}

/// Settings of a plugin host with these bounds. Its compiled code is kept between tests, in a directory of this name.
pub fn plugin_settings(name: &str, caps: LimitCaps) -> PluginSettings {
    PluginSettings {
        cache_dir: crate::workspace().join("target/test-plugin-cache").join(name),
        cache_key: [7; 32],
        compiler: Compiler::InProcess,
        plugin_dir: None,
        choices: Default::default(),
        kinds_in_use: None,
        isolation: IsolationPolicy::default(),
        caps,
    }
}

/// One plugin and the instances of one thread.
pub struct Sandbox {
    plugins: Plugins,
    worker: Worker,
    kind: MediaKind,
}

impl Sandbox {
    /// The plugin of this name, which reads the kind of the same name. Compiled code is kept between tests.
    pub fn new(name: &str) -> Self {
        let settings = plugin_settings(name, LimitCaps::default());
        let built_in = [BuiltIn {
            name: "tested",
            component: Component::Plain(component(name)),
        }];
        let plugins = Plugins::load(&settings, &built_in).unwrap();
        let worker = plugins.worker();
        Self {
            plugins,
            worker,
            kind: name.parse().unwrap(),
        }
    }

    /// Analyzes the audio of a file; `None` if the plugin does not handle its extension.
    pub fn measure(&mut self, path: &Path, bins: u32) -> Option<Result<AudioSummary, ExtractFailure>> {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let plugin = self.plugins.waveform_analyzer_for(&extension(&name))?;
        let file = File::open(path).unwrap();
        let size = file.metadata().unwrap().len();
        Some(
            self.worker
                .measure(&plugin, &Arc::new(SourceFile::new(file, name, size)), bins),
        )
    }

    /// Extracts a file; `None` if the plugin does not handle its extension.
    pub fn extract(&mut self, path: &Path) -> Option<ExtractOutcome> {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let plugin = self.plugins.for_file(&self.kind, &extension(&name))?;
        let file = File::open(path).unwrap();
        let size = file.metadata().unwrap().len();
        Some(
            self.worker
                .extract(&plugin, &Arc::new(SourceFile::new(file, name, size))),
        )
    }

    /// Renders a file in these sizes, whatever its extension.
    pub fn render(
        &mut self,
        path: &Path,
        sizes: &[ImageBounds],
    ) -> Result<Vec<RenderedImage>, ExtractFailure> {
        let plugin = self.plugins.handle(self.kind.as_str()).unwrap();
        let file = File::open(path).unwrap();
        let size = file.metadata().unwrap().len();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let source = SourceFile::new(file, name, size);
        self.worker.render(&plugin, &Arc::new(source), sizes)
    }

    /// The most linear memory that an instance held, in bytes.
    pub fn max_memory(&mut self) -> u64 {
        // The worker reports its statistics when it is dropped.
        self.worker = self.plugins.worker();
        let plugin = self.plugins.handle(self.kind.as_str()).unwrap();
        plugin.status().stats.unwrap().max_memory
    }
}
