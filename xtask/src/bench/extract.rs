//! `cargo xtask bench extract`: extraction in the sandbox, compared with native parsers.

use anyhow::Result;

use crate::{plugins, process};

/// Builds the plugins that are measured and runs the benchmark.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    plugins::build()?;
    process::run(process::cargo(["bench", "-p", "svc-tests", "--bench", "extract"]).args(arguments))
}
