//! `cargo xtask bench scan`: first scan, quick rescan and idle memory on libraries of several sizes, turn by
//! turn with a bare native loop over the same tree.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::library::{Kind, Library};
use super::measure::{self, Cost, Resident};
use super::{machine, report};
use crate::server_process::ServerProcess;
use crate::{host, process, workspace};

/// Each figure is the median of so many rounds.
const ROUNDS: usize = 3;

/// How long an idle server is left alone before its memory is read.
const SETTLE: Duration = Duration::from_secs(3);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Music libraries of so many files
    #[arg(long, value_name = "N", default_values_t = [10_000, 100_000])]
    music: Vec<usize>,
    /// Photo libraries of so many files
    #[arg(long, value_name = "N", default_values_t = [5_000])]
    photos: Vec<usize>,
    /// Movie libraries of so many files
    #[arg(long, value_name = "N", default_values_t = [5_000])]
    movies: Vec<usize>,
    /// Libraries of so many episodes
    #[arg(long, value_name = "N", default_values_t = [5_000])]
    tv: Vec<usize>,
    /// Program that makes the libraries (`--out DIR --music N --photos N --movies N --tv N --seed N`); else the project's fixtures
    #[arg(long, value_name = "PATH", env = "SVC_BENCH_GENERATOR")]
    generator: Option<PathBuf>,
}

/// What was measured on one library.
pub(crate) struct Outcome {
    pub(crate) library: Library,
    /// Items that the scan stored.
    pub(crate) items: u64,
    pub(crate) errors: u64,
    pub(crate) first: Median,
    /// The bare loop, for music.
    pub(crate) native: Option<Median>,
    pub(crate) rescan: Median,
    /// A start with an empty library and nothing compiled yet.
    pub(crate) cold_start: Duration,
    pub(crate) database_bytes: u64,
    pub(crate) idle: Resident,
}

/// Medians over the rounds.
pub(crate) struct Median {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
    pub(crate) peak_memory: u64,
}

/// Prepares, measures, and prints a table.
pub(crate) fn run(options: &Options) -> Result<()> {
    let server = host::build_release()?;
    process::run(&mut process::cargo([
        "build",
        "--release",
        "-p",
        "svc-tests",
        "--bin",
        "native-scan",
    ]))?;
    let native = workspace::target().join("release/native-scan");
    let music = options.music.iter().map(|files| (Kind::Music, *files));
    let photos = options.photos.iter().map(|files| (Kind::Photos, *files));
    let mut outcomes = Vec::new();
    let movies = options.movies.iter().map(|files| (Kind::Movies, *files));
    let tv = options.tv.iter().map(|files| (Kind::Tv, *files));
    let all = music.chain(photos).chain(movies).chain(tv);
    for (kind, files) in all.filter(|(_, files)| *files > 0) {
        let library = Library::prepare(kind, files, options.generator.as_deref())?;
        library.warm()?;
        eprintln!("xtask: scanning {}", workspace::shown(&library.directory));
        outcomes.push(measure_library(library, &server, &native)?);
    }
    print!("{}", report::table(&outcomes));
    println!("\n{}", machine::line());
    Ok(())
}

fn measure_library(library: Library, server: &Path, native: &Path) -> Result<Outcome> {
    let scratch = tempfile::Builder::new()
        .prefix("scan-")
        .tempdir_in(workspace::target().join("bench"))?;
    let empty = scratch.path().join("empty");
    std::fs::create_dir(&empty)?;
    let mut first = Vec::new();
    let mut bare = Vec::new();
    let mut cold_start = Vec::new();
    let mut data = PathBuf::new();
    for round in 0..ROUNDS {
        data = scratch.path().join(format!("data-{round}"));
        // A first scan without files, so that compiling the plugins is not counted as scanning.
        cold_start.push(measure::cost(&mut index(server, &data, library.kind, &empty))?.wall);
        first.push(measure::cost(&mut index(
            server,
            &data,
            library.kind,
            &library.directory,
        ))?);
        if library.kind == Kind::Music {
            let database = scratch.path().join(format!("native-{round}.db"));
            bare.push(measure::cost(
                Command::new(native).arg(&library.directory).arg(database),
            )?);
        }
    }
    let summary = summary(first.last().context("no round was run")?)?;
    let rescan = (0..ROUNDS).map(|_| {
        let rescan = measure::cost(&mut index(server, &data, library.kind, &library.directory))?;
        match self::summary(&rescan)?.get("filesOpened").and_then(Value::as_u64) {
            Some(0) => Ok(rescan),
            opened => bail!("a rescan of an unchanged library opened files: {opened:?}"),
        }
    });
    let rescan = rescan.collect::<Result<Vec<_>>>()?;
    Ok(Outcome {
        items: total(&summary, "found"),
        errors: total(&summary, "errored"),
        first: Median::of(&first)?,
        native: if bare.is_empty() {
            None
        } else {
            Some(Median::of(&bare)?)
        },
        rescan: Median::of(&rescan)?,
        cold_start: measure::median(&cold_start).unwrap_or_default(),
        database_bytes: measure::database_bytes(&data)?,
        idle: idle_memory(server, &data, &library)?,
        library,
    })
}

fn index(server: &Path, data: &Path, kind: Kind, media: &Path) -> Command {
    let mut command = Command::new(server);
    command
        .args(["index", "--json", "--data-dir"])
        .arg(data)
        .arg(kind.flag())
        .arg(media);
    command
}

fn summary(cost: &Cost) -> Result<Value> {
    // The summary is the last thing printed.
    let line = cost.stdout.lines().rev().find(|line| line.starts_with('{'));
    let text = line.unwrap_or(&cost.stdout);
    serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&cost.stdout))
        .context("`svc index --json` printed no JSON")
}

/// One of the counts, over all kinds of media.
fn total(summary: &Value, count: &str) -> u64 {
    let kinds = summary
        .get("counts")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    kinds.filter_map(|(_, counts)| counts.get(count)?.as_u64()).sum()
}

/// Memory of a server that has the library loaded and nothing to do.
fn idle_memory(server: &Path, data: &Path, library: &Library) -> Result<Resident> {
    let mut serve = Command::new(server);
    serve
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(data)
        .arg(library.kind.flag())
        .arg(&library.directory);
    let server = ServerProcess::start(&mut serve)?;
    std::thread::sleep(SETTLE);
    measure::resident(server.pid())
}

impl Median {
    fn of(costs: &[Cost]) -> Result<Self> {
        let of = |value: fn(&Cost) -> f64| {
            measure::median(&costs.iter().map(value).collect::<Vec<_>>()).context("no round was run")
        };
        let memory = costs.iter().map(|cost| cost.peak_memory).collect::<Vec<_>>();
        Ok(Self {
            wall: of(|cost| cost.wall.as_secs_f64())?,
            cpu: of(|cost| cost.cpu.as_secs_f64())?,
            peak_memory: measure::median(&memory).unwrap_or_default(),
        })
    }
}
