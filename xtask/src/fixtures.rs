//! `cargo xtask fixtures`, and the generated libraries that other chores start from.
//!
//! The generator is its own crate, built when first asked for: the encoders it needs would slow every other
//! chore down.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::Result;

use crate::{process, workspace};

/// Writes the sample library, `music`, `photos`, `movies` and `tv`, below a directory.
pub(crate) fn write_sample_library(directory: &Path) -> Result<()> {
    generate(
        ["sample".as_ref(), workspace::root().join(directory).as_os_str()],
        false,
    )
}

/// Writes many small varied files, for measuring.
pub(crate) fn write_many(directory: &Path, kind: &str, files: usize) -> Result<()> {
    let (kind, files) = (format!("--{kind}"), files.to_string());
    let arguments: [&OsStr; 4] = [
        "many".as_ref(),
        directory.as_os_str(),
        kind.as_ref(),
        files.as_ref(),
    ];
    generate(arguments, true)
}

fn generate<'a>(arguments: impl IntoIterator<Item = &'a OsStr>, release: bool) -> Result<()> {
    let mut command = process::cargo(["run", "--quiet", "-p", "svc-fixtures"]);
    if release {
        command.arg("--release");
    }
    process::run(command.arg("--").args(arguments))
}
