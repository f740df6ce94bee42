//! A server process started by xtask: waits until it listens, and ends it whether xtask succeeds or fails.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::process::{self, Registered};

/// How long the server may take until it listens; the first start compiles the plugins.
const START_LIMIT: Duration = Duration::from_secs(120);

/// A running server. It ends with this value.
pub(crate) struct ServerProcess {
    child: Child,
    registered: Registered,
    base: String,
}

impl ServerProcess {
    /// Starts a server and waits for its line `listening on http://…`. Its output is not shown.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        process::hold_interrupts()?;
        command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start {}", process::named(command)))?;
        let stdout = child.stdout.take();
        // From here on, every return ends the process.
        let mut server = Self {
            registered: process::register(&child),
            child,
            base: String::new(),
        };
        let stdout = stdout.context("the server's stdout was not captured")?;
        let (announce, announced) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if let Some(address) = line.trim().strip_prefix("listening on ") {
                    // Only the first such line is awaited.
                    let _ = announce.send(address.to_owned());
                }
            }
        });
        server.base = match announced.recv_timeout(START_LIMIT) {
            Ok(address) => address,
            Err(RecvTimeoutError::Timeout) => {
                bail!("the server did not listen within {} s", START_LIMIT.as_secs())
            }
            Err(RecvTimeoutError::Disconnected) => bail!("the server ended before it listened"),
        };
        Ok(server)
    }

    /// Its address, such as `http://127.0.0.1:8080`.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    /// Process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.registered.terminate();
        // Fails only if the process has been waited for already.
        let _ = self.child.wait();
    }
}
