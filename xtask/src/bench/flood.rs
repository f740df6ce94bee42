//! `cargo xtask bench flood`: a hundred connections send one public request repeatedly, while an account signs in from
//! another address. Measures requests per second, password hashes, sign-ins that succeed, and what the flood leaves
//! behind (audit entries, bytes written, invalidated caches).

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::http_servers::{self, Load, LoadReport, Servers, hashing_seconds};
use super::{machine, measure};
use crate::process;
use crate::server_client::{Client, Session};

/// Connections of the flood.
const CONNECTIONS: usize = 100;
/// Interval between two sign-ins.
const LOGIN_EVERY: Duration = Duration::from_millis(200);
/// Sign-ins before the flood, from which the CPU time of one password hash is computed.
const LOGINS_ALONE: u32 = 10;
/// Makes the server trust this machine as a proxy, so that requests can come from different addresses.
const ARGUMENTS: &[&str] = &["--trusted-proxy", "127.0.0.1"];
const FLOOD_FROM: &str = "198.51.100.1";
const LOGINS_FROM: &str = "203.0.113.1";
/// A list of media. Its entity tag changes when a flood invalidates cached responses.
const LIST: &str = "music/tracks?take=1";
/// An asset of the API reference page, for the public route with a parameter in its path.
const ASSET: &str = "swagger-ui-bundle.js";
/// Maximum audit entries that ten seconds of one client may add, besides those of the sign-ins.
const LINES: u64 = 40;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Seconds for each route
    #[arg(long, value_name = "N", default_value_t = 10)]
    seconds: u64,
    /// Only requests whose name contains this, such as `login`
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Do not build; measure the existing binaries
    #[arg(long)]
    skip_build: bool,
}

/// A request that needs no credential.
struct Anonymous {
    name: String,
    request: String,
}

/// The effects of a flood.
struct Outcome {
    load_report: LoadReport,
    hashes: f64,
    logins: Vec<(u16, Duration)>,
    same_tag: bool,
    lines: u64,
    written: u64,
}

/// Builds, measures, and prints a table.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut servers = Servers::build(options.skip_build)?;
    servers.set_arguments(ARGUMENTS);
    servers.start_server()?;
    let client = Client::new(servers.server()?.base());
    let mut session = client.log_in(servers.owner())?;
    let floods = public_requests(&client.description()?)?;
    let pid = servers.server()?.pid();
    let before = hashing_seconds(pid)?;
    for _ in 0..LOGINS_ALONE {
        log_in(&client, &servers)?;
    }
    let hash_seconds = (hashing_seconds(pid)? - before) / f64::from(LOGINS_ALONE);

    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{}; {CONNECTIONS} connections, {} s each\n",
        machine::line(),
        options.seconds
    )?;
    writeln!(
        out,
        "| flood of | requests/s | responses | hashes | logins from elsewhere | p95 | tag unchanged | audit lines | written |"
    )?;
    writeln!(out, "|---|---:|---|---:|---:|---:|---|---:|---:|")?;
    let mut failed = Vec::new();
    for flood in floods.iter().filter(|flood| flood.name.contains(&options.only)) {
        let outcome = measured(
            &servers,
            &client,
            &mut session,
            flood,
            options.seconds,
            hash_seconds,
        )?;
        writeln!(out, "{}", row(flood, &outcome))?;
        let all_in = outcome.logins.iter().all(|(status, _)| *status == 201);
        if !all_in || !outcome.same_tag || outcome.lines > LINES {
            failed.push(flood.name.clone());
        }
    }
    if !failed.is_empty() {
        bail!(
            "somebody else was kept out, or something stayed: {}",
            failed.join(", ")
        );
    }
    Ok(())
}

/// Each public operation of the API description, with the variants that differ in cost.
fn public_requests(description: &Value) -> Result<Vec<Anonymous>> {
    let paths = description.get("paths").and_then(Value::as_object);
    let mut requests = Vec::new();
    for (path, operations) in paths.context("the description has no paths")? {
        for (method, operation) in operations.as_object().into_iter().flatten() {
            let is_public = operation
                .get("security")
                .and_then(Value::as_array)
                .is_some_and(Vec::is_empty);
            if is_public {
                let path = path.replace("{file}", ASSET);
                requests.extend(ways(&method.to_uppercase(), &path));
            }
        }
    }
    if requests.is_empty() {
        bail!("the description has no public operation");
    }
    Ok(requests)
}

fn ways(method: &str, path: &str) -> Vec<Anonymous> {
    let made_up = format!(
        "cookie: svc_refresh_token_{}={}\r\n",
        "0".repeat(32),
        "A".repeat(86)
    );
    let app = "svc-app: music\r\n".to_owned();
    let guess = r#"{"username":"owner","password":"a wrong password"}"#;
    let ways: Vec<(&str, String, &str)> = match path {
        "/api/v1/auth/login" => vec![
            ("{}", app.clone(), "{}"),
            ("no app", String::new(), guess),
            ("no password", app.clone(), r#"{"username":"owner"}"#),
            ("wrong password", app, guess),
        ],
        "/api/v1/auth/refresh" | "/api/v1/auth/logout" => {
            vec![("", String::new(), ""), ("made-up cookie", made_up, "")]
        }
        _ if method == "GET" => vec![("", String::new(), "")],
        _ => vec![("{}", String::new(), "{}")],
    };
    let request = |(way, headers, body): (&str, String, &str)| Anonymous {
        name: format!("{method} {path} {way}").trim_end().to_owned(),
        request: format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: {FLOOD_FROM}\r\n{headers}\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ),
    };
    ways.into_iter().map(request).collect()
}

fn log_in(client: &Client, servers: &Servers) -> Result<(u16, Duration)> {
    let started = Instant::now();
    let status = client.log_in_from(LOGINS_FROM, &servers.owner())?;
    Ok((status, started.elapsed()))
}

fn tag(session: &Session<'_>) -> Result<String> {
    let (status, headers) = session.head(LIST)?;
    let tag = headers.get("etag").and_then(|tag| tag.to_str().ok());
    match (status, tag) {
        (200, Some(tag)) => Ok(tag.to_owned()),
        _ => bail!("GET {LIST}: {status}, without an entity tag"),
    }
}

fn measured(
    servers: &Servers,
    client: &Client,
    session: &mut Session<'_>,
    flood: &Anonymous,
    seconds: u64,
    hash_seconds: f64,
) -> Result<Outcome> {
    let server = servers.server()?;
    let (before, lines) = (tag(session)?, session.audit_lines()?);
    let (hashing, written) = (hashing_seconds(server.pid())?, measure::written(server.pid())?);
    let load = Load {
        connections: CONNECTIONS,
        milliseconds: Some(seconds * 1_000),
        rate: None,
        request: flood.request.clone(),
    };
    let mut generator = servers.generator().start(server, &load)?;
    let mut logins = Vec::new();
    while generator.try_wait()?.is_none() {
        if process::interrupted() {
            // The thread may have ended since it was listed.
            let _ = generator.kill();
            bail!("interrupted");
        }
        logins.push(log_in(client, servers)?);
        std::thread::sleep(LOGIN_EVERY);
    }
    let load_report = http_servers::finish(generator)?;
    let hashed = hashing_seconds(server.pid())? - hashing;
    Ok(Outcome {
        load_report,
        // Hashes of the sign-ins do not count as the flood's.
        hashes: (hashed / hash_seconds - logins.len() as f64).max(0.0),
        logins,
        same_tag: tag(session)? == before,
        lines: session.audit_lines()?.saturating_sub(lines),
        written: measure::written(server.pid())?.saturating_sub(written),
    })
}

fn row(flood: &Anonymous, outcome: &Outcome) -> String {
    let Outcome {
        load_report, logins, ..
    } = outcome;
    let responses = load_report
        .statuses
        .iter()
        .map(|(status, count)| format!("{count} x {status}"));
    let broken = load_report
        .failures
        .iter()
        .map(|(reason, count)| format!("{count} x {reason}"));
    let responses: Vec<_> = responses.chain(broken).collect();
    let requests = load_report.statuses.values().sum::<u64>() as f64 / load_report.seconds();
    let let_in = logins.iter().filter(|(status, _)| *status == 201).count();
    let mut times: Vec<_> = logins.iter().map(|(_, time)| *time).collect();
    times.sort_unstable();
    let p95 = times.get(times.len() * 95 / 100).copied().unwrap_or_default();
    format!(
        "| `{}` | {requests:.0} | {} | {:.0} | {let_in} of {} | {} ms | {} | {} | {} KiB |",
        flood.name,
        responses.join(", "),
        outcome.hashes,
        logins.len(),
        p95.as_millis(),
        if outcome.same_tag { "yes" } else { "NO" },
        outcome.lines,
        outcome.written / 1024,
    )
}
