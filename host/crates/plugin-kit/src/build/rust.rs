//! Rust: cargo, for `wasm32-unknown-unknown`.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::error::KitError;
use crate::process::Program;

const TARGET: &str = "wasm32-unknown-unknown";

/// The core module of the crate in this folder.
pub(super) fn build(folder: &Path) -> Result<Vec<u8>, KitError> {
    let toolchain = toolchain(folder)?;
    let cargo = Program::new(["cargo"].into_iter().chain(toolchain.as_deref()));
    let arguments = [
        "build",
        "--release",
        "--target",
        TARGET,
        "--message-format",
        "json-render-diagnostics",
    ];
    let messages = cargo
        .run(&arguments, folder)
        .map_err(|error| error.or_missing("cargo", "install Rust: https://rustup.rs"))
        .map_err(|error| explained(error, &cargo, folder))?;
    let messages = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let modules: Vec<String> = messages.filter_map(|message| module(&message, folder)).collect();
    match modules.as_slice() {
        [path] => fs::read(path).map_err(KitError::file(Path::new(path))),
        _ => Err(KitError::Argument {
            what: format!("the crate in {} builds no module", folder.display()),
            next: "add `crate-type = [\"cdylib\", \"rlib\"]` to `[lib]` in Cargo.toml".to_owned(),
        }),
    }
}

/// The `.wasm` file of a message about this crate's own `cdylib`.
fn module(message: &Json, folder: &Path) -> Option<String> {
    let manifest = Path::new(message.get("manifest_path")?.as_str()?);
    let types = message.pointer("/target/crate_types")?.as_array()?;
    let is_ours = manifest.parent() == Some(folder) && types.iter().any(|name| name == "cdylib");
    let files = message.get("filenames")?.as_array()?;
    let mut files = files.iter().filter_map(Json::as_str);
    files
        .find(|file| is_ours && file.ends_with(".wasm"))
        .map(str::to_owned)
}

/// `cargo` writes its messages for programs to standard output; people have read the others. Those about dependencies are
/// asked for again, because only they tell that the SDK cannot be found.
fn explained(error: KitError, cargo: &Program, folder: &Path) -> KitError {
    let KitError::ToolFailed { tool, status, .. } = error else {
        return error;
    };
    let complaint = cargo.complaint(&["metadata", "--format-version", "1"], folder);
    if complaint.is_some_and(|complaint| lacks_sdk(&complaint)) {
        return KitError::SdkMissing;
    }
    KitError::ToolFailed {
        tool,
        status,
        output: String::new(),
    }
}

/// Whether cargo says that it finds no crate of the SDK, or none of the version.
fn lacks_sdk(complaint: &str) -> bool {
    let texts = [
        "no matching package named",
        "failed to select a version for the requirement",
    ];
    let mut lines = complaint.lines();
    lines.any(|line| line.contains("svc-plugin-api") && texts.iter().any(|text| line.contains(text)))
}

/// The argument that selects a toolchain with the target: none for the active one, otherwise the first of rustup's.
fn toolchain(folder: &Path) -> Result<Option<String>, KitError> {
    let has_target = |selector: Option<&str>| {
        let rustc = Program::new(["rustc"].into_iter().chain(selector));
        let library = rustc.ask(&["--print", "target-libdir", "--target", TARGET], folder);
        library.is_some_and(|library| holds_libcore(Path::new(library.trim())))
    };
    if has_target(None) {
        return Ok(None);
    }
    let toolchains = Program::new(["rustup"])
        .ask(&["toolchain", "list"], folder)
        .unwrap_or_default();
    let names = toolchains
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let found = names
        .map(|name| format!("+{name}"))
        .find(|name| has_target(Some(name.as_str())));
    found.map(Some).ok_or_else(|| KitError::ToolMissing {
        tool: "the Rust target wasm32-unknown-unknown",
        next: format!("rustup target add {TARGET}"),
    })
}

fn holds_libcore(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_sdk_is_told_from_other_complaints() {
        let of = |first: &str| lacks_sdk(&format!("{first}\nlocation searched: crates.io index\n"));
        assert!(of("error: no matching package named `svc-plugin-api` found"));
        assert!(of(
            "error: failed to select a version for the requirement `svc-plugin-api = \"^0.1\"`"
        ));
        assert!(!of("error: no matching package named `svc-plugin` found"));
        assert!(!of(
            "error: failed to load source for dependency `svc-plugin-api`"
        ));
    }
}
