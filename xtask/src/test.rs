//! `cargo xtask test`: every test, on both databases.

use anyhow::{Result, bail};

use crate::postgres::{self, Cluster, URL_VARIABLE};
use crate::{host, process, unseen, workspace};

/// Builds what the tests start, finds a database server, and runs the workspace's tests and the plugins'.
pub(crate) fn run(skip_postgres: bool, filter: &[String]) -> Result<()> {
    let server = host::build_dev()?;
    process::hold_interrupts()?;
    let cluster = match (skip_postgres, std::env::var(URL_VARIABLE)) {
        (true, _) => {
            eprintln!("xtask: SKIPPED, on your word: every test that needs PostgreSQL");
            None
        }
        (false, Ok(_)) => None,
        (false, Err(_)) => Some(Cluster::start(&postgres::find_or_install()?)?),
    };

    let mut plugins = process::cargo(["test", "--workspace", "--no-fail-fast", "--target-dir"]);
    plugins
        .arg(workspace::target().join("plugins-native"))
        .current_dir(workspace::plugins());
    let seen = unseen::prepare()?;
    let mut project = process::cargo(["test", "--workspace", "--no-fail-fast"]);
    project
        .env("SVC_TEST_BINARY", server)
        .env(unseen::VARIABLE, &seen);
    match &cluster {
        Some(cluster) => project.env(URL_VARIABLE, cluster.url()),
        None if skip_postgres => project
            .env_remove(URL_VARIABLE)
            .env("SVC_TEST_SKIP_POSTGRES", "1"),
        None => &mut project,
    };

    // Both, also when the first fails: one run tells everything.
    let outcomes = [plugins, project].map(|mut tests| process::run_held(tests.args(filter)));
    drop(cluster);
    let failures: Vec<String> = outcomes
        .into_iter()
        .filter_map(|outcome| outcome.err().map(|error| format!("{error:#}")))
        .collect();
    if !failures.is_empty() {
        bail!("{}", failures.join("\n       "));
    }
    if skip_postgres {
        eprintln!("xtask: passed WITHOUT PostgreSQL");
    } else if filter.is_empty() {
        unseen::compare(&seen)?;
    }
    Ok(())
}
