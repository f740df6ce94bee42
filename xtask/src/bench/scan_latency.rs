//! Latency of requests during scans: a constant rate of requests on an idle server, during a full rescan, and during a
//! first scan of another server.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::http_requests::get;
use super::http_servers::{Generator, Load, LoadReport, finish};
use super::library::Kind;
use super::report::{Table, Unit};
use super::scan_server::ScanServer;

/// Requests per second, as of a few people who browse.
const RATE: f64 = 50.0;
const CONNECTIONS: usize = 8;
const MILLISECONDS: u64 = 15_000;

/// Maximum ratio of the 95th percentile during a scan to that of the idle server.
const AIM: f64 = 3.0;

/// Requests lists and items of all kinds, idle and during a full rescan, and adds the latencies.
pub(crate) fn measure(server: &ScanServer, table: &mut Table) -> Result<()> {
    let mut names = vec![track(server)?];
    names.extend(lists());
    let generator = Generator::new(None);
    let load = || load(server, &names, MILLISECONDS);
    let idle = finish(generator.start(server.process(), &load()?)?)?;

    let mut session = server.session()?;
    let mut asking = generator.start(server.process(), &load()?)?;
    let (mut seconds, mut cpu, mut runs) = (0.0, 0.0, 0);
    // Small libraries are scanned several times.
    while asking.try_wait()?.is_none() {
        let full = server.index(&mut session, "full", &[])?;
        (seconds, cpu, runs) = (seconds + full.seconds, cpu + full.cpu, runs + 1);
    }
    let during = finish(asking)?;
    table.add(
        "full scan, requests meanwhile",
        &format!(
            "{:.1} s, {:.1} CPU s",
            seconds / f64::from(runs.max(1)),
            cpu / f64::from(runs.max(1))
        ),
    );
    for (at, path) in names.iter().enumerate() {
        let (Some(idle), Some(during)) = (idle.requests.get(at), during.requests.get(at)) else {
            continue;
        };
        let name = path.trim_start_matches("/api/v1/");
        table.add(
            &format!("`{}`: p50, p95, p99 idle; during", shortened(name)),
            &format!(
                "{}; {} ({:.1} times at p95)",
                triple(idle.p50, idle.p95, idle.p99),
                triple(during.p50, during.p95, during.p99),
                share(during.p95, idle.p95)
            ),
        );
    }
    report(table, "a full scan", &idle, &during);
    Ok(())
}

/// Requests the same lists from a second server during its first scan of music. All other kinds are indexed before, so
/// that it has as much data as the idle server. `seconds` is the usual duration of the scan.
pub(crate) fn measure_first(
    binary: &Path,
    roots: &[(Kind, PathBuf)],
    seconds: f64,
    table: &mut Table,
) -> Result<()> {
    let server = ScanServer::start(binary, "first", roots)?;
    let others: Vec<Kind> = roots.iter().map(|(kind, _)| *kind).collect();
    let others: Vec<Kind> = others.into_iter().filter(|kind| *kind != Kind::Music).collect();
    let mut session = server.session()?;
    if !others.is_empty() {
        server.index(&mut session, "quick", &others)?;
    }
    let names = lists();
    let generator = Generator::new(None);
    // Requests slow the scan down, so all of them fall within it.
    let milliseconds = (seconds * 900.0) as u64;
    let asking = generator.start(server.process(), &load(&server, &names, milliseconds)?)?;
    let first = server.index(&mut session, "quick", &[Kind::Music])?;
    let during = finish(asking)?;
    let idle = finish(generator.start(server.process(), &load(&server, &names, MILLISECONDS)?)?)?;
    table.add(
        "first scan of music, requests meanwhile",
        &format!("{:.1} s, {:.1} CPU s", first.seconds, first.cpu),
    );
    report(table, "a first scan", &idle, &during);
    Ok(())
}

/// Sends requests at the constant rate, with a new token.
fn load(server: &ScanServer, names: &[String], milliseconds: u64) -> Result<Load> {
    let session = server.session()?;
    let requests = names.iter().map(|path| get(path, Some(session.token())));
    Ok(Load {
        connections: CONNECTIONS,
        milliseconds: Some(milliseconds),
        rate: Some(RATE),
        request: requests.collect(),
    })
}

fn share(during: f64, idle: f64) -> f64 {
    during / idle.max(1.0)
}

/// Adds the latencies of all requests to the table.
fn report(table: &mut Table, scan: &str, idle: &LoadReport, during: &LoadReport) {
    table.add(
        &format!("all requests, {RATE} a second: p50, p95, p99 idle; during {scan}"),
        &format!(
            "{}; {}",
            triple(idle.p50, idle.p95, idle.p99),
            triple(during.p50, during.p95, during.p99)
        ),
    );
    table.at_most(
        &format!("p95 during {scan} over p95 idle"),
        Unit::Ratio,
        share(during.p95, idle.p95),
        AIM,
    );
    table.at_most(
        &format!("responses other than 200 before and during {scan}"),
        Unit::Count,
        (idle.errors(200) + during.errors(200)) as f64,
        0.0,
    );
}

/// An item.
fn track(server: &ScanServer) -> Result<String> {
    let mut session = server.session()?;
    let track = session.list_field("music/tracks?take=1&skip=50&orderBy=title", "musicTrackId")?;
    let track = track.first().context("the library has too few tracks")?;
    Ok(format!("/api/v1/music/tracks/{track}"))
}

/// A page of each list.
fn lists() -> Vec<String> {
    [
        "music/tracks?take=24&orderBy=title",
        "music/releases?take=24",
        "photos?take=24",
        "movies?take=24",
    ]
    .map(|path| format!("/api/v1/{path}"))
    .to_vec()
}

/// The path without the id, as a name for reports.
fn shortened(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((list, _)) if path.contains("tracks/") => list,
        _ => path,
    }
}

fn triple(p50: f64, p95: f64, p99: f64) -> String {
    format!("{:.1}, {:.1}, {:.1} ms", p50 / 1e3, p95 / 1e3, p99 / 1e3)
}
