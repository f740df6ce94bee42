//! `cargo xtask bench extract`: the host's own benchmark of extraction.

use anyhow::Result;

use crate::{plugins, process};

/// Builds the plugins that are measured and runs the benchmark.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    plugins::build()?;
    process::run(process::cargo(["bench", "-p", "svc-host"]).args(arguments))
}
