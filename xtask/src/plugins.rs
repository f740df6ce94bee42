//! `cargo xtask plugins`: compiles the plugins' workspace and wraps each module into a component.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::wasm_target::{self, TARGET, Toolchain};
use crate::{process, workspace};

/// Writes `target/plugins/<name>.wasm` for each plugin. Unchanged files are not touched, so that the server, which
/// embeds them, is not rebuilt.
pub(crate) fn build() -> Result<()> {
    let toolchain = wasm_target::ensure()?;
    let modules = compile(toolchain)?;
    if modules.is_empty() {
        bail!(
            "no crate in {} builds a cdylib",
            workspace::shown(&workspace::plugins())
        );
    }
    // The directory that the host's build script and the tests read, whatever `CARGO_TARGET_DIR` is.
    let destination = workspace::root().join("target/plugins");
    std::fs::create_dir_all(&destination)
        .with_context(|| format!("cannot make {}", destination.display()))?;
    for module in &modules {
        wrap(module, &destination).with_context(|| format!("plugin {}", module.name))?;
    }
    remove_strays(&modules, &destination)
}

/// A core module that cargo has built.
struct Module {
    /// The package's name without `svc-plugin-`.
    name: String,
    path: PathBuf,
}

fn compile(toolchain: Toolchain) -> Result<Vec<Module>> {
    let names = package_names()?;
    let mut build = toolchain.cargo();
    build
        .args([
            "build",
            "--release",
            "--target",
            TARGET,
            "--message-format",
            "json-render-diagnostics",
        ])
        .arg("--target-dir")
        .arg(workspace::target().join("plugins-build"))
        .current_dir(workspace::plugins());
    let messages = process::output(build.stdin(Stdio::null()))?;
    let messages = String::from_utf8(messages).context("cargo's messages are not UTF-8")?;
    let artifacts = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut modules: Vec<Module> = artifacts
        .filter(is_cdylib)
        .filter_map(|artifact| module(&artifact, &names))
        .collect();
    modules.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(modules)
}

fn is_cdylib(message: &Value) -> bool {
    let kinds = message.pointer("/target/crate_types").and_then(Value::as_array);
    message
        .get("reason")
        .is_some_and(|reason| reason == "compiler-artifact")
        && kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == "cdylib"))
}

fn module(artifact: &Value, names: &HashMap<String, String>) -> Option<Module> {
    let files = artifact.get("filenames")?.as_array()?;
    let path = files
        .iter()
        .filter_map(Value::as_str)
        .find(|file| file.ends_with(".wasm"))?;
    // A cdylib among the dependencies is no plugin: only the workspace's own packages have a name here.
    let package = names.get(artifact.get("package_id")?.as_str()?)?;
    Some(Module {
        name: package.strip_prefix("svc-plugin-").unwrap_or(package).to_owned(),
        path: path.into(),
    })
}

/// Package ids and names of the plugins' workspace.
fn package_names() -> Result<HashMap<String, String>> {
    let mut metadata = process::cargo(["metadata", "--no-deps", "--format-version", "1"]);
    let metadata = process::output(metadata.current_dir(workspace::plugins()))?;
    let metadata: Value = serde_json::from_slice(&metadata).context("cargo metadata is not JSON")?;
    let packages = metadata
        .get("packages")
        .and_then(Value::as_array)
        .context("cargo metadata lists no packages")?;
    let text = |package: &Value, key| package.get(key).and_then(Value::as_str).map(str::to_owned);
    Ok(packages
        .iter()
        .filter_map(|package| Some((text(package, "id")?, text(package, "name")?)))
        .collect())
}

/// Converts the module to a component, unless that was done for the same bytes before.
fn wrap(module: &Module, destination: &Path) -> Result<()> {
    let bytes =
        std::fs::read(&module.path).with_context(|| format!("cannot read {}", module.path.display()))?;
    let component = destination.join(&module.name).with_extension("wasm");
    let stamp = module.path.with_extension("component-stamp");
    let digest = digest(&bytes);
    if component.is_file() && std::fs::read_to_string(&stamp).is_ok_and(|known| known == digest) {
        return Ok(());
    }
    let encoded = wit_component::ComponentEncoder::default()
        .validate(true)
        .module(&bytes)
        .and_then(|encoder| encoder.encode())
        .context("cannot make a component of it")?;
    if std::fs::read(&component).is_ok_and(|known| known == encoded) {
        return Ok(std::fs::write(stamp, digest)?);
    }
    // Renamed into place: a host build that runs at the same time never embeds half a file.
    let half = component.with_extension("wasm.part");
    std::fs::write(&half, &encoded).with_context(|| format!("cannot write {}", half.display()))?;
    std::fs::rename(&half, &component)?;
    std::fs::write(stamp, digest)?;
    eprintln!(
        "xtask: {} ({} KiB)",
        workspace::shown(&component),
        encoded.len() / 1024
    );
    Ok(())
}

/// Digest of a module, valid for one build of xtask only, because `DefaultHasher` may change with the compiler.
fn digest(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:016x} {}", hasher.finish(), bytes.len())
}

/// Removes the components of plugins that were renamed or removed, so that they are not embedded.
fn remove_strays(modules: &[Module], destination: &Path) -> Result<()> {
    for entry in std::fs::read_dir(destination)?.flatten() {
        let path = entry.path();
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        if !modules.iter().any(|module| module.name == stem) {
            std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}
