//! Thumbnails rendered in the sandbox, compared with the same code compiled natively.
//!
//! Called by `cargo xtask bench thumbnails`, which builds the native program (`SVC_BENCH_NATIVE`). The program also
//! makes the pictures, unless `SVC_BENCH_PICTURES` names a directory of them. Figures are the CPU time of the whole
//! process per picture, the median of interleaved rounds, and the share of native throughput.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool for measuring: prints, reads its arguments, starts a program"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use rustix::time::{ClockId, clock_gettime};
use svc_domain::rendering::ImageBounds;
use svc_tests::sandbox::Sandbox;

const ROUNDS: usize = 5;
const SIZES: [ImageBounds; 3] = [
    ImageBounds::square(250),
    ImageBounds::square(720),
    ImageBounds::square(1440),
];

fn main() -> Result<()> {
    let native = std::env::var_os("SVC_BENCH_NATIVE").context("run `cargo xtask bench thumbnails`")?;
    let scratch = tempfile::tempdir()?;
    let folder = match std::env::var_os("SVC_BENCH_PICTURES") {
        Some(folder) => PathBuf::from(folder),
        None => {
            let made = Command::new(&native).arg("make").arg(scratch.path()).status()?;
            ensure!(made.success(), "no pictures were made");
            scratch.path().to_owned()
        }
    };
    let mut files = std::fs::read_dir(&folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    files.retain(|path| path.is_file());
    files.sort();
    let mut sandbox = Sandbox::new("thumbnails");
    println!("| picture | KiB | native ms | sandbox ms | throughput of native |\n|---|---|---|---|---|");
    let (mut all_native, mut all_sandbox) = (0.0, 0.0);
    for path in &files {
        let (mut natively, mut sandboxed) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (seconds, rendered) = run_native(Path::new(&native), path)?;
            let start = cpu_seconds();
            let outcome = sandbox.render(path, &SIZES);
            let elapsed = cpu_seconds() - start;
            ensure!(
                outcome.is_ok() == rendered,
                "{}: native rendered: {rendered}, the sandbox: {outcome:?}",
                path.display()
            );
            natively.push(seconds);
            sandboxed.push(elapsed);
        }
        let (native, sandbox) = (median(natively), median(sandboxed));
        all_native += native;
        all_sandbox += sandbox;
        println!(
            "| {} | {} | {:.1} | {:.1} | {:.2} |",
            path.file_name().unwrap_or_default().display(),
            std::fs::metadata(path)?.len() / 1024,
            native * 1e3,
            sandbox * 1e3,
            native / sandbox
        );
    }
    println!(
        "| all | | {:.1} | {:.1} | {:.2} |",
        all_native * 1e3,
        all_sandbox * 1e3,
        all_native / all_sandbox
    );
    Ok(())
}

/// CPU seconds, and whether the picture could be rendered.
fn run_native(program: &Path, file: &Path) -> Result<(f64, bool)> {
    let output = Command::new(program).arg("render").arg(file).output()?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout)?;
    let mut words = text.split_whitespace();
    let seconds = words.next().context("no time")?.parse()?;
    Ok((seconds, words.next() == Some("1")))
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
