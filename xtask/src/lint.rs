//! `cargo xtask lint`: formatting, clippy, licences, bans, sources and advisories, in both workspaces; whether the SDK
//! for plugins can be published.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{process, workspace};

/// Runs every check, also after one has failed, and names those that did.
pub(crate) fn run() -> Result<()> {
    let deny = cargo_deny()?;
    let mut failed = Vec::new();
    let mut check = |command: &mut Command| {
        eprintln!("xtask: {}", process::named(command));
        if let Err(error) = process::run(command) {
            failed.push(format!("{error:#}"));
        }
    };
    check(&mut process::cargo(["fmt", "--all", "--check"]));
    // Not `--all`, which would follow the path to the plugin API and from there into the other workspace.
    check(process::cargo(["fmt", "--check"]).current_dir(workspace::plugins()));
    let clippy = ["clippy", "--workspace", "--all-targets", "--target-dir"];
    let deny_warnings = ["--", "-D", "warnings"];
    check(
        process::cargo(clippy)
            .arg(workspace::target())
            .args(deny_warnings),
    );
    let native = workspace::target().join("plugins-native");
    check(
        process::cargo(clippy)
            .arg(native)
            .args(deny_warnings)
            .current_dir(workspace::plugins()),
    );

    // What crates.io would receive, built without this workspace. `cargo publish --dry-run` is the same, with a network.
    let sdk = ["package", "-p", "svc-plugin-api", "--allow-dirty", "--offline"];
    check(&mut process::cargo(sdk));

    let advisories = advisories_can_be_fetched(&deny);
    for manifest in ["Cargo.toml", "plugins/Cargo.toml"] {
        let deny = || {
            let mut command = Command::new(&deny);
            command
                .current_dir(workspace::root())
                .args(["--manifest-path", manifest]);
            command
        };
        check(deny().args(["check", "bans", "licenses", "sources"]));
        if advisories {
            check(deny().args(["check", "advisories"]));
        }
    }
    if !advisories {
        eprintln!("xtask: NOT CHECKED: security advisories. Their database cannot be fetched from here.");
    }
    if !failed.is_empty() {
        bail!("{}", failed.join("\n       "));
    }
    Ok(())
}

/// The tool, installed below `target` when the machine has none.
fn cargo_deny() -> Result<PathBuf> {
    if let Some(found) = process::on_path("cargo-deny") {
        return Ok(found);
    }
    let tools = workspace::target().join("tools");
    let installed = tools.join("bin/cargo-deny");
    if !installed.is_file() {
        eprintln!(
            "xtask: cargo-deny is missing, installing it into {}",
            workspace::shown(&tools)
        );
        // Unoptimised: it takes seconds longer to run, and minutes less to compile.
        let install = ["install", "cargo-deny", "--locked", "--debug", "--root"];
        process::run(process::cargo(install).arg(&tools))?;
    }
    Ok(installed)
}

fn advisories_can_be_fetched(deny: &PathBuf) -> bool {
    process::succeeds(Command::new(deny).current_dir(workspace::root()).args([
        "fetch",
        "--config",
        "deny.toml",
        "db",
    ]))
}
