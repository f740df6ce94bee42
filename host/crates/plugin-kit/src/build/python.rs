//! Python: componentize-py, from the project's `.venv` or the path.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::KitError;
use crate::process::Program;
use crate::wit;

const INSTALL: &str = "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt";

/// The component of the folder's only Python file, or of `app.py`.
pub(super) fn build(folder: &Path) -> Result<Vec<u8>, KitError> {
    let module = module(folder)?;
    let program = Program::in_folder(folder, ".venv/bin", "componentize-py")
        .unwrap_or_else(|| Program::new(["componentize-py"]));
    let output = tempfile::tempdir().map_err(KitError::file(folder))?;
    let component = output.path().join("component.wasm");
    let component_text = component.to_string_lossy();
    // Without `--stub-wasi` the component imports files, clocks and random numbers, which plugins do not have.
    let arguments = [
        "--wit-path",
        "wit",
        "--world",
        wit::WORLD,
        "componentize",
        "--stub-wasi",
        "--output",
        &*component_text,
        module.as_str(),
    ];
    program
        .run(&arguments, folder)
        .map_err(|error| error.or_missing("componentize-py", INSTALL))?;
    fs::read(&component).map_err(KitError::file(&component))
}

fn module(folder: &Path) -> Result<String, KitError> {
    let entries = fs::read_dir(folder).map_err(KitError::file(folder))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|found| found == "py"))
        .collect();
    let app = files
        .iter()
        .find(|path| path.file_stem().is_some_and(|stem| stem == "app"));
    let chosen = match (app, files.as_slice()) {
        (Some(app), _) => Some(app),
        (None, [only]) => Some(only),
        _ => None,
    };
    let stem = chosen.and_then(|path| path.file_stem());
    stem.map(|stem| stem.to_string_lossy().into_owned())
        .ok_or_else(|| KitError::Argument {
            what: format!("{} has several Python files", folder.display()),
            next: "name the one with the exported class `app.py`".to_owned(),
        })
}
