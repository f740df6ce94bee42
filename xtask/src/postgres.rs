//! A PostgreSQL server for the tests: found or installed, started on a throw-away cluster, stopped at the end.

use std::fs::File;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::process;

/// The variable with the URL of the tests' server. If it is set already, no server is started.
pub(crate) const URL_VARIABLE: &str = "SVC_TEST_POSTGRES_URL";

/// Timeout for a new cluster to accept connections, and for a stopped one to exit.
const PATIENCE: Duration = Duration::from_secs(60);

/// The directory that holds `initdb` and `postgres`.
pub(crate) fn find_or_install() -> Result<PathBuf> {
    if let Some(found) = find() {
        return Ok(found);
    }
    let debian = process::on_path("apt-get").is_some();
    if debian && rustix::process::geteuid().is_root() {
        eprintln!("xtask: no PostgreSQL here, installing Debian's package");
        let apt_get = || {
            let mut command = Command::new("apt-get");
            command.env("DEBIAN_FRONTEND", "noninteractive");
            command
        };
        process::run(apt_get().args(["update", "-q"]))?;
        process::run(apt_get().args(["install", "-y", "-q", "--no-install-recommends", "postgresql"]))?;
    }
    let advice = if debian {
        "sudo apt-get install postgresql"
    } else {
        "install PostgreSQL's server"
    };
    find().with_context(|| {
        format!(
            "no PostgreSQL server (initdb, postgres) was found. Either {advice}, or name a running one whose \
             databases may be created and dropped: {URL_VARIABLE}=postgres://user:password@host/database. \
             With --skip-postgres the tests that need it are left out"
        )
    })
}

fn find() -> Option<PathBuf> {
    let on_path = process::on_path("initdb").and_then(|initdb| initdb.parent().map(Path::to_path_buf));
    // Debian keeps one directory per major version; the newest first.
    let mut packaged: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some((
                entry.file_name().to_str()?.parse().ok()?,
                entry.path().join("bin"),
            ))
        })
        .collect();
    packaged.sort();
    let packaged = packaged.into_iter().rev().map(|(_, directory)| directory);
    let elsewhere = ["/usr/local/bin", "/usr/local/pgsql/bin"].map(PathBuf::from);
    let mut candidates = on_path.into_iter().chain(packaged).chain(elsewhere);
    candidates.find(|directory| directory.join("initdb").is_file() && directory.join("postgres").is_file())
}

/// A running server on a temporary cluster. Dropping it stops the server and removes the cluster.
pub(crate) struct Cluster {
    server: Child,
    url: String,
    directory: TempDir,
}

impl Cluster {
    /// Creates a cluster and starts it on a free port of the loopback interface.
    pub(crate) fn start(binaries: &Path) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("svc-postgres-").tempdir()?;
        let account = Account::for_server()?;
        if let Some(account) = &account {
            chown(directory.path(), Some(account.user), Some(account.group))?;
        }
        let command = |program: &str| {
            let mut command = Command::new(binaries.join(program));
            if let Some(account) = &account {
                command.uid(account.user).gid(account.group);
            }
            command.current_dir(directory.path()).stdin(Stdio::null());
            command
        };
        let data = directory.path().join("data");
        let mut initdb = command("initdb");
        initdb
            .args([
                "--username=svc",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                "-D",
            ])
            .arg(&data);
        process::run(initdb.stdout(Stdio::null()))?;

        let log = File::create(directory.path().join("log"))?;
        let port = free_port()?;
        let mut postgres = command("postgres");
        // Without fsync, because nothing has to survive a crash. The socket is in the data directory, not at a fixed
        // path.
        postgres
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(directory.path())
            .arg("-p")
            .arg(port.to_string());
        postgres.args(["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200"]);
        postgres.args([
            "-c",
            "fsync=off",
            "-c",
            "synchronous_commit=off",
            "-c",
            "full_page_writes=off",
        ]);
        // Its own process group: Ctrl-C ends the tests first, then we end the server.
        let server = postgres
            .process_group(0)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        let server = server.with_context(|| format!("cannot start {}", process::named(&postgres)))?;
        let mut cluster = Self {
            server,
            url: format!("postgres://svc@127.0.0.1:{port}/postgres"),
            directory,
        };
        cluster.wait_until_ready(&data)?;
        Ok(cluster)
    }

    /// The URL of the server, with a superuser account.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    fn wait_until_ready(&mut self, data: &Path) -> Result<()> {
        let started = Instant::now();
        loop {
            // The server writes its state into this file.
            let status = std::fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
            if status.lines().any(|line| line.trim() == "ready") {
                return Ok(());
            }
            let ended = self.server.try_wait()?;
            if ended.is_some() || started.elapsed() > PATIENCE || process::interrupted() {
                let log = std::fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
                bail!("PostgreSQL did not start. Its log:\n{log}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let pid = Pid::from_child(&self.server);
        let started = Instant::now();
        // SIGINT is its "fast" shutdown: clients are dropped. SIGTERM would wait for them.
        let _ = kill_process(pid, Signal::INT);
        while matches!(self.server.try_wait(), Ok(None)) {
            if started.elapsed() > PATIENCE {
                let _ = kill_process(pid, Signal::QUIT);
                let _ = self.server.wait();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The user that the server runs as: PostgreSQL refuses to run as root.
struct Account {
    user: u32,
    group: u32,
}

impl Account {
    /// `None` for the current user; `postgres`, else `nobody`, if the current user is root.
    fn for_server() -> Result<Option<Self>> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let accounts = std::fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
        let account = |name: &str| {
            accounts.lines().find_map(|line| {
                let mut fields = line.split(':');
                let matches = fields.next() == Some(name);
                let (user, group) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
                matches.then_some(Self { user, group })
            })
        };
        let found = account("postgres").or_else(|| account("nobody"));
        Ok(Some(found.context(
            "PostgreSQL does not run as root, and there is no account `postgres` or `nobody`",
        )?))
    }
}

/// A port that was free a moment ago; another process may still take it.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))
        .context("no free port on the loopback interface")?
        .local_addr()?
        .port())
}
