//! `cargo xtask fixtures`, and the generated libraries that other commands use.
//!
//! The generator is a crate of its own that is built on demand, because its encoders would slow down the build of
//! xtask.

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

/// Writes many small varied files, for benchmarks.
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
