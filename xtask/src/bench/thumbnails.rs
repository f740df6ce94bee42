//! `cargo xtask bench thumbnails`: thumbnails rendered in the sandbox, compared with the same code run natively.

use std::process::Stdio;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{plugins, process, workspace};

/// Builds the plugins and the native program and runs the benchmark.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    plugins::build()?;
    let native = native()?;
    process::run(
        process::cargo(["bench", "-p", "svc-tests", "--bench", "thumbnails"])
            .env("SVC_BENCH_NATIVE", native)
            .args(arguments),
    )
}

/// Builds the plugin as a native program, with the same profile as for the sandbox.
fn native() -> Result<String> {
    let mut build = process::cargo([
        "build",
        "--release",
        "-p",
        "svc-plugin-thumbnails",
        "--example",
        "native",
    ]);
    build
        .args(["--message-format", "json-render-diagnostics", "--target-dir"])
        .arg(workspace::target().join("plugins-native"))
        .current_dir(workspace::plugins())
        .stdin(Stdio::null());
    let messages =
        String::from_utf8(process::output(&mut build)?).context("cargo's messages are not UTF-8")?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| {
            message
                .pointer("/target/name")
                .is_some_and(|name| name == "native")
        })
        .find_map(|message| Some(message.get("executable")?.as_str()?.to_owned()))
        .context("cargo did not say where the example is")
}
