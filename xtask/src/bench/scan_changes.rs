//! Rescans after changes: a rescan of many modified files, and the time from a modified file to its event. The files
//! are restored at the end.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::report::{Table, Unit};
use super::scan_server::ScanServer;
use super::{library, measure};

/// Files that are modified before the rescan.
const CHANGES: usize = 100;

/// Single changes for which the time until the event is measured.
const TIMED_CHANGES: usize = 7;

/// Maximum wait for the watch to be set up, and for an event.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Aim of the time from a change to its event, in seconds.
const MAX_EVENT_SECONDS: f64 = 2.0;

/// Bytes that are appended to modify a file.
const APPENDED: [u8; 16] = [0; 16];

/// A modified file. Dropping it restores the old length.
struct ModifiedFile {
    path: PathBuf,
    length: u64,
}

impl ModifiedFile {
    fn new(path: PathBuf) -> Result<Self> {
        let length = path.metadata()?.len();
        let mut file = OpenOptions::new().append(true).open(&path)?;
        file.write_all(&APPENDED)?;
        Ok(Self { path, length })
    }
}

impl Drop for ModifiedFile {
    fn drop(&mut self) {
        let restored = OpenOptions::new()
            .write(true)
            .open(&self.path)
            .and_then(|file| file.set_len(self.length));
        if let Err(error) = restored {
            eprintln!("xtask: {} keeps 16 bytes too many: {error}", self.path.display());
        }
    }
}

/// Measures a rescan after [`CHANGES`] modifications, then the time until the event of single ones.
pub(crate) fn measure(server: &ScanServer, music: &Path, table: &mut Table) -> Result<()> {
    let files = library::tracks(music)?;
    let step = (files.len() / CHANGES).max(1);
    let mut session = server.session()?;
    let changed = files.iter().step_by(step).take(CHANGES).cloned();
    let changed = changed.map(ModifiedFile::new).collect::<Result<Vec<_>>>()?;
    let rescan = server.index(&mut session, "quick", &[])?;
    table.add(
        &format!("rescan after {} changed files", changed.len()),
        &format!(
            "{:.2} s, {:.2} CPU s, {} files opened, {} updated",
            rescan.seconds,
            rescan.cpu,
            rescan.opened(),
            rescan.total("updated")
        ),
    );
    drop(changed);
    server.index(&mut session, "quick", &[])?;

    session.set(&json!({"watch_directories": true}))?;
    let asked = Instant::now();
    while !session.is_watching()? {
        if asked.elapsed() > TIMEOUT {
            bail!("the directories are not watched");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    table.add(
        "until all directories are watched",
        &format!("{:.1} s", asked.elapsed().as_secs_f64()),
    );
    // Watching begins with a run that finds earlier changes, a minute after the start at the earliest.
    while !session.has_caught_up()? {
        if asked.elapsed() > TIMEOUT * 2 {
            bail!("the watch did not begin with a run");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut events = subscribe(server.process().address(), session.token())?;
    let mut times = Vec::new();
    let mut changed = Vec::new();
    for file in files
        .iter()
        .step_by((files.len() / TIMED_CHANGES).max(1))
        .take(TIMED_CHANGES)
    {
        let started = Instant::now();
        changed.push(ModifiedFile::new(file.clone())?);
        // A run that updated this file only, not an earlier one.
        read_until(&mut events, |line| {
            line.contains("\"indexing.completed\"") && line.contains("\"updated\":1")
        })?;
        times.push(started.elapsed().as_secs_f64());
    }
    let worst = times.iter().copied().fold(0.0, f64::max);
    table.add(
        "from a changed file to `indexing.completed`, median",
        &Unit::Seconds.show(measure::median(&times).unwrap_or_default()),
    );
    table.at_most("the same, longest", Unit::Seconds, worst, MAX_EVENT_SECONDS);
    drop(changed);
    read_until(&mut events, |line| line.contains("\"indexing.completed\""))?;
    session.set(&json!({"watch_directories": false}))?;
    // The server reads the setting once a second; until then changes still start a run.
    std::thread::sleep(Duration::from_secs(3));
    while !session.is_idle()? {
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Opens an event stream and reads its head and first comment.
fn subscribe(address: &str, token: &str) -> Result<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(
        format!(
            "GET /api/v1/events/subscribe HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n"
        )
        .as_bytes(),
    )?;
    let mut events = BufReader::new(stream);
    let mut status = String::new();
    events.read_line(&mut status)?;
    if !status.starts_with("HTTP/1.1 200") {
        bail!("GET events/subscribe: {status}");
    }
    // The server sends a comment when the stream is open.
    read_until(&mut events, |line| line == ":\n")?;
    Ok(events)
}

/// Reads lines until one matches.
fn read_until(events: &mut BufReader<TcpStream>, is_it: impl Fn(&str) -> bool) -> Result<()> {
    let mut line = String::new();
    while !is_it(&line) {
        line.clear();
        if events.read_line(&mut line).context("no event came")? == 0 {
            bail!("the stream of events ended");
        }
    }
    Ok(())
}
