//! `cargo xtask plugin-tools`: the compilers of plugins in Python, JavaScript and C, and the provider of OpenID Connect
//! that the tests sign in with, from their package registries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{process, workspace};

/// The templates name the versions: componentize-py and ziglang from PyPI, jco from npm.
const TEMPLATES: &str = "host/crates/plugin-kit/templates";

/// Installs them below `target/plugin-tools`, where the tests look. With `skips` a tool that cannot be fetched is
/// reported only; its language's tests then say that they were skipped.
pub(crate) fn install(skips: bool) -> Result<()> {
    let directory = workspace::root().join("target/plugin-tools");
    fs::create_dir_all(&directory)?;
    let outcomes = [
        ("componentize-py", python(&directory, "python")),
        ("ziglang", python(&directory, "c")),
        ("jco", jco(&directory)),
        ("oidc-provider", oidc_provider(&directory)),
    ];
    for (tool, outcome) in outcomes {
        match outcome {
            Ok(()) => println!("{tool} is in {}", workspace::shown(&directory)),
            Err(error) if skips => eprintln!("xtask: {tool} was NOT installed, on your word: {error:#}"),
            Err(error) => return Err(error.context(format!("{tool} was NOT installed"))),
        }
    }
    Ok(())
}

/// A virtual environment with the requirements of a template.
fn python(directory: &Path, language: &str) -> Result<()> {
    let requirements = template(&format!("{language}/requirements.txt.tmpl"));
    let wanted = fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let environment = directory.join(language).join(".venv");
    let stamp = environment.join("installed.txt");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    process::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    process::run(
        Command::new(environment.join("bin/pip"))
            .args(["install", "--quiet", "--requirement"])
            .arg(&requirements),
    )?;
    Ok(fs::write(stamp, wanted)?)
}

/// The packages of the JavaScript template.
fn jco(directory: &Path) -> Result<()> {
    let wanted = fs::read_to_string(template("js/package.json.tmpl"))?.replace("{{id}}", "plugin-tools");
    node(&directory.join("js"), &wanted)
}

/// The provider of OpenID Connect of the tests.
fn oidc_provider(directory: &Path) -> Result<()> {
    let wanted = fs::read_to_string(workspace::root().join("tests/oidc-provider/package.json"))?;
    node(&directory.join("oidc"), &wanted)
}

/// `node_modules` with the packages that a `package.json` names.
fn node(folder: &Path, wanted: &str) -> Result<()> {
    fs::create_dir_all(folder)?;
    let (package, stamp) = (folder.join("package.json"), folder.join("installed.txt"));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    fs::write(&package, wanted)?;
    let mut npm = Command::new("npm");
    process::run(
        npm.args(["install", "--no-audit", "--no-fund"])
            .current_dir(folder),
    )?;
    Ok(fs::write(stamp, wanted)?)
}

fn template(path: &str) -> PathBuf {
    workspace::root().join(TEMPLATES).join(path)
}
