//! `cargo xtask test`: every test, on both databases, and how many passed, failed and were skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::postgres::{self, Cluster, URL_VARIABLE};
use crate::{host, process, unseen, workspace};

/// The variable with the file to which tests write what they skip; see `tests/support/src/skipped.rs`.
const SKIPPED_VARIABLE: &str = "SVC_SKIPPED_LOG";

/// Builds the programs that the tests start, finds a PostgreSQL server, and runs the tests of both workspaces.
pub(crate) fn run(skip_postgres: bool, filter: &[String]) -> Result<()> {
    let server = host::build_dev()?;
    process::hold_interrupts()?;
    let cluster = match (skip_postgres, std::env::var(URL_VARIABLE)) {
        (true, _) | (false, Ok(_)) => None,
        (false, Err(_)) => Some(Cluster::start(&postgres::find_or_install()?)?),
    };
    let notes = tempfile::tempdir()?;
    let skipped = notes.path().join("skipped");

    let mut plugins = process::cargo(["test", "--workspace", "--no-fail-fast", "--target-dir"]);
    plugins
        .arg(workspace::target().join("plugins-native"))
        .current_dir(workspace::plugins());
    let seen = unseen::prepare()?;
    let mut project = process::cargo(["test", "--workspace", "--no-fail-fast"]);
    project
        .env("SVC_TEST_BINARY", server)
        // Snapshots are compared, never written.
        .env("INSTA_UPDATE", "no")
        .env_remove("INSTA_FORCE_PASS")
        .env(unseen::VARIABLE, &seen);
    match &cluster {
        Some(cluster) => project.env(URL_VARIABLE, cluster.url()),
        None if skip_postgres => project.env_remove(URL_VARIABLE),
        None => &mut project,
    };

    let mut tally = Tally::default();
    // Both workspaces, even if the first fails, so that one run shows all failures.
    let outcomes = [plugins, project].map(|mut tests| tally.run(tests.args(filter), &skipped));
    drop(cluster);
    let failures: Vec<String> = outcomes
        .into_iter()
        .filter_map(|outcome| outcome.err().map(|error| format!("{error:#}")))
        .collect();
    tally.note_skipped(&std::fs::read_to_string(&skipped).unwrap_or_default());
    for test in &tally.failed_tests {
        println!("failed: {test}");
    }
    for (reason, tests) in &tally.skipped {
        println!("skipped {}: {reason}", tests.len());
    }
    println!("{}", tally.closing_line());
    if !failures.is_empty() {
        bail!("{}", failures.join("\n       "));
    }
    if !skip_postgres && filter.is_empty() {
        unseen::compare(&seen)?;
    }
    Ok(())
}

/// The results of the test runners, and what the tests skipped.
#[derive(Debug, Default)]
struct Tally {
    passed: usize,
    failed: usize,
    failed_tests: Vec<String>,
    /// Program and name of the tests, by reason.
    skipped: BTreeMap<String, BTreeSet<String>>,
}

impl Tally {
    fn run(&mut self, tests: &mut Command, skipped: &Path) -> Result<()> {
        tests.env(SKIPPED_VARIABLE, skipped);
        process::run_supervised_with_output(tests, |line| self.on_line(line))
    }

    /// A line of a test runner, such as `test a::name ... FAILED` or `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    fn on_line(&mut self, line: &str) {
        let failed = line
            .strip_prefix("test ")
            .and_then(|rest| rest.strip_suffix(" ... FAILED"));
        self.failed_tests.extend(failed.map(str::to_owned));
        let Some((_, counts)) = line.split_once("test result: ") else {
            return;
        };
        let count = |what: &str| {
            let mut parts = counts.split([';', '.']).map(str::trim);
            let number = parts.find_map(|part| part.strip_suffix(what)?.trim().parse::<usize>().ok());
            number.unwrap_or(0)
        };
        self.passed += count("passed");
        self.failed += count("failed");
    }

    /// Lines of program, test and reason.
    fn note_skipped(&mut self, notes: &str) {
        for line in notes.lines() {
            if let Some((test, reason)) = line.rsplit_once('\t') {
                self.skipped
                    .entry(reason.to_owned())
                    .or_default()
                    .insert(test.to_owned());
            }
        }
    }

    /// Counts tests that skipped something as skipped, not as passed.
    fn closing_line(&self) -> String {
        let skipped: BTreeSet<&String> = self.skipped.values().flatten().collect();
        let passed = self.passed.saturating_sub(skipped.len());
        format!(
            "{passed} passed, {} failed, {} skipped",
            self.failed,
            skipped.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_left_something_out_are_counted_once_and_did_not_pass() {
        let mut tally = Tally::default();
        for line in [
            "running 7 tests",
            "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.1s",
            "test a::good ... ok",
            "test b::bad ... FAILED",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s",
        ] {
            tally.on_line(line);
        }
        assert_eq!(tally.closing_line(), "10 passed, 2 failed, 0 skipped");
        assert_eq!(tally.failed_tests, ["b::bad"]);
        tally.note_skipped(
            "a\tone\tno PostgreSQL\na\tone\tno PostgreSQL\na\tone\tno media\nb\tone\tno media\n",
        );
        assert_eq!(tally.closing_line(), "8 passed, 2 failed, 2 skipped");
        assert_eq!(tally.skipped["no media"].len(), 2);
    }
}
