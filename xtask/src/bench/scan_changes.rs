//! Rescans after changes: files that grow a little and get back their length at the end, and the time until a
//! subscriber hears of one.

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

/// Files that change before one rescan.
const CHANGES: usize = 100;

/// Single changes that a subscriber waits for.
const TURNS: usize = 7;

/// Longest wait for a watch to stand or an event to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// From the change to the event.
const AIM: f64 = 2.0;

/// Added to a file to change it.
const ADDED: [u8; 16] = [0; 16];

/// A file that was changed; it has its old length again when this ends.
struct Changed {
    path: PathBuf,
    length: u64,
}

impl Changed {
    fn new(path: PathBuf) -> Result<Self> {
        let length = path.metadata()?.len();
        let mut file = OpenOptions::new().append(true).open(&path)?;
        file.write_all(&ADDED)?;
        Ok(Self { path, length })
    }
}

impl Drop for Changed {
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

/// A rescan after [`CHANGES`], then single changes until a subscriber hears of each.
pub(crate) fn measure(server: &ScanServer, music: &Path, table: &mut Table) -> Result<()> {
    let files = library::tracks(music)?;
    let step = (files.len() / CHANGES).max(1);
    let mut session = server.session()?;
    let changed = files.iter().step_by(step).take(CHANGES).cloned();
    let changed = changed.map(Changed::new).collect::<Result<Vec<_>>>()?;
    let rescan = server.index(&mut session, "quick", &[])?;
    table.tell(
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
        if asked.elapsed() > PATIENCE {
            bail!("the directories are not watched");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    table.tell(
        "until all directories are watched",
        &format!("{:.1} s", asked.elapsed().as_secs_f64()),
    );
    // What changed before is looked for once, a minute after the start at the earliest.
    while !session.has_caught_up()? {
        if asked.elapsed() > PATIENCE * 2 {
            bail!("the watch did not begin with a run");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut events = subscribe(server.process().address(), session.token())?;
    let mut times = Vec::new();
    let mut changed = Vec::new();
    for file in files.iter().step_by((files.len() / TURNS).max(1)).take(TURNS) {
        let started = Instant::now();
        changed.push(Changed::new(file.clone())?);
        // Of this change, and not of an earlier one.
        until(&mut events, |line| {
            line.contains("\"indexing.completed\"") && line.contains("\"updated\":1")
        })?;
        times.push(started.elapsed().as_secs_f64());
    }
    let worst = times.iter().copied().fold(0.0, f64::max);
    table.tell(
        "from a changed file to `indexing.completed`, median",
        &Unit::Seconds.show(measure::median(&times).unwrap_or_default()),
    );
    table.at_most("the same, longest", Unit::Seconds, worst, AIM);
    drop(changed);
    until(&mut events, |line| line.contains("\"indexing.completed\""))?;
    session.set(&json!({"watch_directories": false}))?;
    // The settings are looked at once a second; what changed until then is a run of the watch.
    std::thread::sleep(Duration::from_secs(3));
    while !session.is_idle()? {
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// An open stream of events, after its first words.
fn subscribe(address: &str, token: &str) -> Result<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
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
    // A comment says that the stream is open.
    until(&mut events, |line| line == ":\n")?;
    Ok(events)
}

/// Reads until a line is the one.
fn until(events: &mut BufReader<TcpStream>, is_it: impl Fn(&str) -> bool) -> Result<()> {
    let mut line = String::new();
    while !is_it(&line) {
        line.clear();
        if events.read_line(&mut line).context("no event came")? == 0 {
            bail!("the stream of events ended");
        }
    }
    Ok(())
}
