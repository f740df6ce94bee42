//! `cargo xtask fuzz-api`: schemathesis sends the real server valid and invalid requests made from its API description,
//! as the owner, as a member, and without a credential.

use std::fmt::Write;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::server_client::{Client, Credentials};
use crate::server_process::ServerProcess;
use crate::{host, process, run, workspace};

/// An exact version, so that the same seed makes the same requests everywhere.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";

/// `positive_data_acceptance` is left out, because the description cannot express everything that makes an id or a
/// filter valid.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance,response_headers_conformance,negative_data_rejection";

const HOOKS: &str = include_str!("fuzz_api_hooks.py");

/// Excluded operations, with the reason: they would end the session of the test itself, or never complete.
const EXCLUDED: [(&str, &str); 4] = [
    ("GET /api/v1/events/subscribe", "its answer has no end"),
    (
        "POST /api/v1/auth/logout",
        "ends the session that the rest is tested with",
    ),
    (
        r"DELETE /api/v1/users/(current|\{id\})/sessions.*",
        "ends the session that the rest is tested with",
    ),
    (
        r"POST /api/v1/.*factory-reset.*",
        "empties the server that the rest is tested on",
    ),
];

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

/// Builds and starts the server and fuzzes it in three rounds; any finding is an error.
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
    let binary = match (&options.program, options.release) {
        (Some(program), _) => program.clone(),
        (None, true) => host::build_release()?,
        (None, false) => host::build_dev()?,
    };
    // 16 bits are plenty, and short to type.
    let seed = options.seed.unwrap_or_else(|| {
        u32::from(u16::try_from(RandomState::new().hash_one(()) & 0xffff).unwrap_or_default())
    });
    println!("seed {seed}: `cargo xtask fuzz-api --seed {seed}` makes the same requests, but for ids");
    for (operations, reason) in EXCLUDED {
        println!("excluded: {operations}: {reason}");
    }

    let library = run::sample_library()?;
    let data = tempfile::Builder::new().prefix("data-").tempdir_in(&directory)?;
    let log = directory.join("server.log");
    let mut serve = Command::new(binary);
    serve
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(data.path())
        .args(run::media_arguments(&library))
        .stderr(std::fs::File::create(&log)?);
    let server = ServerProcess::start(&mut serve)
        .with_context(|| format!("what the server said is in {}", log.display()))?;
    let (accounts, known_ids) = prepare(&Client::new(server.base()))?;
    let fuzzer = Fuzzer {
        tool,
        directory,
        document: format!("{}/api/docs-json", server.base()),
        max_examples: options.max_examples.to_string(),
        seed: seed.to_string(),
        known_ids,
    };

    let mut failed = Vec::new();
    for (role, credentials) in &accounts {
        if process::interrupted() {
            bail!("interrupted");
        }
        println!("\n== as {role}");
        // A new sign-in for each round, because an access token lives for 15 minutes.
        let client = Client::new(server.base());
        let session = credentials
            .clone()
            .map(|known| client.log_in(known))
            .transpose()?;
        if let Err(error) = fuzzer.round(session.as_ref().map(|session| session.token())) {
            eprintln!("xtask: {error:#}");
            failed.push(*role);
        }
    }
    if !Client::new(server.base()).is_set_up()? {
        bail!("the server forgot its owner");
    }
    if !accounts.iter().any(|(role, _)| *role == "member") {
        failed.push("member: NOT RUN, the server has no POST /api/v1/users");
    }
    if !failed.is_empty() {
        bail!(
            "findings above, seed {seed}, server log in {}: {}",
            workspace::shown(&log),
            failed.join("; ")
        );
    }
    println!("\nno findings, seed {seed}");
    Ok(())
}

/// A role and its credentials.
type Account = (&'static str, Option<Credentials>);

/// The callers of the rounds: the owner, a member if the server can have one, and nobody. The library is indexed first,
/// so that lists have items; their ids are written to schemathesis's configuration.
fn prepare(client: &Client) -> Result<(Vec<Account>, String)> {
    let account = |username: &str| -> Result<Credentials> {
        Ok(Credentials {
            username: username.into(),
            password: run::random_password()?,
        })
    };
    let owner = account("owner")?;
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
    let member = account("member")?;
    // The owner last: its changes of other accounts must not lock them out before their round.
    let mut accounts = vec![("nobody", None)];
    if session.create_member(&member)? {
        accounts.push(("member", Some(member)));
    }
    accounts.push(("owner", Some(owner)));

    let (mut dictionaries, mut parameters) = (String::new(), String::from("[parameters]\n"));
    for (parameter, list, field) in IDS {
        let ids = session.list_field(&format!("{list}?take=5"), field)?;
        if ids.is_empty() {
            bail!("GET {list} shows nothing to ask for by its {parameter}");
        }
        // Writing to a string does not fail. The ids are letters and digits, so Rust's quotes are TOML's.
        let _ = writeln!(dictionaries, "[dictionaries.{parameter}]\nvalues = {ids:?}");
        let _ = writeln!(
            parameters,
            "\"path.{parameter}\" = {{ dictionary = \"{parameter}\", probability = 0.6 }}"
        );
    }
    Ok((accounts, dictionaries + &parameters))
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

struct Fuzzer {
    tool: PathBuf,
    directory: PathBuf,
    document: String,
    max_examples: String,
    seed: String,
    known_ids: String,
}

impl Fuzzer {
    fn round(&self, token: Option<&str>) -> Result<()> {
        // The token goes through the environment: neither a file nor a list of processes shows it, and the report's
        // curl lines have it taken out.
        std::fs::write(self.directory.join("svc_hooks.py"), HOOKS)?;
        let mut configuration = String::from("hooks = \"svc_hooks\"\n");
        if token.is_some() {
            configuration.push_str("headers = { Authorization = \"Bearer ${SVC_FUZZ_TOKEN}\" }\n");
        }
        // 503 is expected from operations that need the cloud, which is not configured here.
        configuration.push_str(
            "[checks.not_a_server_error]\nexpected-statuses = [\"2xx\", \"3xx\", \"4xx\", \"503\"]\n",
        );
        configuration.push_str(&self.known_ids);
        let path = self.directory.join("schemathesis.toml");
        std::fs::write(&path, configuration)?;
        let mut command = Command::new(&self.tool);
        command
            .current_dir(&self.directory)
            .env("PYTHONPATH", &self.directory)
            .arg("--config-file")
            .arg(&path)
            .args(["run", &self.document, "--checks", CHECKS])
            // Not `stateful`: the description names no links between operations.
            .args(["--phases", "examples,coverage,fuzzing"])
            .args(["--max-examples", &self.max_examples, "--seed", &self.seed])
            .args(["--generation-database", "none", "--continue-on-failure"])
            // Warnings are about schemathesis's own coverage, such as a role that gets 403 everywhere, which is
            // intended.
            .args(["--warnings", "off", "--request-timeout", "30"]);
        for (operations, _) in EXCLUDED {
            command.args(["--exclude-name-regex", &format!("^{operations}$")]);
        }
        if let Some(token) = token {
            command.env("SVC_FUZZ_TOKEN", token);
        }
        process::run_supervised(&mut command)
    }
}
