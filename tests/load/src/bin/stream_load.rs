//! The load generator of `cargo xtask bench stream`: random ranges of one large file over many keep-alive connections,
//! or many responses that it does not read.
//!
//! Reads the request without its last empty line from stdin, so that no token appears in the process list. Prints the
//! measurements as JSON, with times in microseconds.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a tool for measuring: prints, and its tasks end with the program"
)]

use std::cell::RefCell;
use std::io::Read as _;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use clap::Parser;
use hdrhistogram::Histogram;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::LocalSet;

/// The timeout of a response.
const RESPONSE_LIMIT: Duration = Duration::from_secs(30);

/// Room for a head with all headers that a server sends.
const HEADERS: usize = 64;

/// Read size: the kernel buffer of a fast connection.
const BUFFER: usize = 256 * 1024;

/// A client that reads nothing gives the kernel no more room than this.
const STALLED_BUFFER: u32 = 16 * 1024;

#[derive(Parser)]
struct Arguments {
    /// Address of the server
    address: SocketAddr,
    /// Bytes of the file
    #[arg(long)]
    size: u64,
    /// Bytes of each range
    #[arg(long, default_value_t = 1 << 20)]
    range: u64,
    /// Connections at once
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// Milliseconds that count
    #[arg(long, default_value_t = 2000)]
    duration: u64,
    /// Milliseconds before, that do not count
    #[arg(long, default_value_t = 300)]
    warm_up: u64,
    /// In place of ranges, ask for the whole file on each connection, read the first line of the response, and wait to be killed
    #[arg(long)]
    stalled: bool,
}

/// Totals of all connections.
struct Tally {
    times: Histogram<u64>,
    bytes: u64,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut request = String::new();
    std::io::stdin().read_to_string(&mut request)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(LocalSet::new().run_until(async move {
        if arguments.stalled {
            stall(&arguments, &request).await
        } else {
            load(Rc::new(arguments), request.into()).await
        }
    }))
}

/// Opens streams, reads none, and waits until it is killed.
async fn stall(arguments: &Arguments, request: &str) -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).context("the limit of open files cannot be raised")?;
    let mut open = Vec::new();
    for _ in 0..arguments.connections {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(STALLED_BUFFER)?;
        let mut stream = socket.connect(arguments.address).await?;
        stream.write_all(request.as_bytes()).await?;
        stream.write_all(b"\r\n").await?;
        let mut start = [0; 12];
        tokio::time::timeout(RESPONSE_LIMIT, stream.read_exact(&mut start))
            .await
            .context("not answered in time")??;
        ensure!(
            &start == b"HTTP/1.1 200",
            "answered {}",
            String::from_utf8_lossy(&start)
        );
        open.push(stream);
    }
    println!("{}", json!({"open": open.len()}));
    std::future::pending().await
}

async fn load(arguments: Rc<Arguments>, request: Rc<str>) -> anyhow::Result<()> {
    let tally = Rc::new(RefCell::new(Tally {
        times: Histogram::new(3)?,
        bytes: 0,
    }));
    let from = Instant::now() + Duration::from_millis(arguments.warm_up);
    let until = from + Duration::from_millis(arguments.duration);
    let connections: Vec<_> = (0..arguments.connections)
        .map(|number| {
            let (arguments, request, tally) = (Rc::clone(&arguments), Rc::clone(&request), Rc::clone(&tally));
            tokio::task::spawn_local(async move {
                request_ranges(&arguments, &request, number as u64, (from, until), &tally).await
            })
        })
        .collect();
    for connection in connections {
        connection.await??;
    }
    let tally = tally.borrow();
    println!(
        "{}",
        json!({
            "seconds": from.elapsed().as_secs_f64(),
            "bytes": tally.bytes,
            "ranges": tally.times.len(),
            "p50": tally.times.value_at_quantile(0.5),
            "p99": tally.times.value_at_quantile(0.99),
        })
    );
    Ok(())
}

/// Requests one random range after the other over one connection.
async fn request_ranges(
    arguments: &Arguments,
    request: &str,
    number: u64,
    (from, until): (Instant, Instant),
    tally: &RefCell<Tally>,
) -> anyhow::Result<()> {
    let mut stream = TcpStream::connect(arguments.address).await?;
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; BUFFER];
    let last = arguments.size.saturating_sub(arguments.range);
    // A fixed seed; xorshift requires a non-zero one.
    let mut random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    loop {
        let sent = Instant::now();
        if sent >= until {
            return Ok(());
        }
        // xorshift64
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let start = random % (last + 1);
        let end = (start + arguments.range).min(arguments.size) - 1;
        stream
            .write_all(format!("{request}range: bytes={start}-{end}\r\n\r\n").as_bytes())
            .await?;
        let body = end + 1 - start;
        tokio::time::timeout(RESPONSE_LIMIT, read_response(&mut stream, &mut buffer, body))
            .await
            .context("not answered in time")??;
        if sent >= from {
            let mut tally = tally.borrow_mut();
            tally.times.record(u64::try_from(sent.elapsed().as_micros())?)?;
            tally.bytes += body;
        }
    }
}

/// Reads one response to its end: a part of the file of exactly this length.
async fn read_response(stream: &mut TcpStream, buffer: &mut [u8], body: u64) -> anyhow::Result<()> {
    let mut filled = 0;
    let head = loop {
        let room = buffer.get_mut(filled..).unwrap_or_default();
        let read = stream.read(room).await?;
        ensure!(read > 0, "connection closed by the server");
        filled += read;
        if let Some((head, length)) = head(buffer.get(..filled).unwrap_or_default())? {
            ensure!(length == body, "{length} bytes in place of {body}");
            break head;
        }
    };
    let mut missing = body.saturating_sub((filled - head) as u64);
    while missing > 0 {
        let read = stream.read(buffer).await?;
        ensure!(read > 0, "connection closed within an answer");
        missing = missing
            .checked_sub(read as u64)
            .context("more bytes than were announced")?;
    }
    Ok(())
}

/// Length of the head and of the body, once the head is complete.
fn head(bytes: &[u8]) -> anyhow::Result<Option<(usize, u64)>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(head) = response.parse(bytes)? else {
        return Ok(None);
    };
    if response.code != Some(206) {
        bail!("status {:?}: {}", response.code, String::from_utf8_lossy(bytes));
    }
    let length = response
        .headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("content-length"))
        .context("an answer without content-length")?;
    Ok(Some((head, std::str::from_utf8(length.value)?.parse()?)))
}
