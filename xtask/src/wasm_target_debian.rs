//! The wasm target on a Debian that cannot fetch rustup's: the security archive carries a current compiler
//! with the standard library's source, from which the target's libraries are built once and kept.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;

/// Name under which the distribution's toolchain is linked into rustup.
pub(crate) const NAME: &str = "debian";

/// Where Debian's compiler lives; its libraries lie below `lib/rustlib`.
const SYSROOT: &str = "/usr";

/// Name of the empty crate whose build yields the standard library; its own file is not part of it.
const SEED_CRATE: &str = "wasm_std_seed";

/// Whether this route can be taken; if not, why.
pub(crate) fn applies() -> Result<(), &'static str> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let like_debian = release.lines().any(|line| match line.split_once('=') {
        Some(("ID" | "ID_LIKE", value)) => value.trim_matches('"').split(' ').any(|id| id == "debian"),
        _ => false,
    });
    if !like_debian || process::on_path("apt-get").is_none() {
        return Err("this is not a Debian, whose own compiler could stand in");
    }
    if !rustix::process::geteuid().is_root() {
        return Err("installing Debian's own compiler needs root");
    }
    Ok(())
}

/// Installs the packages, builds the libraries of a target and links the toolchain into rustup, if there is one.
pub(crate) fn install(target: &str, rustup: bool) -> Result<()> {
    eprintln!(
        "xtask: building the wasm target from Debian's compiler; about three minutes, once per machine"
    );
    let linker = install_packages()?;
    link_linker(&linker)?;
    build_standard_library(target)?;
    if rustup {
        process::run(Command::new("rustup").args(["toolchain", "link", NAME, SYSROOT]))?;
    }
    Ok(())
}

/// Returns the name of the linker, which is also that of its program.
fn install_packages() -> Result<String> {
    process::run(apt_get().args(["update", "-q"]))?;
    let linker = newest_linker()?;
    process::run(
        apt_get()
            .args(["install", "-y", "-q", "--no-install-recommends"])
            .args(["rustc-web", "cargo-web", "rust-web-src", &linker]),
    )
    .context("the packages rustc-web, cargo-web and rust-web-src come with Debian's security archive")?;
    Ok(linker)
}

/// The compiler looks for the linker of this target under rustup's name for it, in a place that Debian leaves empty.
fn link_linker(linker: &str) -> Result<()> {
    let binaries = Path::new(SYSROOT).join("bin");
    let about = process::output(Command::new(binaries.join("rustc")).arg("-vV"))?;
    let about = String::from_utf8_lossy(&about);
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("Debian's rustc does not tell its host")?;
    let tools = Path::new(SYSROOT).join("lib/rustlib").join(host).join("bin");
    let link = tools.join("rust-lld");
    if link.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(&tools).with_context(|| format!("cannot make {}", tools.display()))?;
    std::os::unix::fs::symlink(binaries.join(linker), &link)
        .with_context(|| format!("cannot make {}", link.display()))
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// `lld-NN` with the highest number.
fn newest_linker() -> Result<String> {
    let listing =
        process::output(Command::new("apt-cache").args(["search", "--names-only", "^lld-[0-9]+$"]))?;
    let listing = String::from_utf8_lossy(&listing);
    let versions = listing.lines().filter_map(|line| {
        let name = line.split_whitespace().next()?;
        name.strip_prefix("lld-")?.parse::<u32>().ok()
    });
    let newest = versions.max().context("no package lld-NN is on offer")?;
    Ok(format!("lld-{newest}"))
}

/// Compiles the source that came with the compiler; any other compiler's version would refuse it.
fn build_standard_library(target: &str) -> Result<()> {
    // Outside the repository, so that its cargo configuration does not leak in.
    let scratch = tempfile::tempdir().context("cannot make a temporary directory")?;
    let manifest = format!("[package]\nname = \"{SEED_CRATE}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n");
    std::fs::write(scratch.path().join("Cargo.toml"), manifest)?;
    std::fs::create_dir(scratch.path().join("src"))?;
    std::fs::write(scratch.path().join("src/lib.rs"), "")?;
    let binaries = Path::new(SYSROOT).join("bin");
    let mut build = Command::new(binaries.join("cargo"));
    build
        .args([
            "build",
            "--release",
            "--target",
            target,
            "-Zbuild-std=std,panic_abort,panic_unwind",
        ])
        .args(["--target-dir", "target"])
        .current_dir(scratch.path())
        .env("RUSTC", binaries.join("rustc"))
        .env("RUSTC_BOOTSTRAP", "1");
    for inherited in [
        "RUSTUP_TOOLCHAIN",
        "CARGO_TARGET_DIR",
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTC_WRAPPER",
    ] {
        build.env_remove(inherited);
    }
    process::run(&mut build)?;
    let built = scratch.path().join("target").join(target).join("release/deps");
    copy_libraries(
        &built,
        &Path::new(SYSROOT).join("lib/rustlib").join(target).join("lib"),
    )
}

fn copy_libraries(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    // What an earlier compiler left would be found twice and refused.
    for entry in std::fs::read_dir(to)?.flatten() {
        if entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "rlib")
        {
            std::fs::remove_file(entry.path())?;
        }
    }
    let mut copied = 0;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if name.ends_with(".rlib") && !name.starts_with(&format!("lib{SEED_CRATE}-")) {
            std::fs::copy(&path, to.join(name))
                .with_context(|| format!("cannot write to {}", to.display()))?;
            copied += 1;
        }
    }
    if copied == 0 {
        bail!("the build left no library in {}", from.display());
    }
    Ok(())
}
