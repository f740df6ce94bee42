//! `cargo xtask bench events`: thousands of open event streams. Measures memory per stream, CPU time per delivered
//! event, lost events, and the time to shut down with all streams open.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::http_servers::{Servers, cpu_seconds};
use super::{machine, measure};
use crate::server_client::{Client, Credentials};
use crate::{process, run, workspace};

/// A run over an empty directory publishes its start, its counts and its end.
const EVENTS_OF_A_RUN: u64 = 3;

/// Streams that an account may have open.
const STREAMS_OF_ONE: usize = 1_000;

/// Aims of `docs/performance.md`.
const AIM_BYTES: f64 = 12.0 * 1024.0;
const AIM_EVENTS: f64 = 500_000.0;
const AIM_END: Duration = Duration::from_secs(8);

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Streams to open
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    subscribers: usize,
    /// Index runs whose events are delivered to all streams
    #[arg(long, value_name = "N", default_value_t = 50)]
    runs: u64,
    /// Do not build; measure the existing binaries
    #[arg(long)]
    skip_build: bool,
}

/// Builds, measures, and prints a table.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut servers = Servers::build(options.skip_build)?;
    servers.start()?;
    let (pid, address) = {
        let server = servers.server()?;
        (server.pid(), server.address().to_owned())
    };
    let client = Client::new(servers.server()?.base());
    let mut session = client.log_in(servers.owner())?;
    // The first run includes work that is done once per process.
    session.start_quick_run()?;
    while !session.is_idle()? {}

    let mut requests = String::new();
    for number in 0..options.subscribers.div_ceil(STREAMS_OF_ONE) {
        let credentials = Credentials {
            username: format!("subscriber{number}"),
            password: run::random_password()?,
        };
        session.create(&credentials, "administrator")?;
        let subscriber = client.log_in(credentials)?;
        requests.push_str(&format!(
            "GET /api/v1/events/subscribe HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\r\n",
            subscriber.token()
        ));
    }
    let before = measure::resident(pid)?.anonymous;
    let mut command = Command::new(workspace::target().join("release/events-load"));
    command
        .arg(&address)
        .args(["--subscribers", &options.subscribers.to_string()])
        .args(["--runs", &options.runs.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut load = command
        .spawn()
        .with_context(|| format!("cannot start {}", process::named(&command)))?;
    let _registered = process::register(&load);
    let mut stdin = load.stdin.take().context("the load generator has no stdin")?;
    stdin.write_all(requests.as_bytes())?;
    drop(stdin);
    let stdout = load.stdout.take().context("its output was not captured")?;
    let mut output = BufReader::new(stdout).lines();

    let opened = next(&mut output)?;
    let open = number(&opened, "open")?;
    let memory = measure::resident(pid)?.anonymous.saturating_sub(before);
    let (cpu, started) = (cpu_seconds(pid)?, Instant::now());
    for _ in 0..options.runs {
        session.start_quick_run()?;
        while !session.is_idle()? {}
    }
    let received = next(&mut output)?;
    let (cpu, seconds) = (cpu_seconds(pid)? - cpu, started.elapsed().as_secs_f64());
    let ending = Instant::now();
    drop(servers);
    let ending = ending.elapsed();
    let last = next(&mut output)?;
    load.wait()?;

    let delivered = EVENTS_OF_A_RUN * options.runs * options.subscribers as u64;
    let (least, most) = (number(&last, "least")?, number(&last, "most")?);
    let each = memory as f64 / open.max(1.0);
    let per_cpu = delivered as f64 / cpu.max(0.01);
    let mark = |reached: bool| if reached { "" } else { " (missed)" };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}\n", machine::line())?;
    writeln!(out, "| what | measured | aim |\n|---|---|---|")?;
    writeln!(
        out,
        "| streams open | {open} in {:.1} s | {} |",
        number(&opened, "seconds")?,
        options.subscribers
    )?;
    writeln!(
        out,
        "| anonymous memory a stream | {:.1} KiB{} | <= {:.0} KiB |",
        each / 1024.0,
        mark(each <= AIM_BYTES),
        AIM_BYTES / 1024.0
    )?;
    writeln!(
        out,
        "| delivered | {delivered} events in {seconds:.1} s, {} reads of clients | |",
        number(&received, "reads")?
    )?;
    writeln!(
        out,
        "| delivered a CPU second of the server | {per_cpu:.0}{} | >= {AIM_EVENTS:.0} |",
        mark(per_cpu >= AIM_EVENTS)
    )?;
    writeln!(
        out,
        "| events of the streams, least and most | {least}, {most} | {} |",
        EVENTS_OF_A_RUN * options.runs
    )?;
    writeln!(
        out,
        "| SIGTERM to the end | {:.1} s{} | <= {} s |",
        ending.as_secs_f64(),
        mark(ending <= AIM_END),
        AIM_END.as_secs()
    )?;
    let wanted = (EVENTS_OF_A_RUN * options.runs) as f64;
    if least < wanted {
        bail!("events were lost: a stream received {least} of {wanted}");
    }
    Ok(())
}

/// The next line that the load generator prints.
fn next(output: &mut Lines<BufReader<ChildStdout>>) -> Result<Value> {
    let line = output.next().context("the load generator ended early")??;
    serde_json::from_str(&line).context("the load generator printed no JSON")
}

fn number(output: &Value, field: &str) -> Result<f64> {
    let value = output.get(field).and_then(Value::as_f64);
    value.with_context(|| format!("the load generator did not print `{field}`"))
}
