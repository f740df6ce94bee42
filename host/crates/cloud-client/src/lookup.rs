//! Looks up the addresses of hosts.

use std::fmt;
use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::limits;
use svc_plugin_host::cloud::HostFuture;

/// A resolver of names.
pub(crate) trait Lookup: fmt::Debug + Send + Sync {
    /// All addresses of a host, in the order in which to try them.
    fn addresses<'a>(&'a self, host: &'a str) -> HostFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the system, which knows `/etc/hosts` and the configured name servers.
#[derive(Debug)]
pub(crate) struct SystemLookup {
    /// A lookup cannot be cancelled and may take half a minute: those that nobody waits for are counted as well.
    permits: Arc<Semaphore>,
}

impl Default for SystemLookup {
    fn default() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(limits::IN_FLIGHT)),
        }
    }
}

impl Lookup for SystemLookup {
    fn addresses<'a>(&'a self, host: &'a str) -> HostFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let permit = Arc::clone(&self.permits)
                .acquire_owned()
                .await
                .map_err(io::Error::other)?;
            let host = host.to_owned();
            let lookup = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                let addresses = (host.as_str(), 0).to_socket_addrs()?;
                Ok(addresses.map(|address| address.ip()).collect())
            });
            lookup.await.map_err(io::Error::other)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn system_knows_its_own_name() {
        let addresses = SystemLookup::default().addresses("localhost").await.unwrap();
        assert!(
            !addresses.is_empty() && addresses.iter().all(IpAddr::is_loopback),
            "{addresses:?}"
        );
        assert!(SystemLookup::default().addresses("absent.invalid").await.is_err());
    }
}
