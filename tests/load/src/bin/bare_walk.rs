//! The baseline of a quick rescan: a parallel walk that reads size and modification time of every file.
//!
//! `bare-walk DIR...` walks the directories on all cores and prints counts, wall time and CPU time as JSON.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool for measuring: prints, reads its arguments, and may stop at a fault"
)]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::Context as _;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

/// Counts, and the last error.
#[derive(Default)]
struct Tally {
    files: AtomicU64,
    bytes: AtomicU64,
    failure: Mutex<Option<io::Error>>,
}

fn main() -> anyhow::Result<()> {
    let roots: Vec<_> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    anyhow::ensure!(!roots.is_empty(), "usage: bare-walk DIR...");
    // The thread pool starts before the measurement.
    rayon::broadcast(|_| ());
    let tally = Tally::default();
    let (started, cpu_before) = (Instant::now(), cpu_seconds());
    rayon::scope(|scope| {
        for root in roots {
            let tally = &tally;
            scope.spawn(move |scope| visit(scope, &root, tally));
        }
    });
    let (seconds, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu_before);
    let failure = tally
        .failure
        .into_inner()
        .map_err(|_| anyhow::anyhow!("a walk panicked"))?;
    if let Some(error) = failure {
        return Err(error).context("the walk failed");
    }
    println!(
        "{}",
        json!({
            "files": tally.files.into_inner(),
            "bytes": tally.bytes.into_inner(),
            "seconds": seconds,
            "cpuSeconds": cpu,
        })
    );
    Ok(())
}

/// Walks a directory; each subdirectory is a task.
fn visit<'a>(scope: &rayon::Scope<'a>, directory: &Path, tally: &'a Tally) {
    if let Err(error) = list(scope, directory, tally)
        && let Ok(mut failure) = tally.failure.lock()
    {
        *failure = Some(error);
    }
}

fn list<'a>(scope: &rayon::Scope<'a>, directory: &Path, tally: &'a Tally) -> io::Result<()> {
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let path = entry.path();
            scope.spawn(move |scope| visit(scope, &path, tally));
            continue;
        }
        let metadata = entry.metadata()?;
        // Read like in the server; `black_box` keeps the compiler from removing it.
        std::hint::black_box(metadata.modified()?);
        files += 1;
        bytes += metadata.len();
    }
    tally.files.fetch_add(files, Ordering::Relaxed);
    tally.bytes.fetch_add(bytes, Ordering::Relaxed);
    Ok(())
}

/// CPU time of this process so far.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
