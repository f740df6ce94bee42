//! `cargo xtask bench items`: items of a kind that a plugin defines, beside as many tracks of music in the same run.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::http_servers::built;
use super::library::{Kind, Library};
use super::machine;
use super::report::{Table, Unit};
use super::scan_server::ScanServer;
use crate::server_client::Session;

/// Bytes of an item in the database.
const AIM_BYTES: f64 = 1_500.0;
/// Requests of each list; the figure is their median.
const REQUESTS: usize = 21;

/// Lists of comics, and the list of tracks that compares with each.
const LISTS: [(&str, &str, &str); 5] = [
    ("by title", "items?kind=comics", "music/tracks"),
    (
        "by time, newest first",
        "items?kind=comics&orderBy=createdAt",
        "music/tracks?orderBy=createdAt",
    ),
    (
        "from the middle by title",
        "items?kind=comics&skip=50000",
        "music/tracks?skip=50000",
    ),
    (
        "by title, of one genre",
        "items?kind=comics&filter%5Bx.comics.genres%5D=Jazz",
        "music/tracks?genre=Jazz",
    ),
    ("with a word", "items?kind=comics&q=ba", "search?q=ba"),
];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Comics, and tracks beside them
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    items: usize,
    /// PostgreSQL database, which must be empty, instead of SQLite
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// Do not build; measure the existing binaries
    #[arg(long)]
    skip_build: bool,
}

/// Prepares, measures, and prints a table.
pub(crate) fn run(options: &Options) -> Result<()> {
    let binary = built(options.skip_build)?;
    let libraries = [Kind::Comics, Kind::Music]
        .into_iter()
        .map(|kind| {
            let library = Library::prepare(kind, options.items, None)?;
            library.warm()?;
            Ok(library)
        })
        .collect::<Result<Vec<_>>>()?;
    let roots: Vec<_> = libraries
        .iter()
        .map(|library| (library.kind, library.directory.clone()))
        .collect();
    let server = ScanServer::start_on(&binary, "items", &roots, options.database_url.as_deref())?;
    let mut session = server.session()?;
    let mut table = Table::default();
    for library in &libraries {
        let name = library.kind.name();
        let before = server.database_bytes()? as f64;
        let first = server.index(&mut session, "quick", &[library.kind])?;
        ensure!(
            first.total("found") as usize == options.items,
            "the scan found other files"
        );
        table.add(
            &format!("first scan of {} {name}", options.items),
            &format!(
                "{:.2} s, {:.2} CPU s; most memory so far {}",
                first.seconds,
                first.cpu,
                Unit::Mebibytes.show(first.peak as f64)
            ),
        );
        let rescan = server.index(&mut session, "quick", &[library.kind])?;
        ensure!(rescan.opened() == 0, "the rescan of {name} opened files");
        table.add(
            &format!("rescan of {name} without opening a file"),
            &format!("{:.2} s, {:.2} CPU s", rescan.seconds, rescan.cpu),
        );
        if options.database_url.is_none() {
            let bytes = (server.database_bytes()? as f64 - before) / options.items as f64;
            let row = format!("database: bytes for each of the {name}");
            if library.kind == Kind::Comics {
                table.at_most(&row, Unit::Count, bytes, AIM_BYTES);
            } else {
                table.add(&row, &Unit::Count.show(bytes));
            }
        }
    }
    for (name, items, tracks) in LISTS {
        let (comics, music) = (median(&mut session, items)?, median(&mut session, tracks)?);
        table.add(
            &format!("list {name}: comics; tracks"),
            &format!("{}; {}", shown(comics), shown(music)),
        );
    }
    for key in fields_with(&mut session, "x-sort")? {
        let took = median(&mut session, &format!("items?kind=comics&orderBy={key}"))?;
        table.add(&format!("list by `{key}`"), &shown(took));
    }
    let facets = fields_with(&mut session, "x-facet")?;
    for key in &facets {
        let took = median(&mut session, &format!("items/facets?kind=comics&key={key}"))?;
        table.add(
            &format!("values of the facet `{key}` with their counts"),
            &shown(took),
        );
    }
    let (pairs, slowest) = pairs_of_filters(&mut session, &facets)?;
    table.add(
        &format!("list with filters by two facets, slowest of {pairs} pairs"),
        &shown(slowest),
    );
    table.add(
        "anonymous memory afterwards",
        &Unit::Mebibytes.show(server.anonymous_memory()? as f64),
    );
    print!("{}", table.markdown());
    println!("\n{}", machine::line());
    Ok(())
}

fn shown(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}

/// The median duration of a GET request. Each request differs, so that none is answered from the response cache.
fn median(session: &mut Session<'_>, path: &str) -> Result<Duration> {
    let separator = if path.contains('?') { '&' } else { '?' };
    let mut durations = Vec::with_capacity(REQUESTS);
    for number in 0..REQUESTS {
        let path = format!("{path}{separator}take={}", 80 + number);
        let started = Instant::now();
        session.get(&path)?;
        durations.push(started.elapsed());
    }
    durations.sort();
    durations.get(REQUESTS / 2).copied().context("no requests")
}

/// The fields of comics whose schema says `true` to this.
fn fields_with(session: &mut Session<'_>, property: &str) -> Result<Vec<String>> {
    let kinds = session.get("kinds")?;
    let kinds = kinds.as_array().context("GET kinds is no list")?.iter();
    let mut comics = kinds.filter(|kind| kind.get("kind").is_some_and(|name| name == "comics"));
    let schema = comics.next().context("there are no comics")?;
    let fields = schema.pointer("/schema/properties").and_then(Value::as_object);
    let fields = fields.context("the kind has no schema")?.iter();
    let having = fields.filter(|(_, field)| field.get(property).is_some_and(|value| *value == true));
    Ok(having.map(|(key, _)| key.clone()).collect())
}

/// How many pairs of facets there are, and how long the list of the slowest pair takes. Each filter is by the most
/// frequent value of its facet.
fn pairs_of_filters(session: &mut Session<'_>, facets: &[String]) -> Result<(usize, Duration)> {
    let mut filters = Vec::new();
    for key in facets {
        let values = session.get(&format!("items/facets?kind=comics&key={key}&take=1"))?;
        // Not every field occurs in the made comics.
        if let Some(value) = values.pointer("/0/0/value").and_then(Value::as_str) {
            let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
            filters.push(format!("filter%5B{key}%5D={value}"));
        }
    }
    let mut durations = Vec::new();
    for (number, first) in filters.iter().enumerate() {
        for second in filters.iter().skip(number + 1) {
            let path = format!("items?kind=comics&{first}&{second}");
            durations.push(median(session, &path)?);
        }
    }
    let slowest = durations.iter().max().copied().context("no pairs")?;
    Ok((durations.len(), slowest))
}
