//! `svc plugin list` and `doctor`: the plugins of a server, and whatever keeps one from being used.

use std::fmt;
use std::fs;
use std::path::Path;

use serde::Serialize;
use svc_plugin_host::{PluginState, PluginStatus, Plugins};

use crate::finding::{Check, Status};
use crate::managed::ManagedPlugins;

/// The plugins of a server, in the order of loading.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginList {
    /// One line each.
    pub plugins: Vec<Listed>,
}

/// One plugin of a server.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// Id; the file name if the manifest could not be read.
    pub id: String,
    /// Version.
    pub version: Option<String>,
    /// `active`, `disabled`, `idle`, `quarantined`, `incompatible` or `failed`.
    pub state: &'static str,
    /// Why it is not active.
    pub reason: Option<String>,
    /// The file, or `built-in`.
    pub origin: String,
    /// SHA-256 of the component; three files of one id differ in it.
    pub digest: String,
    /// The kinds that it reads.
    pub kinds: Vec<String>,
    /// Whether it renders thumbnails.
    pub thumbnailer: bool,
    /// Whether it analyzes audio.
    pub waveform: bool,
}

/// The findings about a server's plugins.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnosis {
    /// In the order in which they matter.
    pub checks: Vec<Check>,
}

/// Lists the plugins.
pub fn list(plugins: &Plugins) -> PluginList {
    PluginList {
        plugins: plugins.list().iter().map(listed).collect(),
    }
}

fn listed(status: &PluginStatus) -> Listed {
    let manifest = status.manifest.as_ref();
    let kinds = manifest.map(|manifest| manifest.kinds.iter().map(|kind| kind.kind.to_string()).collect());
    Listed {
        id: status.id(),
        version: manifest.map(|manifest| manifest.version.clone()),
        state: status.state.name(),
        reason: status.state.reason().map(str::to_owned),
        origin: status.origin.place(),
        digest: status.digest.clone(),
        kinds: kinds.unwrap_or_default(),
        thumbnailer: manifest.is_some_and(|manifest| manifest.thumbnailer.is_some()),
        waveform: manifest.is_some_and(|manifest| manifest.waveform.is_some()),
    }
}

impl Diagnosis {
    /// Whether nothing failed.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.status != Status::Failed)
    }

    /// Adds a finding.
    pub fn add(&mut self, check: &str, status: Status, detail: impl Into<String>, next: Option<&str>) {
        self.checks.push(Check {
            check: check.to_owned(),
            status,
            detail: detail.into(),
            next: next.map(str::to_owned),
        });
    }

    /// Examines the plugin directory.
    pub fn examine_directory(&mut self, directory: Option<&Path>) {
        let Some(directory) = directory else {
            let next = "`--plugin-dir DIR` or SVC_PLUGIN_DIR names one";
            self.add(
                "plugin directory",
                Status::Passed,
                "none: built-in plugins only",
                Some(next),
            );
            return;
        };
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => {
                let detail = format!("{}: {error}", directory.display());
                let next = "create it, or let the server's user read it";
                self.add("plugin directory", Status::Failed, detail, Some(next));
                return;
            }
        };
        let names = entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned());
        let is_plugin = |name: &String| name.to_ascii_lowercase().ends_with(".wasm");
        let (plugins, others): (Vec<String>, Vec<String>) = names.partition(is_plugin);
        let detail = format!(
            "{}: {} files that end in `.wasm`",
            directory.display(),
            plugins.len()
        );
        self.add("plugin directory", Status::Passed, detail, None);
        for name in others.iter().filter(|name| !name.ends_with(".sig")) {
            let next = "a plugin's file ends in `.wasm`; move other files away";
            self.add(
                "plugin directory",
                Status::Warning,
                format!("{name} is ignored"),
                Some(next),
            );
        }
    }

    /// Examines the state of each plugin, and which plugin reads which files.
    pub fn examine_plugins(&mut self, plugins: &Plugins) {
        for status in plugins.list() {
            self.examine_plugin(&status);
        }
        for kind in plugins.kinds() {
            let mut extensions: Vec<_> = plugins.by_extension(&kind).into_iter().collect();
            extensions.sort_by(|a, b| a.0.cmp(&b.0));
            for (extension, readers) in extensions {
                let ids: Vec<&str> = readers.iter().map(|plugin| plugin.id()).collect();
                if let [first, others @ ..] = ids.as_slice()
                    && !others.is_empty()
                {
                    let detail = format!(
                        "{kind}: `.{extension}` is read by {first}; {} only gets what it refuses",
                        others.join(", ")
                    );
                    let next = "plugins of the directory come before built-in ones, then the order is that of the ids";
                    self.add("order", Status::Passed, detail, Some(next));
                }
            }
        }
    }

    /// Examines what a running server says of its plugins, or says that it was not asked.
    pub fn examine_server(&mut self, plugins: Option<&ManagedPlugins>) {
        let Some(plugins) = plugins else {
            let detail = "not examined: they are in the server's database";
            let next = "`--server URL` asks the running server";
            self.add("uploaded plugins", Status::Passed, detail, Some(next));
            return;
        };
        for plugin in &plugins.plugins {
            let (outcome, next) = match plugin.state.as_str() {
                "active" | "idle" => (Status::Passed, None),
                "disabled" => (Status::Warning, None),
                "waiting" => (
                    Status::Warning,
                    Some("`svc plugin grant` after you have read what it asks for"),
                ),
                "quarantined" => (
                    Status::Failed,
                    Some("`svc plugin release`, or a restart of the server"),
                ),
                _ => (Status::Failed, Some("solve what the reason names")),
            };
            let (id, origin, state) = (&plugin.plugin_id, &plugin.origin, &plugin.state);
            let mut detail = format!("{id} ({origin}) is {state} on the server");
            if let Some(reason) = &plugin.reason {
                detail = format!("{detail}: {reason}");
            }
            self.add("plugin", outcome, detail, next);
        }
    }

    fn examine_plugin(&mut self, status: &PluginStatus) {
        let label = format!("{} ({})", status.id(), status.origin.label());
        let reason = status.state.reason().unwrap_or_default();
        let (outcome, detail, next) = match &status.state {
            PluginState::Active => (Status::Passed, format!("{label} is active"), None),
            PluginState::Idle => (
                Status::Passed,
                format!("{label} is idle: no directory of its kinds is configured"),
                None,
            ),
            PluginState::Disabled => (
                Status::Warning,
                format!("{label} is disabled"),
                Some("an administrator disabled it; nothing is to be done if that is intended"),
            ),
            PluginState::Waiting { .. } => (
                Status::Warning,
                format!("{label}: {reason}"),
                Some("`svc plugin grant` after you have read what it asks for"),
            ),
            PluginState::Quarantined { .. } => (
                Status::Failed,
                format!("{label} is quarantined: {reason}"),
                Some("release it with PATCH /api/v1/plugins/{pluginId}, or restart the server"),
            ),
            PluginState::Incompatible { .. } => (
                Status::Failed,
                format!("{label} is incompatible: {reason}"),
                Some("install a build of it for this server's interface"),
            ),
            PluginState::Failed { .. } => (
                Status::Failed,
                format!("{label} cannot be loaded: {reason}"),
                Some("`svc plugin check FILE` lists everything that is wrong with it"),
            ),
            PluginState::Excluded { .. } => (
                Status::Failed,
                format!("{label} cannot be used beside the others: {reason}"),
                Some(
                    "nothing is wrong with the file itself: remove or install the other plugin that the reason is about",
                ),
            ),
        };
        self.add("plugin", outcome, detail, next);
    }
}

impl fmt::Display for PluginList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<16} {:<10} {:<12} {:<12} origin",
            "id", "version", "state", "sha256"
        )?;
        for plugin in &self.plugins {
            let digest = plugin.digest.get(..12).unwrap_or(&plugin.digest);
            let version = plugin.version.as_deref().unwrap_or("-");
            write!(
                f,
                "\n{:<16} {version:<10} {:<12} {digest:<12} {}",
                plugin.id, plugin.state, plugin.origin
            )?;
            if let Some(reason) = &plugin.reason {
                write!(f, "\n    {reason}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for check in &self.checks {
            writeln!(f, "{check}")?;
        }
        f.write_str(if self.passed() {
            "nothing is wrong"
        } else {
            "something is wrong"
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The status and the next step of each finding about the plugins of a server in these states.
    fn judged(states: &[(&str, &str)]) -> Vec<(Status, Option<String>)> {
        let plugins = states.iter().map(|(state, reason)| {
            let plugin = json!({
                "pluginId": "sheets", "version": "1.0.0", "state": state, "reason": reason, "origin": "uploaded",
                "digest": "", "signedBy": null, "permissions": [], "settingsSchema": {}, "settings": {},
            });
            serde_json::from_value(plugin).unwrap()
        });
        let plugins = ManagedPlugins {
            plugins: plugins.collect(),
        };
        let mut diagnosis = Diagnosis::default();
        diagnosis.examine_server(Some(&plugins));
        let checks = diagnosis.checks.into_iter();
        checks.map(|check| (check.status, check.next)).collect()
    }

    #[test]
    fn uploaded_plugins_are_examined_by_their_states() {
        let found = judged(&[
            ("active", ""),
            ("waiting", "`source` is not granted"),
            ("failed", "two plugins define the kind `sheets`"),
        ]);
        let statuses: Vec<Status> = found.iter().map(|(status, _)| *status).collect();
        assert_eq!(statuses, [Status::Passed, Status::Warning, Status::Failed]);
        let next = found.into_iter().filter_map(|(_, next)| next).next_back();
        assert_eq!(next.as_deref(), Some("solve what the reason names"));
    }

    #[test]
    fn diagnosis_says_that_it_did_not_ask_the_server() {
        let mut diagnosis = Diagnosis::default();
        diagnosis.examine_server(None);
        assert!(diagnosis.passed());
        let text = diagnosis.to_string();
        assert!(
            text.contains("uploaded plugins: not examined") && text.contains("--server URL"),
            "{text}"
        );
    }
}
