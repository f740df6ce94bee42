//! `svc plugin check`: everything that keeps a plugin from being loaded, at once, and the quick conformance tests.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use svc_plugin_host::{COMPONENT_BYTES, Isolation, served_versions};

use crate::conformance::{self, TestStatus};
use crate::error::KitError;
use crate::finding::{Check, Status};
use crate::inspect::{self, Outline};
use crate::sandbox::{HostOptions, Sandbox};

/// The result of a check.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// The file.
    pub file: PathBuf,
    /// Id, if the manifest is valid.
    pub id: Option<String>,
    /// In the order in which the server checks.
    pub checks: Vec<Check>,
}

impl CheckReport {
    /// Whether nothing failed.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.status != Status::Failed)
    }
}

/// Checks a component.
///
/// # Errors
/// The file cannot be read, or is not a component with one manifest.
pub fn check(options: &HostOptions, file: &Path) -> Result<CheckReport, KitError> {
    let outline = inspect::inspect(file)?;
    let mut checks = Checks::default();
    checks.size(&outline);
    checks.manifest(&outline);
    checks.imports(&outline);
    checks.exports(&outline);
    checks.limits(&outline);
    checks.signature(&outline);
    if checks.none_failed() {
        checks.run(options, file);
    }
    Ok(CheckReport {
        file: file.to_owned(),
        id: outline.manifest.map(|manifest| manifest.id),
        checks: checks.0,
    })
}

#[derive(Default)]
struct Checks(Vec<Check>);

impl Checks {
    fn add(&mut self, check: &str, status: Status, detail: impl Into<String>, next: Option<String>) {
        self.0.push(Check {
            check: check.to_owned(),
            status,
            detail: detail.into(),
            next,
        });
    }

    fn none_failed(&self) -> bool {
        self.0.iter().all(|check| check.status != Status::Failed)
    }

    fn size(&mut self, outline: &Outline) {
        let (status, next) = if outline.bytes <= COMPONENT_BYTES {
            (Status::Passed, None)
        } else {
            (
                Status::Failed,
                Some("leave out libraries, or compile for size".to_owned()),
            )
        };
        self.add(
            "size",
            status,
            format!("{} of at most {COMPONENT_BYTES} bytes", outline.bytes),
            next,
        );
        if !outline.has_function_names {
            let next = "keep the section `name`: for Rust, `strip = \"debuginfo\"` in the profile".to_owned();
            let detail = "functions have no names, so a trap will not tell where it was";
            self.add("names", Status::Warning, detail, Some(next));
        }
    }

    fn manifest(&mut self, outline: &Outline) {
        for problem in &outline.manifest_problems {
            let next = "correct plugin.toml and run `svc plugin build` again".to_owned();
            self.add("manifest", Status::Failed, problem, Some(next));
        }
        let Some(manifest) = &outline.manifest else { return };
        self.add(
            "manifest",
            Status::Passed,
            format!("{} {}", manifest.id, manifest.version),
            None,
        );
        let is_named = |version: &str| {
            let patch = version.strip_prefix(&manifest.interface);
            patch.is_some_and(|rest| rest.starts_with('.'))
        };
        let ours = served_versions().any(is_named);
        let served = served_versions().collect::<Vec<_>>().join(" and ");
        let detail = format!("built for {}, this server has {served}", manifest.interface);
        if ours {
            self.add("interface version", Status::Passed, detail, None);
        } else {
            let next = "build it against this server's interface, and say so in plugin.toml".to_owned();
            self.add("interface version", Status::Failed, detail, Some(next));
        }
        for permission in manifest.permissions.keys() {
            let mut imports = outline.imports.iter();
            if imports.any(|import| short_name(&import.name) == permission) {
                continue;
            }
            let detail = format!("`{permission}` is granted but not imported");
            let next =
                format!("remove `{permission}` from [permissions]: people have to judge every line of it");
            self.add("permissions", Status::Warning, detail, Some(next));
        }
    }

    fn imports(&mut self, outline: &Outline) {
        for import in &outline.imports {
            let status = if import.problem.is_some() {
                Status::Failed
            } else {
                Status::Passed
            };
            let detail = match &import.problem {
                Some(problem) => format!("{} (provided by {}): {problem}", import.name, import.provided_by),
                None => format!("{}, provided by {}", import.name, import.provided_by),
            };
            self.add("import", status, detail, import.next.clone());
        }
    }

    fn exports(&mut self, outline: &Outline) {
        let Some(manifest) = &outline.manifest else { return };
        let promised = |name: &str| match name {
            "extractor" => manifest
                .files
                .keys()
                .any(|what| what != "thumbnailer" && what != "waveform"),
            other => manifest.files.contains_key(other),
        };
        for (name, table) in [
            ("extractor", "[[kinds]]"),
            ("thumbnailer", "[thumbnailer]"),
            ("waveform", "[waveform]"),
        ] {
            let is_exported = outline.exports.iter().any(|export| short_name(export) == name);
            match (promised(name), is_exported) {
                (true, true) => self.add("export", Status::Passed, name, None),
                (true, false) => {
                    let next = format!("implement and export it, or remove `{table}` from plugin.toml");
                    let detail = format!("`{table}` promises `{name}`, which is not exported");
                    self.add("export", Status::Failed, detail, Some(next));
                }
                (false, true) => {
                    let next = format!("add `{table}` with the files to plugin.toml");
                    let detail = format!("`{name}` is exported, but plugin.toml has no `{table}`");
                    self.add("export", Status::Failed, detail, Some(next));
                }
                (false, false) => {}
            }
        }
    }

    fn limits(&mut self, outline: &Outline) {
        for limit in &outline.limits {
            for reduced in &limit.reduced {
                let detail = format!("{}: {reduced}", limit.ability);
                let next = "request what the server grants, and test with it".to_owned();
                self.add("limits", Status::Warning, detail, Some(next));
            }
        }
    }

    fn signature(&mut self, outline: &Outline) {
        let Some(signed) = &outline.signature else { return };
        match &signed.reason {
            None => self.add(
                "signature",
                Status::Passed,
                format!("by {}", signed.public_key),
                None,
            ),
            Some(reason) => {
                let next = "sign it again with `svc plugin sign`, or remove the signature".to_owned();
                let detail = format!("{}: {reason}", signed.signature.display());
                self.add("signature", Status::Failed, detail, Some(next));
            }
        }
    }

    /// Loads the plugin and gives it files that no plugin may stumble over.
    fn run(&mut self, options: &HostOptions, file: &Path) {
        let sandbox = match Sandbox::load(options, file, Isolation::Worker) {
            Ok(sandbox) => sandbox,
            Err(error) => {
                let reason = error.to_string();
                let next = if reason.contains("which no loaded plugin defines") {
                    "name the directory with the plugin that defines the kind: `--plugin-dir DIR`"
                } else {
                    "correct what the reason names, and build again"
                };
                self.add("start", Status::Failed, reason, Some(next.to_owned()));
                return;
            }
        };
        self.add("start", Status::Passed, "compiled, linked and started", None);
        for test in conformance::quick(&sandbox) {
            match test.status {
                TestStatus::Passed => {
                    self.add(test.test, Status::Passed, format!("{} cases", test.cases), None);
                }
                TestStatus::NotRun => {
                    let next = "correct what failed before it".to_owned();
                    let why = test.left_out.unwrap_or_default();
                    self.add(test.test, Status::Failed, format!("not run: {why}"), Some(next));
                }
                TestStatus::Failed => {}
            }
            for failure in test.failures {
                let next = "return `refused` for a file of another format, and never trust a length in it"
                    .to_owned();
                self.add(test.test, Status::Failed, failure, Some(next));
            }
        }
    }
}

/// `svc:plugin/source@0.1.0` as `source`.
fn short_name(name: &str) -> &str {
    let (interface, _) = name.split_once('@').unwrap_or((name, ""));
    interface.rsplit_once('/').map_or(interface, |(_, short)| short)
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.file.display())?;
        for check in &self.checks {
            writeln!(f, "{check}")?;
        }
        f.write_str(if self.passed() { "passed" } else { "FAILED" })
    }
}
