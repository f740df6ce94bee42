//! The load generator of `cargo xtask bench http` and `bench scan`: HTTP/1.1 requests, one or several GETs in turn,
//! sent repeatedly over many keep-alive connections, or at a constant rate, from one thread.
//!
//! Reads the requests from stdin, so that no token appears in the process list. Prints the measurements as JSON, with
//! times in microseconds.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool for measuring: prints, and its tasks end with the program"
)]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::Parser;
use hdrhistogram::Histogram;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

/// The timeout of a response.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// Marks a request with a body, which is sent alone.
const BODY_HEADER: &[u8] = b"content-length:";

/// Room for a head with all headers that the server sends.
const HEADERS: usize = 64;

#[derive(Parser)]
struct Arguments {
    /// Address of the server
    address: SocketAddr,
    /// Connections at once
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Milliseconds that count
    #[arg(long, default_value_t = 2000)]
    duration: u64,
    /// Milliseconds before, that do not count
    #[arg(long, default_value_t = 300)]
    warm_up: u64,
    /// One request on each connection, all at once, in place of a duration
    #[arg(long)]
    once: bool,
    /// Requests per second of all connections together, sent at fixed times; without it each connection sends the next
    /// request when it has received a response
    #[arg(long, value_name = "N")]
    rate: Option<f64>,
}

/// Totals of all connections.
struct Tally {
    /// Of each request at a constant rate, else of all.
    times: Vec<Histogram<u64>>,
    statuses: BTreeMap<u16, u64>,
    /// Connections that failed or got no response, by reason.
    failures: BTreeMap<String, u64>,
}

/// From when on requests count, and until when they are sent.
#[derive(Clone, Copy)]
struct Window {
    from: Instant,
    until: Option<Instant>,
}

/// The schedule of a connection.
#[derive(Clone, Copy)]
struct Pace {
    first: Instant,
    /// Time between requests; none to send after each response.
    every: Option<Duration>,
}

/// The requests, in turn.
struct Requests {
    all: Vec<Vec<u8>>,
    next: Cell<usize>,
}

impl Requests {
    fn of(text: Vec<u8>) -> anyhow::Result<Self> {
        let has_body = text
            .windows(BODY_HEADER.len())
            .any(|part| part.eq_ignore_ascii_case(BODY_HEADER));
        let all = if has_body { vec![text] } else { several(&text) };
        if all.is_empty() {
            bail!("no request was given");
        }
        Ok(Self {
            all,
            next: Cell::new(0),
        })
    }

    /// The next one, with its number.
    fn next(&self) -> (usize, &[u8]) {
        let number = self.next.get();
        let Some(request) = self.all.get(number) else {
            self.next.set(1);
            return (0, self.all.first().map_or(&[], Vec::as_slice));
        };
        self.next.set(number + 1);
        (number, request)
    }
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut request = Vec::new();
    std::io::stdin().read_to_end(&mut request)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let requests = Requests::of(request)?;
    runtime.block_on(LocalSet::new().run_until(load(arguments, Rc::new(requests))))
}

/// Splits concatenated GET requests.
fn several(text: &[u8]) -> Vec<Vec<u8>> {
    let mut requests = vec![Vec::new()];
    for byte in text {
        if let Some(last) = requests.last_mut() {
            last.push(*byte);
            if last.ends_with(b"\r\n\r\n") {
                requests.push(Vec::new());
            }
        }
    }
    requests.retain(|request| !request.is_empty());
    requests
}

async fn load(arguments: Arguments, requests: Rc<Requests>) -> anyhow::Result<()> {
    let told_apart = if arguments.rate.is_some() {
        requests.all.len()
    } else {
        1
    };
    let times = (0..told_apart).map(|_| Histogram::new(3));
    let tally = Rc::new(RefCell::new(Tally {
        times: times.collect::<Result<_, _>>()?,
        statuses: BTreeMap::new(),
        failures: BTreeMap::new(),
    }));
    let (started, cpu_before) = (Instant::now(), cpu());
    let from = started + Duration::from_millis(if arguments.once { 0 } else { arguments.warm_up });
    let until = (!arguments.once).then(|| from + Duration::from_millis(arguments.duration));
    let connections: Vec<_> = (0..arguments.connections)
        .map(|number| {
            let (requests, tally) = (Rc::clone(&requests), Rc::clone(&tally));
            let (address, window) = (arguments.address, Window { from, until });
            // Offsets the connections.
            let after = |places: usize| {
                arguments
                    .rate
                    .map(|rate| Duration::from_secs_f64(places as f64 / rate))
            };
            let pace = Pace {
                first: started + after(number).unwrap_or_default(),
                every: after(arguments.connections),
            };
            tokio::task::spawn_local(async move {
                if let Err(error) = connection(address, &requests, pace, window, &tally).await {
                    *tally
                        .borrow_mut()
                        .failures
                        .entry(format!("{error:#}"))
                        .or_default() += 1;
                }
            })
        })
        .collect();
    for connection in connections {
        connection.await?;
    }
    let ended = Instant::now();
    let cpu_share = (cpu() - cpu_before).as_secs_f64() / (ended - started).as_secs_f64();
    // The measurement includes responses after the end.
    let seconds = (ended - from).as_secs_f64();
    let tally = tally.borrow();
    let mut all = Histogram::<u64>::new(3)?;
    for times in &tally.times {
        all.add(times)?;
    }
    let requests: Vec<_> = tally.times.iter().map(percentiles).collect();
    let mut reported = percentiles(&all);
    if let Some(reported) = reported.as_object_mut() {
        reported.insert("seconds".into(), json!(seconds));
        reported.insert("statuses".into(), json!(tally.statuses));
        reported.insert("failures".into(), json!(tally.failures));
        reported.insert("cpuShare".into(), json!(cpu_share));
        reported.insert("requests".into(), json!(requests));
    }
    println!("{reported}");
    Ok(())
}

fn percentiles(times: &Histogram<u64>) -> serde_json::Value {
    json!({
        "p50": times.value_at_quantile(0.5),
        "p95": times.value_at_quantile(0.95),
        "p99": times.value_at_quantile(0.99),
    })
}

/// Runs one connection.
async fn connection(
    address: SocketAddr,
    requests: &Requests,
    pace: Pace,
    window: Window,
    tally: &RefCell<Tally>,
) -> anyhow::Result<()> {
    let mut stream = tokio::time::timeout(ANSWER_LIMIT, TcpStream::connect(address))
        .await
        .context("not connected in time")??;
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(64 * 1024);
    let mut due = pace.first;
    loop {
        let sent = match pace.every {
            // The delay of a late response counts as latency.
            Some(every) => {
                let sent = due;
                due += every;
                tokio::time::sleep_until(sent.into()).await;
                sent
            }
            None => Instant::now(),
        };
        if window.until.is_some_and(|until| sent >= until) {
            return Ok(());
        }
        let (number, request) = requests.next();
        stream.write_all(request).await?;
        let limit = window.until.unwrap_or(sent) + ANSWER_LIMIT;
        let status = tokio::time::timeout_at(limit.into(), answer(&mut stream, &mut buffer))
            .await
            .context("not answered in time")??;
        if sent >= window.from {
            let mut tally = tally.borrow_mut();
            let micros = u64::try_from(sent.elapsed().as_micros())?;
            let place = number % tally.times.len();
            if let Some(times) = tally.times.get_mut(place) {
                times.record(micros)?;
            }
            *tally.statuses.entry(status).or_default() += 1;
        }
        if window.until.is_none() {
            return Ok(());
        }
    }
}

/// Reads one response to its end and returns its status.
async fn answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> anyhow::Result<u16> {
    buffer.clear();
    loop {
        if stream.read_buf(buffer).await? == 0 {
            bail!("connection closed by the server");
        }
        let Some((status, length)) = head(buffer)? else {
            continue;
        };
        let mut missing = length.saturating_sub(buffer.len());
        while missing > 0 {
            buffer.clear();
            let read = stream.read_buf(buffer).await?;
            if read == 0 {
                bail!("connection closed within an answer");
            }
            missing = missing.saturating_sub(read);
        }
        return Ok(status);
    }
}

/// Status and length of the whole response, once its head is complete.
fn head(bytes: &[u8]) -> anyhow::Result<Option<(u16, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(head) = response.parse(bytes)? else {
        return Ok(None);
    };
    let status = response.code.context("no status")?;
    let length = response
        .headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let body = match length {
        Some(header) => std::str::from_utf8(header.value)?.parse()?,
        None if matches!(status, 204 | 304) => 0,
        None => bail!("an answer without content-length, status {status}"),
    };
    Ok(Some((status, head + body)))
}

/// CPU time of this process so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}
