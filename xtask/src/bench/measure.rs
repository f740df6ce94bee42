//! What one process costs: time, CPU, memory, bytes of database.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

use crate::process;

/// The cost of a process from start to end.
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    /// User and system, all threads.
    pub(crate) cpu: Duration,
    /// Bytes at the highest point. Never less than this program's own at the start: the kernel counts from the fork.
    pub(crate) peak_memory: u64,
    pub(crate) stdout: String,
}

/// Runs a command to its end; a failure is an error.
pub(crate) fn cost(command: &mut Command) -> Result<Cost> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", process::named(command)))?;
    let mut stdout = String::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_string(&mut stdout)?;
    }
    let ended = child.wait4()?;
    if !ended.status.success() {
        bail!("{} failed ({})", process::named(command), ended.status);
    }
    let usage = ended.rusage;
    Ok(Cost {
        wall: started.elapsed(),
        cpu: usage.utime + usage.stime,
        peak_memory: usage.maxrss,
        stdout,
    })
}

/// Resident memory of a running process, in bytes.
pub(crate) struct Resident {
    pub(crate) total: u64,
    /// Without pages of files, which the system takes back at will.
    pub(crate) anonymous: u64,
}

/// Asks the kernel.
pub(crate) fn resident(pid: u32) -> Result<Resident> {
    let status = status(pid)?;
    Ok(Resident {
        total: field(&status, "VmRSS")?,
        anonymous: field(&status, "RssAnon")?,
    })
}

/// The most that was ever resident, in bytes.
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

/// The middle one.
pub(crate) fn median<T: Copy + PartialOrd>(values: &[T]) -> Option<T> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    sorted.get(sorted.len() / 2).copied()
}
