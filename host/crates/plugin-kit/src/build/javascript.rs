//! JavaScript: jco, from the project's `node_modules` or the path.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::error::KitError;
use crate::process::Program;
use crate::wit;

const INSTALL: &str = "npm install";

/// The component of the file that `package.json` names as `main`.
pub(super) fn build(folder: &Path) -> Result<Vec<u8>, KitError> {
    let main = main(folder)?;
    let program =
        Program::in_folder(folder, "node_modules/.bin", "jco").unwrap_or_else(|| Program::new(["jco"]));
    let output = tempfile::tempdir().map_err(KitError::file(folder))?;
    let component = output.path().join("component.wasm");
    let component_text = component.to_string_lossy();
    // Without `--disable all` the component imports clocks, random numbers and HTTP, which plugins do not have.
    let arguments = [
        "componentize",
        main.as_str(),
        "--wit",
        "wit",
        "--world-name",
        wit::WORLD,
        "--disable",
        "all",
        "--out",
        &*component_text,
    ];
    program
        .run(&arguments, folder)
        .map_err(|error| error.or_missing("jco", INSTALL))?;
    fs::read(&component).map_err(KitError::file(&component))
}

fn main(folder: &Path) -> Result<String, KitError> {
    let path = folder.join("package.json");
    let text = fs::read_to_string(&path).map_err(KitError::file(&path))?;
    let package: Option<Json> = serde_json::from_str(&text).ok();
    let main = package.as_ref().and_then(|package| package.get("main")?.as_str());
    main.map(str::to_owned).ok_or_else(|| KitError::Argument {
        what: format!("{} does not name the plugin's file", path.display()),
        next: "add `\"main\": \"plugin.js\"` to it".to_owned(),
    })
}
