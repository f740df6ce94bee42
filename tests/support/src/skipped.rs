//! Reports skipped parts of tests, which `cargo xtask test` counts.

#![allow(
    clippy::print_stderr,
    clippy::disallowed_methods,
    unreachable_pub,
    dead_code,
    reason = "a test tells a person; xtask tells tests by the environment where to note it"
)]

use std::io::Write as _;

/// Appends program, test and reason to the file in the environment variable
/// `SVC_SKIPPED_LOG`.
pub fn skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    eprintln!("SKIPPED {test}: {reason}");
    let Some(log) = std::env::var_os("SVC_SKIPPED_LOG") else {
        return;
    };
    let program = std::env::current_exe().unwrap_or_default();
    let line = format!("{}\t{test}\t{reason}\n", program.display());
    let log = std::fs::OpenOptions::new().append(true).create(true).open(log);
    // One write, so that lines of concurrent tests stay whole.
    log.and_then(|mut log| log.write_all(line.as_bytes()))
        .unwrap_or_else(|error| eprintln!("what was skipped is not noted: {error}"));
}
