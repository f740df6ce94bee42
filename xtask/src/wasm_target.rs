//! Finds or installs a toolchain that compiles for `wasm32-unknown-unknown`.
//!
//! In this order: the toolchain in use has the target; a linked `debian` toolchain has it; rustup fetches
//! it; on Debian, as root, it is built from the distribution's compiler and library source.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{process, wasm_target_debian, workspace};

/// The target every plugin is compiled for.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// The toolchain that has the target.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Toolchain {
    /// The toolchain that the project is pinned to, or the only one installed.
    Active,
    /// Debian's own, linked into rustup under this name.
    Debian,
}

impl Toolchain {
    /// A `cargo` that compiles for the target.
    pub(crate) fn cargo(self) -> Command {
        process::cargo(self.selector())
    }

    fn selector(self) -> Option<String> {
        match self {
            Self::Active => None,
            Self::Debian => Some(format!("+{}", wasm_target_debian::NAME)),
        }
    }

    /// Whether the standard library for the target is installed; the directory alone may be empty.
    fn has_target(self) -> bool {
        let mut rustc = Command::new("rustc");
        rustc
            .args(self.selector())
            .args(["--print", "target-libdir", "--target", TARGET]);
        let Ok(output) = rustc.current_dir(workspace::root()).output() else {
            return false;
        };
        let directory = String::from_utf8_lossy(&output.stdout);
        output.status.success() && holds_libcore(Path::new(directory.trim()))
    }
}

/// Finds or fetches a toolchain with the target.
pub(crate) fn ensure() -> Result<Toolchain> {
    let rustup = process::on_path("rustup").is_some();
    if Toolchain::Active.has_target() {
        return Ok(Toolchain::Active);
    }
    if rustup && Toolchain::Debian.has_target() {
        return Ok(Toolchain::Debian);
    }
    if rustup {
        eprintln!("xtask: the wasm target is missing, asking rustup for it");
        let mut add = Command::new("rustup");
        add.args(["target", "add", TARGET]).current_dir(workspace::root());
        if process::run(&mut add).is_ok() && Toolchain::Active.has_target() {
            return Ok(Toolchain::Active);
        }
        eprintln!("xtask: rustup cannot fetch the wasm target here");
    }
    match wasm_target_debian::applies() {
        Ok(()) => wasm_target_debian::install(TARGET, rustup)?,
        Err(reason) => bail!(
            "no toolchain here has the target {TARGET}, and {reason}.\n\
             With rustup and a network:  rustup target add {TARGET}\n\
             On Debian:                  sudo cargo xtask plugins   (uses the packages rustc-web and rust-web-src)"
        ),
    }
    let toolchain = if rustup {
        Toolchain::Debian
    } else {
        Toolchain::Active
    };
    if !toolchain.has_target() {
        bail!("Debian's toolchain was set up, but rustc still finds no libcore for {TARGET}");
    }
    Ok(toolchain)
}

fn holds_libcore(directory: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    })
}
