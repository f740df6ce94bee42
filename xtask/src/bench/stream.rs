//! `cargo xtask bench stream`: random ranges of a large indexed file, in turn with nginx over the same directory; and
//! the memory of streams whose clients read nothing.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use super::http_requests::get;
use super::http_servers::{Servers, cpu_seconds, on_core};
use super::report::{Table, Unit};
use super::stream_nginx::Nginx;
use super::{machine, measure};
use crate::server_client::Client;
use crate::{process, workspace};

const MEBIBYTE: u64 = 1024 * 1024;
const NAME: &str = "Long Recording.wav";

/// Idle time before the memory of the server is measured.
const SETTLE: Duration = Duration::from_secs(2);

/// Aims: shares of nginx, and bytes per stream.
const AIM_THROUGHPUT: f64 = 0.8;
const AIM_PER_CPU: f64 = 0.4;
const AIM_MEMORY: f64 = 64.0 * 1024.0;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// MiB of the file
    #[arg(long, value_name = "MIB", default_value_t = 200)]
    size: u64,
    /// Connections at once
    #[arg(long, value_name = "N", default_value_t = 16)]
    connections: usize,
    /// Turns of nginx and server; the figures are medians
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Milliseconds of one turn
    #[arg(long, value_name = "MS", default_value_t = 3000)]
    duration: u64,
    /// Streams that are open at once while nobody reads them
    #[arg(long, value_name = "N", default_value_t = 500)]
    stalled: usize,
    /// The nginx to compare with; by default the one on the PATH
    #[arg(long, value_name = "PATH")]
    nginx: Option<PathBuf>,
    /// Do not build; measure the existing binaries
    #[arg(long)]
    skip_build: bool,
}

/// The JSON that the load generator prints for one turn; times are microseconds.
#[derive(Deserialize)]
struct LoadReport {
    seconds: f64,
    bytes: f64,
    p50: f64,
    p99: f64,
}

/// One turn of one server.
struct Measurement {
    load_report: LoadReport,
    /// From the start of the generator to its end, and the server's CPU in that time.
    elapsed: f64,
    cpu: f64,
}

impl Measurement {
    fn per_second(&self) -> f64 {
        self.load_report.bytes / self.load_report.seconds
    }

    /// The warm-up costs CPU and counts no bytes: the share of the core is taken over the whole turn.
    fn per_cpu_second(&self) -> f64 {
        self.per_second() / (self.cpu / self.elapsed)
    }
}

/// A load generator whose clients read nothing. Dropping it ends them.
struct Stalled(Child);

impl Drop for Stalled {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Builds, measures, and prints a table.
pub(crate) fn run(options: &Options) -> Result<()> {
    let nginx = options.nginx.clone().or_else(nginx_on_path);
    let nginx = nginx.context("nginx is not on the PATH: install it, or name it with `--nginx`")?;
    let mut servers = Servers::build(options.skip_build)?;
    let directory = tempfile::Builder::new()
        .prefix("stream-")
        .tempdir_in(workspace::target().join("bench"))?;
    let size = write_wav(&directory.path().join(NAME), options.size * MEBIBYTE)?;
    servers.use_library(directory.path().to_owned());
    servers.start_server()?;
    let (server_core, generator_core) = servers.cores();
    let server = servers.server()?;
    let client = Client::new(server.base());
    let mut session = client.log_in(servers.owner())?;
    session.index(&json!({"type": "quick"}), Duration::from_millis(50))?;
    let track = session.list_field("music/tracks?take=1", "musicTrackId")?;
    let track = track.first().context("the server did not index the file")?;
    let of_server = get(&format!("/api/v1/music/stream/{track}"), Some(session.token()));
    let of_nginx = get(&format!("/{}", NAME.replace(' ', "%20")), None);
    let nginx = Nginx::start(&nginx, directory.path(), server_core)?;

    let turn = |pid, address: &str, request: &str| -> Result<Measurement> {
        let (started, cpu) = (Instant::now(), cpu_seconds(pid)?);
        let load = start_load(address, request, size, options, None, generator_core)?;
        let output = load.wait_with_output()?;
        if !output.status.success() {
            bail!("the load generator failed ({})", output.status);
        }
        Ok(Measurement {
            load_report: serde_json::from_slice(&output.stdout)
                .context("the load generator printed no JSON")?,
            elapsed: started.elapsed().as_secs_f64(),
            cpu: cpu_seconds(pid)? - cpu,
        })
    };
    let (mut nginx_turns, mut server_turns) = (Vec::new(), Vec::new());
    for round in 1..=options.rounds {
        eprintln!("xtask: turn {round} of {}", options.rounds);
        nginx_turns.push(turn(nginx.pid(), &nginx.address(), &of_nginx)?);
        server_turns.push(turn(server.pid(), server.address(), &of_server)?);
    }
    let mut table = Table::default();
    report(&mut table, "nginx", &nginx_turns);
    report(&mut table, "server", &server_turns);
    let share = |of: fn(&Measurement) -> f64| {
        let turns = server_turns.iter().zip(&nginx_turns);
        let shares: Vec<_> = turns.map(|(server, nginx)| of(server) / of(nginx)).collect();
        measure::median(&shares).unwrap_or_default()
    };
    table.at_least(
        "throughput, share of nginx",
        Unit::Ratio,
        share(Measurement::per_second),
        AIM_THROUGHPUT,
    );
    table.at_least(
        "throughput a CPU second, share of nginx",
        Unit::Ratio,
        share(Measurement::per_cpu_second),
        AIM_PER_CPU,
    );

    eprintln!("xtask: {} streams that nobody reads", options.stalled);
    std::thread::sleep(SETTLE);
    let before = measure::resident(server.pid())?.anonymous;
    let mut load = Stalled(start_load(
        server.address(),
        &of_server,
        size,
        options,
        Some(options.stalled),
        generator_core,
    )?);
    let stdout = load.0.stdout.take().context("its output was not captured")?;
    let load_report = BufReader::new(stdout)
        .lines()
        .next()
        .context("the streams did not open")??;
    let open: Value = serde_json::from_str(&load_report)?;
    let open = open
        .get("open")
        .and_then(Value::as_f64)
        .context("no number of streams")?;
    std::thread::sleep(SETTLE);
    let memory = measure::resident(server.pid())?.anonymous.saturating_sub(before);
    drop(load);
    table.at_most(
        &format!("anonymous memory a stream, {open} open and unread"),
        Unit::Kibibytes,
        memory as f64 / open.max(1.0),
        AIM_MEMORY,
    );
    print!("{}", table.markdown());
    println!("\n{}; {}", servers.pinning(), machine::line());
    Ok(())
}

fn report(table: &mut Table, name: &str, turns: &[Measurement]) {
    let over = |of: &dyn Fn(&Measurement) -> f64| {
        let values: Vec<_> = turns.iter().map(of).collect();
        measure::median(&values).unwrap_or_default()
    };
    table.add(
        &format!("{name}: GB a second; GB a CPU second"),
        &format!(
            "{:.2}; {:.2}",
            over(&|turn| turn.per_second() / 1e9),
            over(&|turn| turn.per_cpu_second() / 1e9)
        ),
    );
    table.add(
        &format!("{name}: a range of 1 MiB, p50, p99"),
        &format!(
            "{:.1}, {:.1} ms",
            over(&|turn| turn.load_report.p50 / 1e3),
            over(&|turn| turn.load_report.p99 / 1e3)
        ),
    );
}

/// Starts the load generator. With a number, it opens that many responses and does not read them.
fn start_load(
    address: &str,
    request: &str,
    size: u64,
    options: &Options,
    stalled: Option<usize>,
    core: Option<usize>,
) -> Result<Child> {
    let mut command = Command::new(workspace::target().join("release/stream-load"));
    command
        .arg(address)
        .args(["--size", &size.to_string()])
        .args(["--duration", &options.duration.to_string()])
        .args([
            "--connections",
            &stalled.unwrap_or(options.connections).to_string(),
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    if stalled.is_some() {
        command.arg("--stalled");
    }
    let mut child = on_core(core, || Ok(command.spawn()?))
        .with_context(|| format!("cannot start {}", process::named(&command)))?;
    let mut stdin = child.stdin.take().context("the load generator has no stdin")?;
    // The generator adds the range and the empty line.
    stdin.write_all(request.trim_end().as_bytes())?;
    stdin.write_all(b"\r\n")?;
    Ok(child)
}

/// Writes a WAV file with this many bytes of samples: noise, so that no file system stores it as a hole. Returns the
/// length of the file.
fn write_wav(path: &Path, bytes: u64) -> Result<u64> {
    const HEAD: u32 = 44;
    let length = u32::try_from(bytes).context("a WAV file holds less than 4 GiB")?;
    let riff = length
        .checked_add(HEAD - 8)
        .context("a WAV file holds less than 4 GiB")?;
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(b"RIFF")?;
    file.write_all(&riff.to_le_bytes())?;
    file.write_all(b"WAVEfmt \x10\0\0\0\x01\0\x02\0")?;
    // 44,100 frames a second, of two times two bytes.
    file.write_all(&44_100_u32.to_le_bytes())?;
    file.write_all(&176_400_u32.to_le_bytes())?;
    file.write_all(b"\x04\0\x10\0data")?;
    file.write_all(&length.to_le_bytes())?;
    let mut random = 1_u64;
    for _ in 0..bytes / 8 {
        // xorshift64
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        file.write_all(&random.to_le_bytes())?;
    }
    file.flush()?;
    Ok(path.metadata()?.len())
}

/// Debian installs nginx into `/usr/sbin`, which is only on root's PATH.
fn nginx_on_path() -> Option<PathBuf> {
    process::on_path("nginx").or_else(|| Some(PathBuf::from("/usr/sbin/nginx")).filter(|path| path.is_file()))
}
