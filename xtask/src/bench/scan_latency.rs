//! What clients feel of a scan: requests at a constant rate, on an idle server and while it reads every file again.

use anyhow::{Context, Result};

use super::http::get;
use super::http_servers::{Generator, Load, finish};
use super::report::{Table, Unit};
use super::scan_server::ScanServer;

/// Requests a second: a handful of people who browse.
const RATE: f64 = 50.0;
const CONNECTIONS: usize = 8;
const MILLISECONDS: u64 = 15_000;

/// How much slower the 95th percentile may be during a scan.
const AIM: f64 = 3.0;

/// Asks for lists and items of all kinds, and adds what it felt like.
pub(crate) fn measure(server: &ScanServer, table: &mut Table) -> Result<()> {
    let names = requests(server)?;
    // A token of now for each.
    let load = || -> Result<Load> {
        let session = server.session()?;
        let requests = names.iter().map(|path| get(path, Some(session.token())));
        Ok(Load {
            connections: CONNECTIONS,
            milliseconds: Some(MILLISECONDS),
            rate: Some(RATE),
            request: requests.collect(),
        })
    };
    let generator = Generator::new(None);
    let idle = finish(generator.start(server.process(), &load()?)?)?;

    let mut session = server.session()?;
    let mut asking = generator.start(server.process(), &load()?)?;
    let (mut seconds, mut cpu, mut runs) = (0.0, 0.0, 0);
    // Small libraries are read several times.
    while asking.try_wait()?.is_none() {
        let full = server.index(&mut session, "full", &[])?;
        (seconds, cpu, runs) = (seconds + full.seconds, cpu + full.cpu, runs + 1);
    }
    let during = finish(asking)?;
    table.tell(
        "full scan, requests meanwhile",
        &format!(
            "{:.1} s, {:.1} CPU s",
            seconds / f64::from(runs.max(1)),
            cpu / f64::from(runs.max(1))
        ),
    );
    let share = |during: f64, idle: f64| during / idle.max(1.0);
    for (at, path) in names.iter().enumerate() {
        let (Some(idle), Some(during)) = (idle.requests.get(at), during.requests.get(at)) else {
            continue;
        };
        let name = path.trim_start_matches("/api/v1/");
        table.tell(
            &format!("`{}`: p50, p95, p99 idle; during", shortened(name)),
            &format!(
                "{}; {} ({:.1} times at p95)",
                triple(idle.p50, idle.p95, idle.p99),
                triple(during.p50, during.p95, during.p99),
                share(during.p95, idle.p95)
            ),
        );
    }
    table.tell(
        &format!("all requests, {RATE} a second: p50, p95, p99 idle; during"),
        &format!(
            "{}; {}",
            triple(idle.p50, idle.p95, idle.p99),
            triple(during.p50, during.p95, during.p99)
        ),
    );
    table.at_most(
        "p95 during a scan over p95 idle",
        Unit::Ratio,
        share(during.p95, idle.p95),
        AIM,
    );
    table.at_most(
        "answers other than 200",
        Unit::Count,
        (idle.errors(200) + during.errors(200)) as f64,
        0.0,
    );
    Ok(())
}

/// A page of each list, and an item.
fn requests(server: &ScanServer) -> Result<Vec<String>> {
    let mut session = server.session()?;
    let track = session.list_field("music/tracks?take=1&skip=50&orderBy=title", "musicTrackId")?;
    let track = track.first().context("the library has too few tracks")?;
    Ok([
        format!("music/tracks/{track}"),
        "music/tracks?take=24&orderBy=title".into(),
        "music/releases?take=24".into(),
        "photos?take=24".into(),
        "movies?take=24".into(),
    ]
    .map(|path| format!("/api/v1/{path}"))
    .to_vec())
}

/// Without the id.
fn shortened(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((list, _)) if path.contains("tracks/") => list,
        _ => path,
    }
}

fn triple(p50: f64, p95: f64, p99: f64) -> String {
    format!("{:.1}, {:.1}, {:.1} ms", p50 / 1e3, p95 / 1e3, p99 / 1e3)
}
