//! Describes the machine of a measurement in one line.

use std::process::Command;

/// Processor, cores, memory, kernel, load, commit.
pub(crate) fn line() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(':'))
            .map(|(_, value)| value.trim().to_owned())
            .unwrap_or_default()
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = after(&read("/proc/meminfo"), "MemTotal");
    let kibibytes: u64 = memory.trim_end_matches(" kB").parse().unwrap_or(0);
    let commit = Command::new("git")
        .args(["describe", "--always", "--dirty"])
        .output();
    let commit = commit
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default();
    format!(
        "{}; {cores} cores; {} GiB; Linux {}; load at the end {}; commit {commit}; warm page cache, release build",
        after(&read("/proc/cpuinfo"), "model name"),
        kibibytes / (1024 * 1024),
        read("/proc/sys/kernel/osrelease").trim(),
        read("/proc/loadavg").split(' ').next().unwrap_or_default(),
    )
}
