//! `cargo xtask build`, and the host binary for every chore that needs one.

use std::path::PathBuf;

use anyhow::Result;

use crate::{plugins, process, workspace};

/// Plugins, then the release binary with them inside.
pub(crate) fn build_release() -> Result<PathBuf> {
    plugins::build()?;
    process::run(&mut process::cargo(["build", "--release", "-p", "svc-host"]))?;
    let binary = workspace::target().join("release/svc");
    eprintln!("xtask: {}", workspace::shown(&binary));
    Ok(binary)
}

/// Plugins, then the host's binary for development and tests.
pub(crate) fn build_dev() -> Result<PathBuf> {
    plugins::build()?;
    // With the tests, although they are not run here: cargo compiles a crate once for each set of features that the
    // packages of a command ask for together, and the tests' command asks for this one.
    process::run(&mut process::cargo(["build", "--workspace", "--bins", "--tests"]))?;
    Ok(workspace::target().join("debug/svc"))
}
