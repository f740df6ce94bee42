//! A server whose scans are measured: starts it on a new data directory, and measures CPU time and memory of its runs.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::http_servers::{child_cpu_seconds, cpu_seconds, owner};
use super::library::Kind;
use super::measure;
use crate::server_client::{Client, Credentials, Session};
use crate::server_process::ServerProcess;
use crate::workspace;

/// A running server over media directories. It ends with this value.
pub(crate) struct ScanServer {
    process: ServerProcess,
    client: Client,
    owner: Credentials,
    /// Time of the start, including the compilation of all plugins.
    pub(crate) cold_start: Duration,
    /// Anonymous memory in bytes before the first sign-in, because the memory for password hashing is kept.
    pub(crate) at_start: u64,
    log: PathBuf,
    // Declared after the server, so that it is removed when the server has ended.
    data: TempDir,
}

/// What one run of the indexer cost.
pub(crate) struct RunCost {
    /// Duration according to the run's times.
    pub(crate) seconds: f64,
    pub(crate) cpu: f64,
    /// CPU of child processes.
    pub(crate) child_cpu: f64,
    /// Peak of the server's memory so far, in bytes.
    pub(crate) peak: u64,
    run: Value,
}

impl RunCost {
    /// Files that the run opened.
    pub(crate) fn opened(&self) -> u64 {
        self.run.get("filesOpened").and_then(Value::as_u64).unwrap_or(0)
    }

    /// The sum of one of the counts over all media kinds.
    pub(crate) fn total(&self, count: &str) -> u64 {
        let kinds = self.run.get("counts").and_then(Value::as_object);
        let kinds = kinds.into_iter().flatten();
        kinds.filter_map(|(_, counts)| counts.get(count)?.as_u64()).sum()
    }
}

impl ScanServer {
    /// Starts a server on a new data directory. Watching and schedule are off, so that every run is a measured one.
    pub(crate) fn start(binary: &Path, name: &str, roots: &[(Kind, PathBuf)]) -> Result<Self> {
        Self::start_on(binary, name, roots, None)
    }

    /// The same on a PostgreSQL database, which must be empty, or on the SQLite database of the data directory.
    pub(crate) fn start_on(
        binary: &Path,
        name: &str,
        roots: &[(Kind, PathBuf)],
        database_url: Option<&str>,
    ) -> Result<Self> {
        let scratch = workspace::target().join("bench");
        std::fs::create_dir_all(&scratch)?;
        let data = tempfile::Builder::new().prefix("scan-").tempdir_in(&scratch)?;
        let log = scratch.join(format!("{name}-server.log"));
        let mut serve = Command::new(binary);
        serve
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data.path())
            .stderr(File::create(&log)?);
        if let Some(url) = database_url {
            serve.args(["--database-url", url]);
        }
        for (kind, directory) in roots {
            serve.args(kind.arguments(directory));
        }
        let started = Instant::now();
        let process = ServerProcess::start(&mut serve)
            .with_context(|| format!("the output of the server is in {}", log.display()))?;
        let cold_start = started.elapsed();
        let at_start = measure::resident(process.pid())?.anonymous;
        let client = Client::new(process.base());
        let owner = owner()?;
        client.set_up_quiet(&owner)?;
        let server = Self {
            process,
            client,
            owner,
            cold_start,
            at_start,
            log,
            data,
        };
        server
            .session()?
            .set(&json!({"watch_directories": false, "scan_schedule": "off"}))?;
        Ok(server)
    }

    /// A session of the owner with a new token.
    pub(crate) fn session(&self) -> Result<Session<'_>> {
        self.client.log_in(self.owner.clone())
    }

    pub(crate) fn process(&self) -> &ServerProcess {
        &self.process
    }

    /// Runs the indexer, over some kinds or, without any, over all.
    pub(crate) fn index(&self, session: &mut Session<'_>, run_type: &str, kinds: &[Kind]) -> Result<RunCost> {
        // Polling costs the server CPU time as well, so the interval is not shorter.
        let every = Duration::from_millis(25);
        let kinds: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
        let pid = self.process.pid();
        let (cpu, child_cpu) = (cpu_seconds(pid)?, child_cpu_seconds(pid)?);
        let run = session.index(&json!({"type": run_type, "mediaKinds": kinds}), every)?;
        Ok(RunCost {
            seconds: run
                .get("seconds")
                .and_then(Value::as_f64)
                .context("a run without seconds")?,
            cpu: cpu_seconds(pid)? - cpu,
            child_cpu: child_cpu_seconds(pid)? - child_cpu,
            peak: measure::high_water(pid)?,
            run,
        })
    }

    /// A quick run without changes. Fails if it opens a file.
    pub(crate) fn rescan(&self, session: &mut Session<'_>) -> Result<RunCost> {
        let rescan = self.index(session, "quick", &[])?;
        match rescan.opened() {
            0 => Ok(rescan),
            opened => bail!("a rescan of an unchanged library opened {opened} files"),
        }
    }

    pub(crate) fn anonymous_memory(&self) -> Result<u64> {
        Ok(measure::resident(self.process.pid())?.anonymous)
    }

    pub(crate) fn database_bytes(&self) -> Result<u64> {
        measure::database_bytes(self.data.path())
    }

    /// Lines of the log with this text.
    pub(crate) fn logged(&self, text: &str) -> Result<usize> {
        let log = std::fs::read_to_string(&self.log)?;
        Ok(log.lines().filter(|line| line.contains(text)).count())
    }
}
