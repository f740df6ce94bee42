//! The subscribers of `cargo xtask bench events`: many open event streams, read by one thread.
//!
//! Reads the HTTP requests, one per account, from stdin, so that no token appears in the process list; the streams use
//! them in turn. Prints one line of JSON when all streams are open, one when each has received the end of all runs, and
//! one when the server has closed all of them.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a tool for measuring: prints, and its tasks end with the program"
)]

use std::cell::{Cell, RefCell};
use std::io::Read as _;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::Parser;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::LocalSet;

/// Streams that are being opened at once: fewer than the kernel's queue of new connections.
const OPENING_AT_ONCE: usize = 256;

/// How long the next stream may take to open.
const OPEN_LIMIT: Duration = Duration::from_secs(60);

/// The start of every message, and that of the last message of a run.
const MESSAGE: &[u8] = b"data: ";
const RUN_ENDED: &[u8] = b"data: {\"type\":\"indexing.completed\"";

#[derive(Parser)]
struct Arguments {
    /// Address of the server
    address: SocketAddr,
    /// Streams to open
    #[arg(long, default_value_t = 10_000)]
    subscribers: usize,
    /// Runs whose end each stream has to receive
    #[arg(long)]
    runs: u64,
}

/// Totals of all streams.
#[derive(Default)]
struct Tally {
    open: Cell<usize>,
    complete: Cell<usize>,
    closed: Cell<usize>,
    reads: Cell<u64>,
    bytes: Cell<u64>,
    /// Messages of each stream, when it closed.
    messages: RefCell<Vec<u64>>,
    changed: Notify,
}

fn add(cell: &Cell<u64>, number: usize) {
    cell.set(cell.get() + number as u64);
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    raise_limit(arguments.subscribers as u64 + 64)?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let requests: Vec<Rc<[u8]>> = text
        .split_inclusive("\r\n\r\n")
        .map(|request| request.as_bytes().into())
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(LocalSet::new().run_until(listen(arguments, requests)))
}

/// A stream is an open file.
fn raise_limit(wanted: u64) -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    if limit.maximum.is_some_and(|maximum| maximum < wanted) {
        bail!(
            "{wanted} open files are needed, and the system allows {}: raise it with `ulimit -Hn`, or use fewer \
             `--subscribers`",
            limit.maximum.unwrap_or_default()
        );
    }
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).context("the limit of open files cannot be raised")
}

async fn listen(arguments: Arguments, requests: Vec<Rc<[u8]>>) -> anyhow::Result<()> {
    let tally = Rc::new(Tally::default());
    let started = Instant::now();
    for (number, request) in (0..arguments.subscribers).zip(requests.iter().cycle()) {
        let (request, tally) = (Rc::clone(request), Rc::clone(&tally));
        let (address, runs) = (arguments.address, arguments.runs);
        tokio::task::spawn_local({
            let tally = Rc::clone(&tally);
            async move {
                if let Err(error) = stream(address, runs, &request, &tally).await {
                    eprintln!("events-load: a stream broke: {error:#}");
                }
                tally.closed.set(tally.closed.get() + 1);
                tally.changed.notify_one();
            }
        });
        while number + 1 - tally.open.get() > OPENING_AT_ONCE {
            let wait = tokio::time::timeout(OPEN_LIMIT, tally.changed.notified()).await;
            wait.context("the streams do not open")?;
            if tally.closed.get() > 0 {
                bail!("a stream was closed before all were open");
            }
        }
    }
    wait_until(&tally, || {
        tally.open.get() + tally.closed.get() >= arguments.subscribers
    })
    .await;
    println!(
        "{}",
        json!({"open": tally.open.get(), "seconds": started.elapsed().as_secs_f64()})
    );
    let (reads, bytes) = (tally.reads.get(), tally.bytes.get());
    wait_until(&tally, || {
        tally.complete.get() + tally.closed.get() >= arguments.subscribers
    })
    .await;
    println!(
        "{}",
        json!({"complete": tally.complete.get(), "reads": tally.reads.get() - reads, "bytes": tally.bytes.get() - bytes})
    );
    wait_until(&tally, || tally.closed.get() >= arguments.subscribers).await;
    let messages = tally.messages.borrow();
    println!(
        "{}",
        json!({
            "least": messages.iter().min(),
            "most": messages.iter().max(),
            "messages": messages.iter().sum::<u64>(),
        })
    );
    Ok(())
}

async fn wait_until(tally: &Tally, condition: impl Fn() -> bool) {
    while !condition() {
        tally.changed.notified().await;
    }
}

/// One stream, to its end.
async fn stream(address: SocketAddr, runs: u64, request: &[u8], tally: &Tally) -> anyhow::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request).await?;
    let mut buffer = Vec::with_capacity(8 * 1024);
    let (mut is_open, mut messages, mut ends) = (false, 0, 0);
    loop {
        let read = stream.read_buf(&mut buffer).await.unwrap_or(0);
        if read == 0 {
            break;
        }
        add(&tally.reads, 1);
        add(&tally.bytes, read);
        if !is_open {
            if buffer.windows(3).any(|window| window == b":\n\n") {
                if !buffer.starts_with(b"HTTP/1.1 200") {
                    bail!("{}", String::from_utf8_lossy(&buffer));
                }
                is_open = true;
                buffer.clear();
                tally.open.set(tally.open.get() + 1);
                tally.changed.notify_one();
            }
            continue;
        }
        // Only whole lines are parsed; the rest is kept for the next read.
        let whole = buffer
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        for line in buffer
            .get(..whole)
            .unwrap_or_default()
            .split(|byte| *byte == b'\n')
        {
            if line.starts_with(MESSAGE) {
                messages += 1;
            }
            if line.starts_with(RUN_ENDED) {
                ends += 1;
                if ends == runs {
                    tally.complete.set(tally.complete.get() + 1);
                    tally.changed.notify_one();
                }
            }
        }
        buffer.drain(..whole);
    }
    tally.messages.borrow_mut().push(messages);
    Ok(())
}
