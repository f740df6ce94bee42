//! The connections that a server makes, as the kernel sees them.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{Server, wait_for};
use crate::skipped;

/// The command under `strace`, which writes calls that name an address to a file. `None` where it cannot trace.
pub fn traced(command: &Command, output: &Path) -> Option<Command> {
    let mut trial = Command::new("strace");
    trial
        .args(["-f", "-q", "-o"])
        .arg(output)
        .arg("true")
        .stderr(Stdio::null());
    if !trial.status().is_ok_and(|status| status.success()) {
        skipped("strace is missing, or may not trace");
        return None;
    }
    let mut traced = Command::new("strace");
    // `-D`: the tracer is a child, so that the process is the server.
    traced.args([
        "-D",
        "-f",
        "-q",
        "-e",
        "trace=connect,sendto,sendmsg,sendmmsg",
        "-o",
    ]);
    traced
        .arg(output)
        .arg(command.get_program())
        .args(command.get_args());
    traced.env_clear().stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        traced.env(name, value.unwrap_or_default());
    }
    Some(traced)
}

/// Ends the server; returns `ADDRESS:PORT` of all its calls that named an address of the internet protocols.
pub fn addresses(server: &mut Server, trace: &Path) -> BTreeSet<String> {
    server.end();
    let read = || fs::read_to_string(trace).unwrap();
    wait_for("the end of the trace", || {
        read().contains("+++ killed by SIGKILL")
    });
    let text = read();
    let addresses = text.lines().filter_map(|line| {
        let port = line.split("htons(").nth(1)?.split(')').next()?;
        let host = match line.split("inet_addr(\"").nth(1) {
            Some(rest) => rest,
            None => line.split("inet_pton(AF_INET6, \"").nth(1)?,
        };
        Some(format!("{}:{port}", host.split('"').next()?))
    });
    assert!(
        !text
            .lines()
            .any(|line| line.contains("AF_INET") && !line.contains("htons(")),
        "a call is in a form that this test does not know"
    );
    addresses.collect()
}

/// A listener that must not be reached.
#[derive(Debug)]
pub struct Trap(TcpListener);

impl Trap {
    /// Listens on a free port of this machine.
    pub fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().unwrap())
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// Fails if somebody connected.
    pub fn assert_untouched(&self) {
        assert!(self.0.accept().is_err(), "the trap was reached");
    }
}
