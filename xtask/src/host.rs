//! `cargo xtask build`, and the build of the server for other commands.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::{plugins, process, workspace};

/// Bytes that the release binary may have on x86-64 Linux, its symbols apart.
const MAX_BINARY_BYTES: u64 = 40_000_000;

/// How large a function may be that the link for all crates copies into its callers. At LLVM's own threshold, 225, the
/// program has 3 % more bytes and is hardly faster.
const LINK_OPTION: &str = "-Cllvm-args=-inline-threshold=25";

/// Builds the plugins, then the release binary that embeds them, and moves its symbols to a separate file.
pub(crate) fn build_release() -> Result<PathBuf> {
    plugins::build()?;
    process::run(
        process::cargo(["rustc", "--release", "-p", "svc-host", "--bin", "svc", "--"]).arg(LINK_OPTION),
    )?;
    let binary = workspace::target().join("release/svc");
    split_symbols(&binary)?;
    let bytes = std::fs::metadata(&binary)?.len();
    eprintln!("xtask: {}, {bytes} bytes", workspace::shown(&binary));
    // Other machine code has another size.
    let is_bounded = cfg!(all(target_arch = "x86_64", target_os = "linux"));
    ensure!(
        !is_bounded || bytes <= MAX_BINARY_BYTES,
        "the release binary has {bytes} bytes, at most {MAX_BINARY_BYTES}: find what grew with \
         `nm --print-size --size-sort {}.debug`",
        workspace::shown(&binary)
    );
    Ok(binary)
}

/// Plugins, then the host's binary with less optimization, for `cargo xtask run`.
pub(crate) fn build_local() -> Result<PathBuf> {
    plugins::build()?;
    process::run(&mut process::cargo([
        "build",
        "--profile",
        "local",
        "-p",
        "svc-host",
    ]))?;
    Ok(workspace::target().join("local/svc"))
}

/// Moves the symbols of the program into `<program>.debug`. Backtraces, gdb and perf use them if that file is in the
/// same directory as the program.
fn split_symbols(program: &Path) -> Result<()> {
    let objcopy = |options: &[&str], to: &Path| {
        let mut objcopy = Command::new("objcopy");
        // Where it looks for the file that the program will refer to.
        objcopy.current_dir(workspace::target().join("release"));
        process::run(objcopy.args(options).arg(program).arg(to))
    };
    let stripped = program.with_extension("stripped");
    objcopy(&["--only-keep-debug"], &program.with_extension("debug"))?;
    objcopy(&["--strip-all", "--add-gnu-debuglink=svc.debug"], &stripped)?;
    // A new file in its place: cargo's own copy below `deps` is the same file as the program, and keeps its symbols.
    std::fs::rename(stripped, program)?;
    Ok(())
}

/// Builds the plugins, then the server for development and tests.
pub(crate) fn build_dev() -> Result<PathBuf> {
    plugins::build()?;
    // With the tests, although they are not run here: cargo compiles a crate once for each set of features that the
    // packages of a command ask for together, and the tests' command asks for this one.
    process::run(&mut process::cargo(["build", "--workspace", "--bins", "--tests"]))?;
    Ok(workspace::target().join("debug/svc"))
}
