//! `cargo xtask bench scan`: one server over files of all four kinds: first scan, quick rescan compared with a bare
//! walk, rescans after changes, memory, requests during scans, and a folder with very many entries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::http_servers::built;
use super::library::{self, Kind, Library};
use super::report::{Table, Unit};
use super::scan_server::{RunCost, ScanServer};
use super::{machine, measure, scan_changes, scan_latency};
use crate::{process, workspace};

const MEBIBYTE: f64 = 1024.0 * 1024.0;

/// Aims of `docs/performance.md`.
const AIM_MUSIC: f64 = 12_000.0;
const AIM_OF_NATIVE: f64 = 0.6;
const AIM_PHOTOS: f64 = 15_000.0;
const AIM_VIDEO: f64 = 3_000.0;
const AIM_PEAK: f64 = 96.0 * MEBIBYTE;
const AIM_IDLE: f64 = 24.0 * MEBIBYTE;
const AIM_RESCAN: f64 = 1.5;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Tracks
    #[arg(long, value_name = "N", default_value_t = 70_000)]
    music: usize,
    /// Photos
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    photos: usize,
    /// Movies
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    movies: usize,
    /// Episodes
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    tv: usize,
    /// Entries of a single folder, with a server of its own; 0 leaves it out
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    flat: usize,
    /// Turns of bare walk and quick rescan, and of the native loop; the figures are medians
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Seconds after the scan before memory is measured
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    settle: u64,
    /// Program that makes the libraries (`--out DIR --music N --photos N --movies N --tv N --seed N`); else the project's fixtures
    #[arg(long, value_name = "PATH", env = "SVC_BENCH_GENERATOR")]
    generator: Option<PathBuf>,
    /// Do not build; measure the existing binaries
    #[arg(long)]
    skip_build: bool,
}

/// Prepares, measures, and prints a table.
pub(crate) fn run(options: &Options) -> Result<()> {
    let binary = built(options.skip_build)?;
    let wanted = [
        (Kind::Music, options.music),
        (Kind::Photos, options.photos),
        (Kind::Movies, options.movies),
        (Kind::Tv, options.tv),
    ];
    let libraries = wanted
        .into_iter()
        .filter(|(_, files)| *files > 0)
        .map(|(kind, files)| {
            let library = Library::prepare(kind, files, options.generator.as_deref())?;
            library.warm()?;
            Ok(library)
        })
        .collect::<Result<Vec<_>>>()?;
    let music = libraries.iter().find(|library| library.kind == Kind::Music);
    let music = music.context("tracks are needed, for what is measured of changes and requests")?;

    let mut table = Table::default();
    let roots: Vec<_> = libraries
        .iter()
        .map(|library| (library.kind, library.directory.clone()))
        .collect();
    eprintln!("xtask: starting a server that has compiled nothing yet");
    let server = ScanServer::start(&binary, "scan", &roots)?;
    table.add(
        "start with no plugin compiled; anonymous memory then",
        &format!(
            "{:.1} s; {}",
            server.cold_start.as_secs_f64(),
            Unit::Mebibytes.show(server.at_start as f64)
        ),
    );
    let music_seconds = first_scan(&server, &libraries, options, &mut table)?;
    quick_rescans(&server, &roots, options.rounds, "quick rescan", &mut table)?;
    eprintln!("xtask: changes");
    scan_changes::measure(&server, &music.directory, &mut table)?;
    eprintln!("xtask: requests, idle and during a full scan");
    scan_latency::measure(&server, &mut table)?;
    for text in ["database is locked", " ERROR "] {
        table.at_most(
            &format!("`{}` in the log", text.trim()),
            Unit::Count,
            server.logged(text)? as f64,
            0.0,
        );
    }
    drop(server);
    eprintln!("xtask: requests during a first scan");
    scan_latency::measure_first(&binary, &roots, music_seconds, &mut table)?;
    if options.flat > 0 {
        eprintln!("xtask: one folder of {} entries", options.flat);
        flat_folder(&binary, music, options, &mut table)?;
    }
    print!("{}", table.markdown());
    println!("\n{}", machine::line());
    Ok(())
}

/// First scans, kind by kind, with the peak of memory and the memory afterwards. Returns the seconds that music took.
fn first_scan(
    server: &ScanServer,
    libraries: &[Library],
    options: &Options,
    table: &mut Table,
) -> Result<f64> {
    let before = server.anonymous_memory()?;
    let mut session = server.session()?;
    let (mut files, mut seconds, mut cpu, mut peak) = (0, 0.0, 0.0, 0);
    let mut music_seconds = 0.0;
    for library in libraries {
        eprintln!("xtask: first scan of {}", workspace::shown(&library.directory));
        let first = server.index(&mut session, "quick", &[library.kind])?;
        report_first(library, &first, table);
        if library.kind == Kind::Music {
            music_seconds = first.seconds;
            beside_native(library, &first, options.rounds, table)?;
        }
        files += library.files;
        (seconds, cpu, peak) = (seconds + first.seconds, cpu + first.cpu, first.peak);
    }
    table.add(
        &format!("first scan of all {files} files"),
        &format!("{seconds:.1} s, {cpu:.1} CPU s"),
    );
    table.at_most(
        "most memory of the server until here",
        Unit::Mebibytes,
        peak as f64,
        AIM_PEAK,
    );
    eprintln!("xtask: waiting for {} s", options.settle);
    std::thread::sleep(Duration::from_secs(options.settle));
    table.at_most(
        &format!("anonymous memory {} s after the scan", options.settle),
        Unit::Mebibytes,
        server.anonymous_memory()? as f64,
        AIM_IDLE,
    );
    table.add(
        "the same before the scan, after two sign-ins",
        &Unit::Mebibytes.show(before as f64),
    );
    let bytes = server.database_bytes()? as f64 / files.max(1) as f64;
    table.add("database a file, with all indexes", &format!("{bytes:.0} B"));
    Ok(music_seconds)
}

fn report_first(library: &Library, first: &RunCost, table: &mut Table) {
    let name = library.kind.name();
    table.add(
        &format!("first scan, {} of {name}", library.files),
        &format!(
            "{:.2} s, {:.2} CPU s, {} found, {} errors; most memory so far {}",
            first.seconds,
            first.cpu,
            first.total("found"),
            first.total("errored"),
            Unit::Mebibytes.show(first.peak as f64)
        ),
    );
    let aim = match library.kind {
        Kind::Music => AIM_MUSIC,
        Kind::Photos => AIM_PHOTOS,
        Kind::Movies | Kind::Tv => AIM_VIDEO,
        // Only `bench items` has comics.
        Kind::Comics => 0.0,
    };
    let per_cpu = library.files as f64 / first.cpu.max(0.01);
    table.at_least(&format!("{name}: files a CPU second"), Unit::Count, per_cpu, aim);
    if matches!(library.kind, Kind::Movies | Kind::Tv) {
        table.at_most(
            &format!("{name}: CPU of child processes"),
            Unit::Seconds,
            first.child_cpu,
            0.0,
        );
    }
}

/// Measures the native loop over the same files, without grouping, sort keys or search index.
fn beside_native(library: &Library, first: &RunCost, rounds: usize, table: &mut Table) -> Result<()> {
    let scratch = tempfile::Builder::new()
        .prefix("native-")
        .tempdir_in(workspace::target().join("bench"))?;
    let native = workspace::target().join("release/native-scan");
    let native = (0..rounds).map(|round| {
        let database = scratch.path().join(format!("{round}.db"));
        measure::cpu_of(Command::new(&native).arg(&library.directory).arg(database))
    });
    let native = measure::median(&native.collect::<Result<Vec<_>>>()?).unwrap_or_default();
    table.at_least(
        "music: throughput a CPU second, of a bare native loop",
        Unit::Ratio,
        native / first.cpu.max(0.01),
        AIM_OF_NATIVE,
    );
    Ok(())
}

/// The output of `bare-walk`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Walk {
    files: u64,
    seconds: f64,
    cpu_seconds: f64,
}

/// Quick rescans, in turn with a bare walk that reads size and time of every file.
fn quick_rescans(
    server: &ScanServer,
    roots: &[(Kind, PathBuf)],
    rounds: usize,
    name: &str,
    table: &mut Table,
) -> Result<()> {
    let mut session = server.session()?;
    let mut walk = Command::new(workspace::target().join("release/bare-walk"));
    walk.args(roots.iter().map(|(_, directory)| directory));
    let (mut walks, mut rescans) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        walks.push(serde_json::from_slice::<Walk>(&process::output(&mut walk)?)?);
        rescans.push(server.rescan(&mut session)?);
    }
    let median = |values: Vec<f64>| measure::median(&values).unwrap_or_default();
    let seconds = median(rescans.iter().map(|rescan| rescan.seconds).collect());
    table.add(
        name,
        &format!(
            "{seconds:.3} s, {:.2} CPU s, 0 files opened",
            median(rescans.iter().map(|rescan| rescan.cpu).collect())
        ),
    );
    table.add(
        "bare parallel walk with stat beside it",
        &format!(
            "{:.3} s, {:.2} CPU s, {} files",
            median(walks.iter().map(|walk| walk.seconds).collect()),
            median(walks.iter().map(|walk| walk.cpu_seconds).collect()),
            walks.first().map_or(0, |walk| walk.files)
        ),
    );
    let pairs = rescans.iter().zip(&walks);
    let ratio = median(
        pairs
            .map(|(rescan, walk)| rescan.seconds / walk.seconds)
            .collect(),
    );
    table.at_most(&format!("{name} over the walk"), Unit::Ratio, ratio, AIM_RESCAN);
    Ok(())
}

/// Scans one folder with very many entries, which are links to the tracks.
fn flat_folder(binary: &Path, music: &Library, options: &Options, table: &mut Table) -> Result<()> {
    let folder = library::flat(music, options.flat)?;
    let roots = [(Kind::Music, folder)];
    let server = ScanServer::start(binary, "flat", &roots)?;
    let first = server.index(&mut server.session()?, "quick", &[])?;
    table.add(
        &format!("first scan of one folder with {} entries", options.flat),
        &format!(
            "{:.1} s, {:.1} CPU s, {} found, {} errors",
            first.seconds,
            first.cpu,
            first.total("found"),
            first.total("errored")
        ),
    );
    table.at_most(
        "most memory of that server",
        Unit::Mebibytes,
        first.peak as f64,
        AIM_PEAK,
    );
    quick_rescans(
        &server,
        &roots,
        options.rounds,
        "quick rescan of that folder",
        table,
    )
}
