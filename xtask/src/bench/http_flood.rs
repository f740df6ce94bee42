//! The flood of logins: what a server's memory does when everybody signs in at once, and whether it still answers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::http::{get, login};
use super::http_servers::{self, Load, LoadReport, Servers};
use super::measure;
use crate::process;

/// Logins at once.
pub(crate) const LOGINS: usize = 500;

/// How often memory is looked at; hashing one password takes longer.
const SAMPLE: Duration = Duration::from_millis(5);

/// How long health is asked for. Longer than logins may wait for their turn.
const MEANWHILE: Duration = Duration::from_secs(4);

/// How long the server is left alone before its memory counts as that of afterwards.
const SETTLE: Duration = Duration::from_secs(3);

/// Bytes, and what was answered.
pub(crate) struct Flood {
    pub(crate) before: Memory,
    pub(crate) peak: Memory,
    /// The kernel's own mark of the peak, between two looks as well.
    pub(crate) high_water: u64,
    pub(crate) after: Memory,
    pub(crate) logins: LoadReport,
    pub(crate) health: LoadReport,
}

/// Resident, and what of it is no file.
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
            // It may have ended in between.
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
