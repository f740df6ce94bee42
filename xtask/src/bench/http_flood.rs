//! The flood of sign-ins: memory of the server during many concurrent sign-ins, and whether `/health` still responds.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::http_requests::{get, login};
use super::http_servers::{self, Load, LoadReport, Servers};
use super::measure;
use crate::process;

/// Concurrent sign-ins.
pub(crate) const LOGINS: usize = 500;

/// Interval at which memory is sampled; hashing one password takes longer.
const SAMPLE: Duration = Duration::from_millis(5);

/// How long `/health` is requested; longer than sign-ins may wait in the queue.
const MEANWHILE: Duration = Duration::from_secs(4);

/// Idle time before the memory after the flood is measured.
const SETTLE: Duration = Duration::from_secs(3);

/// Memory in bytes, and the responses.
pub(crate) struct Flood {
    pub(crate) before: Memory,
    pub(crate) peak: Memory,
    /// The peak according to the kernel, which includes peaks between two samples.
    pub(crate) high_water: u64,
    pub(crate) after: Memory,
    pub(crate) logins: LoadReport,
    pub(crate) health: LoadReport,
}

/// Resident memory, and its part that is not backed by files.
#[derive(Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) total: u64,
    pub(crate) anonymous: u64,
}

/// Sends the flood.
pub(crate) fn run(servers: &Servers) -> Result<Flood> {
    let server = servers.server()?;
    let generator = servers.generator();
    std::thread::sleep(SETTLE);
    // 5: forget the high-water mark of the start.
    std::fs::write(format!("/proc/{}/clear_refs", server.pid()), "5")
        .context("cannot reset the high-water mark of memory")?;
    let before = memory(server.pid())?;
    let health = generator.start(
        server,
        &Load {
            connections: 4,
            milliseconds: Some(u64::try_from(MEANWHILE.as_millis())?),
            rate: None,
            request: get("/api/v1/health", None),
        },
    )?;
    let logins = generator.start(
        server,
        &Load {
            connections: LOGINS,
            milliseconds: None,
            rate: None,
            request: login(&servers.owner()),
        },
    )?;
    let mut logins = logins;
    let (started, mut peak) = (Instant::now(), before);
    while logins.try_wait()?.is_none() {
        if process::interrupted() || started.elapsed() > Duration::from_secs(90) {
            // The thread may have ended since it was listed.
            let _ = logins.kill();
            bail!("the flood was interrupted or did not end");
        }
        let now = memory(server.pid())?;
        peak.total = peak.total.max(now.total);
        peak.anonymous = peak.anonymous.max(now.anonymous);
        std::thread::sleep(SAMPLE);
    }
    let logins = http_servers::finish(logins)?;
    let health = http_servers::finish(health)?;
    std::thread::sleep(SETTLE);
    Ok(Flood {
        before,
        peak,
        high_water: measure::high_water(server.pid())?,
        after: memory(server.pid())?,
        logins,
        health,
    })
}

fn memory(pid: u32) -> Result<Memory> {
    let resident = measure::resident(pid)?;
    Ok(Memory {
        total: resident.total,
        anonymous: resident.anonymous,
    })
}
