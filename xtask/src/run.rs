//! `cargo xtask run`: builds and starts a server, indexes a library, and prints credentials and example requests.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::server_client::{Client, Credentials};
use crate::{fixtures, host, process, workspace};

const OWNER: &str = "owner";

/// How long the server may take until it listens; the first start compiles the plugins.
const START_LIMIT: Duration = Duration::from_secs(120);

const MEDIA_FLAGS: [&str; 4] = ["--music-dir", "--photos-dir", "--movies-dir", "--tv-dir"];

/// Builds, starts and sets up the server, indexes the library, and waits until the server ends.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let binary = host::build_local()?;
    let mut serve = Command::new(binary);
    serve.arg("serve").args(arguments);
    if !MEDIA_FLAGS.iter().any(|flag| given(arguments, flag)) && !given(arguments, "--config") {
        let library = sample_library()?;
        serve.args(media_arguments(&library));
    }
    let data = match value(arguments, "--data-dir") {
        Some(directory) => directory,
        None => {
            let directory = workspace::target().join("run-data");
            serve.arg("--data-dir").arg(&directory);
            directory
        }
    };

    process::hold_interrupts()?;
    // In its own process group, so that Ctrl-C reaches it once, through xtask, and it can shut down gracefully.
    serve.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut server = serve
        .spawn()
        .with_context(|| format!("cannot start {}", process::named(&serve)))?;
    let registered = process::register(&server);
    let prepared = prepare(&mut server, &beside(&data));
    if prepared.is_err() {
        registered.terminate();
    }
    let status = server.wait()?;
    prepared?;
    if !status.success() && !process::interrupted() {
        bail!("the server ended ({status})");
    }
    Ok(())
}

/// Whether a flag is among the arguments, or its variable in the environment.
fn given(arguments: &[String], flag: &str) -> bool {
    value(arguments, flag).is_some()
}

fn value(arguments: &[String], flag: &str) -> Option<PathBuf> {
    for (index, argument) in arguments.iter().enumerate() {
        if argument == flag {
            return Some(arguments.get(index + 1).cloned().unwrap_or_default().into());
        }
        if let Some(value) = argument
            .strip_prefix(flag)
            .and_then(|rest| rest.strip_prefix('='))
        {
            return Some(value.into());
        }
    }
    let variable = format!(
        "SVC_{}",
        flag.trim_start_matches('-').replace('-', "_").to_uppercase()
    );
    std::env::var_os(variable).map(PathBuf::from)
}

/// The flags for the media directories of a library with all four kinds.
pub(crate) fn media_arguments(library: &Path) -> Vec<OsString> {
    let kinds = MEDIA_FLAGS.iter().zip(["music", "photos", "movies", "tv"]);
    kinds
        .flat_map(|(flag, kind)| [flag.into(), library.join(kind).into_os_string()])
        .collect()
}

pub(crate) fn sample_library() -> Result<PathBuf> {
    let library = workspace::target().join("sample-library");
    // A library of an older version has no movies.
    if !library.join("manifest.json").is_file() || !library.join("movies").is_dir() {
        eprintln!(
            "xtask: generating a sample library in {}",
            workspace::shown(&library)
        );
        fixtures::write_sample_library(&library)?;
    }
    Ok(library)
}

/// The file with the credentials, next to the data directory, which belongs to the server.
fn beside(data: &Path) -> PathBuf {
    let mut path = data.as_os_str().to_owned();
    path.push("-credentials");
    path.into()
}

fn prepare(server: &mut Child, credentials: &Path) -> Result<()> {
    let Some(base) = wait_until_listening(server)? else {
        return Ok(());
    };
    let client = Client::new(&base);
    let known = if client.is_set_up()? {
        read_credentials(credentials)?
    } else {
        let fresh = Credentials {
            username: OWNER.into(),
            password: random_password()?,
        };
        write_credentials(credentials, &fresh)?;
        client.set_up(&fresh)?;
        Some(fresh)
    };
    let Some(known) = known else {
        println!(
            "\n{base}/api/docs\nThe server was set up before, with credentials of your own: log in and index from there."
        );
        return Ok(());
    };
    let mut session = client.log_in(known)?;
    println!("indexing");
    session.start_quick_run()?;
    while !session.is_idle()? {
        if process::interrupted() || server.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let counts = session.counts()?;
    let Credentials { username, password } = session.credentials();
    println!(
        "\nindexed: {counts}\n\n  server       {base}\n  API pages    {base}/api/docs\n  username     {username}\n  password     {password}\n\n\
         Look around:\n  TOKEN=$(curl -s {base}/api/v1/auth/login -H 'svc-app: admin' -H 'content-type: application/json' \\\n    \
         -d '{{\"username\":\"{username}\",\"password\":\"{password}\"}}' | sed 's/.*\"JWT\":\"\\([^\"]*\\)\".*/\\1/')\n  \
         curl -s \"{base}/api/v1/music/releases?take=5\" -H \"authorization: Bearer $TOKEN\"\n  \
         curl -s \"{base}/api/v1/movies\" -H \"authorization: Bearer $TOKEN\"\n\nCtrl-C stops the server.",
    );
    Ok(())
}

/// Shows the output of the server and returns its address when it is listening; `None` after Ctrl-C.
fn wait_until_listening(server: &mut Child) -> Result<Option<String>> {
    let stdout = server
        .stdout
        .take()
        .context("the server's stdout was not captured")?;
    let (announce, announced) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            println!("{line}");
            if let Some(address) = line.trim().strip_prefix("listening on ") {
                // Only the first such line is awaited.
                let _ = announce.send(address.to_owned());
            }
        }
    });
    match announced.recv_timeout(START_LIMIT) {
        Ok(address) => Ok(Some(
            address
                .replace("//0.0.0.0:", "//127.0.0.1:")
                .replace("//[::]:", "//[::1]:"),
        )),
        Err(RecvTimeoutError::Timeout) => {
            bail!("the server did not listen within {} s", START_LIMIT.as_secs())
        }
        Err(RecvTimeoutError::Disconnected) if process::interrupted() => Ok(None),
        Err(RecvTimeoutError::Disconnected) => {
            bail!("the server ended before it listened; what it said stands above")
        }
    }
}

fn read_credentials(path: &Path) -> Result<Option<Credentials>> {
    let Ok(text) = std::fs::read_to_string(path) else {
        return Ok(None);
    };
    let (username, password) = text
        .trim()
        .split_once(':')
        .with_context(|| format!("{} is not USERNAME:PASSWORD", path.display()))?;
    Ok(Some(Credentials {
        username: username.into(),
        password: password.into(),
    }))
}

fn write_credentials(path: &Path, credentials: &Credentials) -> Result<()> {
    // The mode applies to new files only, so an older file is removed first.
    let _ = std::fs::remove_file(path);
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(writeln!(
        file,
        "{}:{}",
        credentials.username, credentials.password
    )?)
}

/// 16 characters that need no quoting in a shell or in JSON, from an alphabet of 64, so that all are equally likely.
pub(crate) fn random_password() -> Result<String> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bytes = [0; 16];
    std::fs::File::open("/dev/urandom")?
        .read_exact(&mut bytes)
        .context("cannot read /dev/urandom")?;
    let letter = |byte: u8| {
        ALPHABET
            .get(usize::from(byte % 64))
            .map(|letter| char::from(*letter))
    };
    Ok(bytes.into_iter().filter_map(letter).collect())
}
