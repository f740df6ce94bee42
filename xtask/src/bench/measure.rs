//! Measures processes: CPU time, memory, bytes written, database size; and the median.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

use crate::process;

/// Runs a command to its end and returns its CPU seconds, user and system, all threads; a failure is an error.
pub(crate) fn cpu_of(command: &mut Command) -> Result<f64> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", process::named(command)))?;
    let ended = child.wait4()?;
    if !ended.status.success() {
        bail!("{} failed ({})", process::named(command), ended.status);
    }
    Ok((ended.rusage.utime + ended.rusage.stime).as_secs_f64())
}

/// Resident memory of a running process, in bytes.
pub(crate) struct Resident {
    pub(crate) total: u64,
    /// Without pages of files, which the kernel can reclaim.
    pub(crate) anonymous: u64,
}

/// Reads the values from `/proc`.
pub(crate) fn resident(pid: u32) -> Result<Resident> {
    let status = status(pid)?;
    Ok(Resident {
        total: field(&status, "VmRSS")?,
        anonymous: field(&status, "RssAnon")?,
    })
}

/// Peak of resident memory, in bytes.
pub(crate) fn high_water(pid: u32) -> Result<u64> {
    field(&status(pid)?, "VmHWM")
}

fn status(pid: u32) -> Result<String> {
    let path = format!("/proc/{pid}/status");
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))
}

fn field(status: &str, name: &str) -> Result<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.and_then(|line| {
        let number = line.trim_start_matches(':').trim().trim_end_matches(" kB");
        number.parse::<u64>().ok()
    });
    kibibytes
        .map(|kibibytes| kibibytes * 1024)
        .with_context(|| format!("no {name} in the status of the process"))
}

/// Bytes of the SQLite databases in a directory, their write-ahead logs included.
pub(crate) fn database_bytes(directory: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in
        std::fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?
    {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            bytes += database_bytes(&entry.path())?;
        } else if is_database(&entry.path()) {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes)
}

fn is_database(path: &Path) -> bool {
    let mut start = [0; 16];
    let sqlite = File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok();
    (sqlite && start == *b"SQLite format 3\0") || path.to_string_lossy().ends_with("-wal")
}

/// Bytes that a process has written to storage.
pub(crate) fn written(pid: u32) -> Result<u64> {
    let path = format!("/proc/{pid}/io");
    let io = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    let line = io.lines().find_map(|line| line.strip_prefix("write_bytes: "));
    Ok(line
        .context("the kernel does not count what is written")?
        .parse()?)
}

/// The median; `None` for an empty slice.
pub(crate) fn median<T: Copy + PartialOrd>(values: &[T]) -> Option<T> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    sorted.get(sorted.len() / 2).copied()
}
