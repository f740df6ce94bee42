//! Compresses the first-party plugins, and notes what this build is made of.
//!
//! The plugins are built by `cargo xtask plugins` into `target/plugins` (or `SVC_BUILT_PLUGINS`) before the server.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its environment and asks rustc and git"
)]

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Of the compression, between 0 (as is) and 10 (smallest).
const EFFORT: u8 = 9;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    compress_plugins()?;
    pack_relocations();
    fold_identical_functions();
    build_facts()
}

/// Stores relative relocations as a bitmap: 24 bytes each become about a bit, 1.4 MB in all. Needs glibc 2.36.
fn pack_relocations() {
    println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
}

/// Keeps one of the functions whose machine code is the same, such as those that free two types of one layout: half a
/// megabyte. A backtrace may name the other one. Only the linker of this target knows the option.
fn fold_identical_functions() {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("PROFILE", "release") && is("TARGET", "x86_64-unknown-linux-gnu") {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
}

fn compress_plugins() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-env-changed=SVC_BUILT_PLUGINS");
    let workspace = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("..");
    let folder =
        env::var_os("SVC_BUILT_PLUGINS").map_or_else(|| workspace.join("target/plugins"), PathBuf::from);
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut plugins: Vec<PathBuf> = match fs::read_dir(&folder) {
        Ok(entries) => entries
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_, std::io::Error>>()?,
        Err(_) => Vec::new(),
    };
    plugins.retain(|path| path.extension().is_some_and(|extension| extension == "wasm"));
    plugins.sort();
    if plugins.is_empty() {
        return Err(format!(
            "no plugins in {}: run `cargo xtask plugins` first",
            folder.display()
        )
        .into());
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut list = String::from("&[\n");
    for path in &plugins {
        println!("cargo:rerun-if-changed={}", path.display());
        let name = path
            .file_stem()
            .ok_or("a plugin without a name")?
            .to_string_lossy();
        let deflated = out.join(format!("{name}.deflate"));
        fs::write(
            &deflated,
            miniz_oxide::deflate::compress_to_vec(&fs::read(path)?, EFFORT),
        )?;
        writeln!(
            list,
            "    BuiltIn {{ name: {name:?}, component: Component::Deflated(include_bytes!({deflated:?})) }},"
        )?;
    }
    list.push_str("]\n");
    fs::write(out.join("built_in_plugins.rs"), list)?;
    Ok(())
}

fn build_facts() -> Result<(), Box<dyn Error>> {
    let rustc = output(Command::new(env::var("RUSTC")?).arg("--version")).ok_or("rustc tells no version")?;
    let version = rustc.split(' ').nth(1).ok_or("rustc tells no version")?;
    println!("cargo:rustc-env=SVC_RUSTC_VERSION={version}");
    let lock = fs::read_to_string("../Cargo.lock")?;
    println!("cargo:rerun-if-changed=../Cargo.lock");
    println!(
        "cargo:rustc-env=SVC_CRYPTO_VERSION={}",
        locked_version(&lock, "aws-lc-rs")?
    );
    println!(
        "cargo:rustc-env=SVC_WASMTIME_VERSION={}",
        locked_version(&lock, "wasmtime")?
    );
    // A build outside of a checkout, as from a source archive, has no commit.
    let head =
        output(Command::new("git").args(["log", "-1", "--format=%h-%cd", "--date=format:%y%m%dT%H%M%S"]));
    println!(
        "cargo:rustc-env=SVC_COMMIT={}",
        head.as_deref().unwrap_or("unknown-000000T000000")
    );
    let committed = output(Command::new("git").args(["log", "-1", "--format=%ct"]));
    println!(
        "cargo:rustc-env=SVC_COMMITTED_AT={}",
        committed.as_deref().unwrap_or_default()
    );
    println!("cargo:rerun-if-changed=../.git/HEAD");
    println!("cargo:rerun-if-changed=../.git/refs/heads");
    Ok(())
}

/// The version of a package in Cargo.lock.
fn locked_version(lock: &str, package: &str) -> Result<String, Box<dyn Error>> {
    let entry = format!("name = \"{package}\"\nversion = \"");
    let rest = lock
        .split(&entry)
        .nth(1)
        .ok_or_else(|| format!("{package} is not in Cargo.lock"))?;
    Ok(rest.split('"').next().unwrap_or_default().to_owned())
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
