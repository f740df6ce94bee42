//! `svc plugin-compile`: the child process that compiles a plugin under resource limits.

use std::process::ExitCode;

/// Reads a component from standard input and writes machine code to standard output.
pub(super) fn run() -> anyhow::Result<ExitCode> {
    svc_plugin_host::run_compile_child()?;
    Ok(ExitCode::SUCCESS)
}
