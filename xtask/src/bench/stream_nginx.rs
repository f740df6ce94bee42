//! Starts nginx over one directory, as one process on one core, for `bench stream`.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::http_servers::on_core;
use crate::process::{self, Registered};

/// Longest wait until it listens.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running nginx. It ends with this value.
pub(crate) struct Nginx {
    child: Child,
    registered: Registered,
    address: SocketAddr,
    _prefix: TempDir,
}

impl Nginx {
    /// Starts it: with `sendfile` and `tcp_nopush` as distributions ship it, without a log of requests. One process, so
    /// that its CPU is that of one process; it would have one worker on one core anyway.
    pub(crate) fn start(program: &Path, directory: &Path, core: Option<usize>) -> Result<Self> {
        process::hold_interrupts()?;
        let prefix = tempfile::Builder::new().prefix("nginx-").tempdir()?;
        // nginx cannot pick a free port itself. If another process takes this one meanwhile, the start fails.
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let configuration = format!(
            "daemon off; master_process off; pid nginx.pid; error_log stderr crit;
            events {{ worker_connections 4096; }}
            http {{
                sendfile on; tcp_nopush on; access_log off; keepalive_requests 1000000000;
                client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi;
                scgi_temp_path scgi;
                server {{ listen {address}; location / {{ root \"{}\"; }} }}
            }}",
            directory.display()
        );
        let file = prefix.path().join("nginx.conf");
        std::fs::write(&file, configuration)?;
        let mut command = Command::new(program);
        command
            .args(["-e", "stderr", "-p"])
            .arg(prefix.path())
            .arg("-c")
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        let child = on_core(core, || Ok(command.spawn()?))
            .with_context(|| format!("cannot start {}", process::named(&command)))?;
        // From here on, every return ends the process.
        let mut nginx = Self {
            registered: process::register(&child),
            child,
            address,
            _prefix: prefix,
        };
        let started = Instant::now();
        while TcpStream::connect(address).is_err() {
            if let Some(status) = nginx.child.try_wait()? {
                bail!("nginx ended at once ({status})");
            }
            if started.elapsed() > PATIENCE {
                bail!("nginx did not listen within {} s", PATIENCE.as_secs());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(nginx)
    }

    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.registered.terminate();
        // Fails only if the process has been waited for already.
        let _ = self.child.wait();
    }
}
