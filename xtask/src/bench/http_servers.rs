//! The processes of `bench http`: the server, the bare salvo handler, and the load generator, each on its core.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::Deserialize;
use tempfile::TempDir;

use crate::server_client::{Client, Credentials};
use crate::server_process::ServerProcess;
use crate::{host, process, run, workspace};

/// Ticks per second of CPU times in `/proc`; 100 on all supported processors.
const TICKS_PER_SECOND: f64 = 100.0;

/// Programs and running servers. The servers end with this value.
pub(crate) struct Servers {
    binary: PathBuf,
    bare_binary: PathBuf,
    generator: Generator,
    server_core: Option<usize>,
    owner: Credentials,
    /// The media directory of the server; an empty directory if `None`.
    library: Option<PathBuf>,
    /// Additional arguments of the server.
    arguments: &'static [&'static str],
    bare: Option<ServerProcess>,
    server: Option<ServerProcess>,
    // Declared after the servers, so that it is removed when they have ended.
    data: TempDir,
}

/// The load generator, and the core that it may use.
pub(crate) struct Generator {
    binary: PathBuf,
    core: Option<usize>,
}

/// What the load generator sends.
pub(crate) struct Load {
    pub(crate) connections: usize,
    /// One request on each connection without a duration.
    pub(crate) milliseconds: Option<u64>,
    /// Requests per second over all connections; without it, as many as the server handles.
    pub(crate) rate: Option<f64>,
    /// Requests to send in turn; several only with a rate.
    pub(crate) request: String,
}

/// The result of the load generator, and the CPU time of the server meanwhile.
pub(crate) struct Measured {
    pub(crate) load_report: LoadReport,
    /// CPU use of the server, as a fraction of one core.
    pub(crate) server_share: f64,
}

/// The JSON that the load generator prints; times are microseconds.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoadReport {
    seconds: f64,
    pub(crate) statuses: BTreeMap<u16, u64>,
    pub(crate) failures: BTreeMap<String, u64>,
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    pub(crate) p99: f64,
    /// Latency of each request, in the order of the input.
    pub(crate) requests: Vec<Percentiles>,
    /// CPU use of the generator, as a fraction of one core.
    pub(crate) cpu_share: f64,
}

/// Latency in microseconds.
#[derive(Deserialize)]
pub(crate) struct Percentiles {
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    pub(crate) p99: f64,
}

impl LoadReport {
    /// Time from the first counted request to the last response.
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Responses per second with this status.
    pub(crate) fn per_second(&self, status: u16) -> f64 {
        self.statuses.get(&status).copied().unwrap_or_default() as f64 / self.seconds
    }

    /// Responses with any other status, and failed connections.
    pub(crate) fn errors(&self, status: u16) -> u64 {
        let others = self.statuses.iter().filter(|(other, _)| **other != status);
        others.map(|(_, count)| count).sum::<u64>() + self.failures.values().sum::<u64>()
    }
}

/// Builds the server and the load programs, or uses the existing binaries. `SVC_BENCH_SERVER` names another server.
pub(crate) fn built(skip: bool) -> Result<PathBuf> {
    if !skip {
        host::build_release()?;
        process::run(&mut process::cargo(["build", "--release", "-p", "svc-load"]))?;
    }
    let other = std::env::var_os("SVC_BENCH_SERVER").map(PathBuf::from);
    Ok(other.unwrap_or_else(|| workspace::target().join("release/svc")))
}

impl Servers {
    /// Builds the server, then the load programs: separately, so that the server has the features of a release.
    pub(crate) fn build(skip: bool) -> Result<Self> {
        let release = workspace::target().join("release");
        let binary = built(skip)?;
        let (server_core, core) = cores().unzip();
        let scratch = workspace::target().join("bench");
        std::fs::create_dir_all(&scratch)?;
        Ok(Self {
            binary,
            bare_binary: release.join("bare-salvo"),
            generator: Generator::new(core),
            server_core,
            owner: owner()?,
            library: None,
            arguments: &[],
            bare: None,
            server: None,
            data: tempfile::Builder::new().prefix("http-").tempdir_in(scratch)?,
        })
    }

    /// Restarts the server, and starts the bare handler unless it runs.
    pub(crate) fn start(&mut self) -> Result<()> {
        if self.bare.is_none() {
            let mut bare = Command::new(&self.bare_binary);
            self.bare = Some(on_core(self.server_core, || ServerProcess::start(&mut bare))?);
        }
        self.start_server()
    }

    /// Restarts the server only.
    pub(crate) fn start_server(&mut self) -> Result<()> {
        // The old one ends before the new one opens its database.
        self.server = None;
        let data = self.data.path();
        let music = self.library.clone().unwrap_or_else(|| data.join("music"));
        std::fs::create_dir_all(&music)?;
        let mut serve = Command::new(&self.binary);
        serve
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data.join("data"))
            .arg("--music-dir")
            .arg(music)
            .args(self.arguments)
            .stderr(std::fs::File::create(log())?);
        let server = on_core(self.server_core, || ServerProcess::start(&mut serve))
            .with_context(|| format!("the output of the server is in {}", log().display()))?;
        let client = Client::new(server.base());
        if !client.is_set_up()? {
            client.set_up_quiet(&self.owner)?;
        }
        self.server = Some(server);
        Ok(())
    }

    /// Sets the media directory of servers that are started later.
    pub(crate) fn use_library(&mut self, directory: PathBuf) {
        self.library = Some(directory);
    }

    /// Sets additional arguments of servers that are started later.
    pub(crate) fn set_arguments(&mut self, arguments: &'static [&'static str]) {
        self.arguments = arguments;
    }

    pub(crate) fn server(&self) -> Result<&ServerProcess> {
        self.server.as_ref().context("the server was not started")
    }

    pub(crate) fn bare(&self) -> Result<&ServerProcess> {
        self.bare.as_ref().context("the bare handler was not started")
    }

    pub(crate) fn generator(&self) -> &Generator {
        &self.generator
    }

    pub(crate) fn owner(&self) -> Credentials {
        self.owner.clone()
    }

    /// The core of the servers and the core of the load generator.
    pub(crate) fn cores(&self) -> (Option<usize>, Option<usize>) {
        (self.server_core, self.generator.core)
    }

    /// The cores as text for reports.
    pub(crate) fn pinning(&self) -> String {
        match (self.server_core, self.generator.core) {
            (Some(server), Some(generator)) => {
                format!("both servers pinned to core {server}, the load generator to core {generator}")
            }
            _ => "NOT pinned: servers and load generator share one core".into(),
        }
    }
}

fn log() -> PathBuf {
    workspace::target().join("bench/http-server.log")
}

/// The owner account of a measured server.
pub(crate) fn owner() -> Result<Credentials> {
    Ok(Credentials {
        username: "owner".into(),
        password: run::random_password()?,
    })
}

impl Generator {
    /// A load generator on this core, or on any.
    pub(crate) fn new(core: Option<usize>) -> Self {
        Self {
            binary: workspace::target().join("release/http-load"),
            core,
        }
    }

    /// Sends requests and waits for the result.
    pub(crate) fn run(&self, server: &ServerProcess, load: &Load) -> Result<Measured> {
        if process::interrupted() {
            bail!("interrupted");
        }
        let (started, before) = (Instant::now(), cpu_seconds(server.pid())?);
        let load_report = finish(self.start(server, load)?)?;
        let spent = cpu_seconds(server.pid())? - before;
        Ok(Measured {
            load_report,
            server_share: spent / started.elapsed().as_secs_f64(),
        })
    }

    /// Starts sending requests.
    pub(crate) fn start(&self, server: &ServerProcess, load: &Load) -> Result<Child> {
        let mut command = Command::new(&self.binary);
        command
            .arg(server.address())
            .args(["--connections", &load.connections.to_string()]);
        if let Some(rate) = load.rate {
            command.args(["--rate", &rate.to_string()]);
        }
        match load.milliseconds {
            Some(milliseconds) => command.args(["--duration", &milliseconds.to_string()]),
            None => command.arg("--once"),
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = on_core(self.core, || Ok(command.spawn()?))
            .with_context(|| format!("cannot start {}", process::named(&command)))?;
        let mut stdin = child.stdin.take().context("the load generator has no stdin")?;
        stdin.write_all(load.request.as_bytes())?;
        Ok(child)
    }
}

/// Parses the output of a load generator that has ended.
pub(crate) fn finish(child: Child) -> Result<LoadReport> {
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("the load generator failed ({})", output.status);
    }
    serde_json::from_slice(&output.stdout).context("the load generator printed no JSON")
}

/// One core for the servers and one for the generator, if this process may use two.
fn cores() -> Option<(usize, usize)> {
    let allowed = sched_getaffinity(None).ok()?;
    let mut cores = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
    cores.next().zip(cores.next())
}

/// Calls `start` while this thread is restricted to one core. Processes started by it inherit the restriction.
pub(crate) fn on_core<T>(core: Option<usize>, start: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some(core) = core else { return start() };
    let before = sched_getaffinity(None)?;
    let mut only = CpuSet::new();
    only.set(core);
    sched_setaffinity(None, &only).with_context(|| format!("cannot use core {core}"))?;
    let started = start();
    sched_setaffinity(None, &before)?;
    started
}

/// CPU time of all threads of a running process, user and system.
pub(crate) fn cpu_seconds(pid: u32) -> Result<f64> {
    ticks(pid, 11)
}

/// CPU time of its child processes that have ended.
pub(crate) fn child_cpu_seconds(pid: u32) -> Result<f64> {
    ticks(pid, 13)
}

/// CPU time of the threads that hash passwords.
pub(crate) fn hashing_seconds(pid: u32) -> Result<f64> {
    let mut seconds = 0.0;
    for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let path = thread?.path();
        if std::fs::read_to_string(path.join("comm"))?.starts_with("password-") {
            seconds += ticks_in(&path.join("stat"), 11)?;
        }
    }
    Ok(seconds)
}

/// The sum of two adjacent fields of `/proc/…/stat`, in seconds.
fn ticks(pid: u32, field: usize) -> Result<f64> {
    ticks_in(Path::new(&format!("/proc/{pid}/stat")), field)
}

fn ticks_in(path: &Path, field: usize) -> Result<f64> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    // The name in brackets may hold spaces; the fields after it are numbered from the third.
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(field).take(2);
    let ticks = ticks.map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / TICKS_PER_SECOND)
}
