//! Tests of the plugin host with guests of `tests/guests`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod answers;
mod cache;
pub(crate) mod cloud;
mod documented_limits;
mod first_party;
mod hostile;
mod keys;
mod kind_claims;
mod kinds;
mod lifetime;
mod loading;
mod manifests;
mod pages;
mod reload;
mod settings;
mod thumbnailers;
mod uploads;
mod versions;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use svc_test_support::guests;
use tempfile::TempDir;

use crate::*;
use svc_domain::extraction::ExtractOutcome;
use svc_domain::kind::MediaKind;

/// A plugin directory, a cache, and the plugins loaded from them.
struct Harness {
    dir: TempDir,
    settings: PluginSettings,
}

impl Harness {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let plugin_dir = dir.path().join("plugins");
        fs::create_dir(&plugin_dir).unwrap();
        let settings = PluginSettings {
            cache_dir: dir.path().join("cache"),
            cache_key: [7; 32],
            compiler: Compiler::InProcess,
            plugin_dir: Some(plugin_dir),
            choices: Default::default(),
            kinds_in_use: None,
            isolation: Default::default(),
            caps: Default::default(),
        };
        Self { dir, settings }
    }

    /// Adds a file to the plugin directory.
    fn with(self, file_name: &str, bytes: &[u8]) -> Self {
        fs::write(self.plugin_dir().join(file_name), bytes).unwrap();
        self
    }

    /// Adds a guest of `tests/guests` to the plugin directory.
    fn with_guest(self, name: &str) -> Self {
        let id = name.replace('_', "-");
        let bytes = guests::plugin(name, &id);
        self.with(&format!("{name}.wasm"), &bytes)
    }

    fn plugin_dir(&self) -> PathBuf {
        self.settings.plugin_dir.clone().unwrap()
    }

    fn load(&self) -> Plugins {
        Plugins::load(&self.settings, &[]).unwrap()
    }

    /// A media file with this content.
    fn source(&self, content: &[u8]) -> Arc<SourceFile> {
        let mut file = tempfile::tempfile_in(self.dir.path()).unwrap();
        file.write_all(content).unwrap();
        Arc::new(SourceFile::new(file, "album/a file.mp3", content.len() as u64))
    }
}

/// The state of the only plugin.
fn only_state(plugins: &Plugins) -> PluginState {
    let [status] = plugins.list().try_into().unwrap();
    status.state
}

fn code(outcome: &ExtractOutcome) -> &'static str {
    outcome.as_ref().err().map_or("none", |failure| failure.code())
}

fn title(outcome: ExtractOutcome) -> String {
    outcome.unwrap().unwrap().title.unwrap()
}
