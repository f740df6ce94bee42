//! `cargo xtask fuzz-api`: schemathesis sends the real server valid and invalid requests made from its API description,
//! as the owner, as a member, and without a credential. Then what depends on it once more, with a cloud and with a
//! provider of OpenID Connect.
//!
//! - `fuzzer.rs`: the rounds with one server
//! - `services.rs`: the servers with a cloud and with a provider

mod fuzzer;
mod services;

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use fuzzer::{Account, Fuzzer, KnownValues, Target};
use tempfile::TempDir;

use crate::server_client::{Client, Credentials};
use crate::server_process::ServerProcess;
use crate::{host, process, run, workspace};

/// An exact version, so that the same seed makes the same requests everywhere.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";

/// Path parameters, with the list and field that have real values for them: with random ids all requests would be 404.
const IDS: [(&str, &str, &str); 6] = [
    ("musicArtistId", "music/artists", "musicArtistId"),
    ("musicReleaseId", "music/releases", "musicReleaseId"),
    ("musicTrackId", "music/tracks", "musicTrackId"),
    ("photoId", "photos", "photoId"),
    ("runId", "index/runs", "runId"),
    ("id", "users", "userId"),
];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Requests made for each operation and round; the default takes some minutes in all
    #[arg(long, value_name = "N", default_value_t = 150)]
    max_examples: u32,
    /// Makes the same requests again
    #[arg(long, value_name = "N")]
    seed: Option<u32>,
    /// The release server in place of the one for development
    #[arg(long)]
    release: bool,
    /// A server that is built already
    #[arg(long, value_name = "FILE", conflicts_with = "release")]
    program: Option<PathBuf>,
    /// Where schemathesis cannot be fetched, warn and succeed
    #[arg(long)]
    skip_when_offline: bool,
}

/// Builds and starts the servers and fuzzes them; any finding is an error.
pub(crate) fn run(options: &Options) -> Result<()> {
    let directory = workspace::target().join("fuzz-api");
    std::fs::create_dir_all(&directory)?;
    let tool = match schemathesis(&directory) {
        Ok(tool) => tool,
        Err(error) if options.skip_when_offline => {
            eprintln!("xtask: NOT RUN, on your word: {error:#}");
            return Ok(());
        }
        Err(error) => return Err(error.context("fuzz-api was NOT RUN")),
    };
    let (binary, cloud) = programs(options)?;
    // 16 bits are plenty, and short to type.
    let seed = options.seed.unwrap_or_else(|| {
        u32::from(u16::try_from(RandomState::new().hash_one(()) & 0xffff).unwrap_or_default())
    });
    println!("seed {seed}: `cargo xtask fuzz-api --seed {seed}` makes the same requests, but for ids");
    for (operations, reason) in fuzzer::EXCLUDED {
        println!("excluded: {operations}: {reason}");
    }
    let fuzzer = Fuzzer {
        tool,
        directory,
        max_examples: options.max_examples.to_string(),
        seed: seed.to_string(),
    };
    let mut failed = alone(&fuzzer, &binary)?;
    failed.extend(services::with_cloud(&fuzzer, &binary, &cloud)?);
    let left_out = match services::with_provider(&fuzzer, &binary)? {
        Some(findings) => {
            failed.extend(findings);
            ""
        }
        None => ", but NOT RUN with a provider: `cargo xtask plugin-tools` installs it",
    };
    if !failed.is_empty() {
        bail!(
            "findings above, seed {seed}, logs of the servers in {}: {}{left_out}",
            workspace::shown(&fuzzer.directory),
            failed.join("; ")
        );
    }
    println!("\nno findings, seed {seed}{left_out}");
    Ok(())
}

/// The programs of the server and of the cloud.
fn programs(options: &Options) -> Result<(PathBuf, PathBuf)> {
    let cloud = workspace::target().join("debug/svc-cloud");
    let binary = match (&options.program, options.release) {
        (Some(program), _) => program.clone(),
        (None, true) => host::build_release()?,
        // The cloud with it.
        (None, false) => return Ok((host::build_dev()?, cloud)),
    };
    process::run(&mut process::cargo(["build", "-p", "svc-reference-cloud"]))?;
    Ok((binary, cloud))
}

/// A server with data of its own. Ends when dropped.
struct Server {
    process: ServerProcess,
    _data: TempDir,
}

impl Server {
    /// Starts a server with these options; its log is named by `title`.
    fn start(fuzzer: &Fuzzer, binary: &Path, title: &str, options: &[OsString]) -> Result<Self> {
        let data = tempfile::Builder::new()
            .prefix("data-")
            .tempdir_in(&fuzzer.directory)?;
        let log = fuzzer.directory.join(format!("server-{title}.log"));
        let mut serve = Command::new(binary);
        serve
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data.path())
            .args(options)
            .stderr(std::fs::File::create(&log)?);
        let process = ServerProcess::start(&mut serve)
            .with_context(|| format!("what the server said is in {}", log.display()))?;
        Ok(Self { process, _data: data })
    }

    fn client(&self) -> Client {
        Client::new(self.process.base())
    }
}

/// Fuzzes all operations of a server without a cloud; returns the rounds with findings.
fn alone(fuzzer: &Fuzzer, binary: &Path) -> Result<Vec<String>> {
    let server = Server::start(
        fuzzer,
        binary,
        "alone",
        &run::media_arguments(&run::sample_library()?),
    )?;
    let client = server.client();
    let (accounts, known) = prepare(&client)?;
    let target = Target {
        title: "without a cloud",
        base: server.process.base(),
        operations: &[],
        known,
        cloud_token: None,
        // From operations that need a cloud.
        expects_503: true,
    };
    let mut failed = fuzzer.rounds(&client, &accounts, &target)?;
    if !client.is_set_up()? {
        bail!("the server forgot its owner");
    }
    if !accounts.iter().any(|(role, _)| *role == "member") {
        failed.push("member: NOT RUN, the server has no POST /api/v1/users".to_owned());
    }
    Ok(failed)
}

fn new_account(username: &str) -> Result<Credentials> {
    Ok(Credentials {
        username: username.into(),
        password: run::random_password()?,
    })
}

/// The callers of the rounds: the owner, a member if the server can have one, and nobody. The library is indexed first,
/// so that lists have items, whose ids are returned.
fn prepare(client: &Client) -> Result<(Vec<Account>, KnownValues)> {
    let owner = new_account("owner")?;
    client.set_up(&owner)?;
    let mut session = client.log_in(owner.clone())?;
    session.start_quick_run()?;
    while !session.is_idle()? {
        if process::interrupted() {
            bail!("interrupted");
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    println!("indexed: {}", session.counts()?);
    let member = new_account("member")?;
    // The owner last: its changes of other accounts must not lock them out before their round.
    let mut accounts = vec![("nobody", None)];
    if session.create_member(&member)? {
        accounts.push(("member", Some(member)));
    }
    accounts.push(("owner", Some(owner)));

    let mut known = KnownValues::default();
    for (parameter, list, field) in IDS {
        let ids = session.list_field(&format!("{list}?take=5"), field)?;
        if ids.is_empty() {
            bail!("GET {list} shows nothing to ask for by its {parameter}");
        }
        known.add(&format!("path.{parameter}"), &ids);
    }
    Ok((accounts, known))
}

/// The tool, in a virtual environment below the target directory.
fn schemathesis(directory: &Path) -> Result<PathBuf> {
    let environment = directory.join(SCHEMATHESIS.replace("==", "-"));
    let tool = environment.join("bin/schemathesis");
    if process::succeeds(Command::new(&tool).arg("--version")) {
        return Ok(tool);
    }
    eprintln!(
        "xtask: installing {SCHEMATHESIS} into {}",
        workspace::shown(&environment)
    );
    process::run(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&environment),
    )
    .context("python3 with venv is needed")?;
    process::run(
        Command::new(environment.join("bin/python"))
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .arg(SCHEMATHESIS),
    )
    .with_context(|| format!("{SCHEMATHESIS} cannot be fetched from PyPI"))?;
    Ok(tool)
}
