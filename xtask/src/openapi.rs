//! `cargo xtask openapi`: writes the pinned API description.

use std::process::Command;

use anyhow::{Context, Result};

use crate::{host, process, workspace};

/// Builds the server and writes the description that it prints.
pub(crate) fn write() -> Result<()> {
    let server = host::build_dev()?;
    let description = process::output(Command::new(server).arg("openapi"))?;
    let pinned = workspace::root().join("host/openapi.json");
    std::fs::write(&pinned, description).with_context(|| format!("cannot write {}", pinned.display()))?;
    eprintln!("xtask: {}", workspace::shown(&pinned));
    Ok(())
}
