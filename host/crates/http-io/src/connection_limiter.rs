//! The limit of open connections, and which connection is closed for a new one when the limit is reached.
//!
//! The rules are explained at [`ADDRESS_SHARE`](super::limits::ADDRESS_SHARE). A connection is idle if no request is
//! being answered: streams of events or files are not idle.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::limits::ADDRESS_SHARE;
use crate::proxy::ProxyConfig;

/// Interval of checks for an idle connection while none leaves. Connections do not report that they become idle:
/// there are many, and each becomes idle after each response.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The unit that a share belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ClientKey {
    Address(IpAddr),
    /// A trusted proxy, which stands for many clients.
    Many,
}

impl ClientKey {
    fn of(peer: IpAddr, proxy_config: &ProxyConfig) -> Self {
        let peer = peer.to_canonical();
        if proxy_config.trusts(peer) {
            return Self::Many;
        }
        Self::Address(match peer {
            IpAddr::V4(_) => peer,
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        })
    }
}

/// All open connections.
#[derive(Debug)]
pub(super) struct ConnectionLimiter {
    max_connections: usize,
    proxy_config: ProxyConfig,
    open: Mutex<OpenConnections>,
    /// Notified when a connection has closed.
    freed: Notify,
}

#[derive(Debug, Default)]
struct OpenConnections {
    next: u64,
    connections: HashMap<u64, OpenConnection>,
    of: HashMap<ClientKey, usize>,
}

#[derive(Debug)]
struct OpenConnection {
    origin: ClientKey,
    connection: Connection,
    /// Whether it was evicted and is closing.
    is_leaving: bool,
}

/// The slot of a connection, released when dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    connection_limiter: Arc<ConnectionLimiter>,
    number: u64,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.connection_limiter.open();
        if let Some(held) = open.connections.remove(&self.number)
            && let Some(count) = open.of.get_mut(&held.origin)
        {
            *count -= 1;
            if *count == 0 {
                open.of.remove(&held.origin);
            }
        }
        drop(open);
        self.connection_limiter.freed.notify_one();
    }
}

/// The decision on a new connection when the limit is reached.
#[derive(Debug, PartialEq, Eq)]
enum Decision {
    /// Close the connection with this number.
    Evict(u64),
    /// Wait for a connection to close or become idle.
    Wait,
    /// Reject: the address has its whole share, and none of its connections is idle.
    Reject,
}

impl ConnectionLimiter {
    pub(super) fn new(max_connections: usize, proxy_config: ProxyConfig) -> Arc<Self> {
        Arc::new(Self {
            max_connections,
            proxy_config,
            open: Mutex::default(),
            freed: Notify::new(),
        })
    }

    fn open(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a slot for a connection from `peer`; `None` if the connection is rejected. To be called for one
    /// connection at a time.
    pub(super) async fn admit(
        self: &Arc<Self>,
        peer: IpAddr,
        connection: &Connection,
    ) -> Option<ConnectionSlot> {
        let origin = ClientKey::of(peer, &self.proxy_config);
        loop {
            {
                let mut open = self.open();
                if open.connections.len() < self.max_connections {
                    let number = open.add(origin, connection.clone());
                    let connection_limiter = Arc::clone(self);
                    return Some(ConnectionSlot {
                        connection_limiter,
                        number,
                    });
                }
                match open.decide(origin, self.max_connections.div_ceil(ADDRESS_SHARE)) {
                    Decision::Evict(number) => open.evict(number),
                    Decision::Wait => {}
                    Decision::Reject => return None,
                }
            }
            // Checks again after a notification or the interval.
            let _ = timeout(CHECK_INTERVAL, self.freed.notified()).await;
        }
    }
}

impl OpenConnections {
    fn add(&mut self, origin: ClientKey, connection: Connection) -> u64 {
        let number = self.next;
        self.next += 1;
        *self.of.entry(origin).or_default() += 1;
        let held = OpenConnection {
            origin,
            connection,
            is_leaving: false,
        };
        self.connections.insert(number, held);
        number
    }

    fn evict(&mut self, number: u64) {
        if let Some(held) = self.connections.get_mut(&number) {
            held.is_leaving = true;
            tracing::debug!(origin = ?held.origin, "connection evicted");
            held.connection.abort();
        }
    }

    /// Decides which connection is closed for a new one of `origin`.
    fn decide(&self, origin: ClientKey, share: usize) -> Decision {
        if self.connections.values().any(|held| held.is_leaving) {
            return Decision::Wait;
        }
        let count = |origin: ClientKey| match origin {
            ClientKey::Address(_) => self.of.get(&origin).copied().unwrap_or(0),
            ClientKey::Many => 0,
        };
        let idle = |belongs: &dyn Fn(ClientKey) -> bool| {
            let candidates = self.connections.iter().filter(|(_, held)| belongs(held.origin));
            candidates
                .filter_map(|(number, held)| Some((held.connection.activity().idle_since()?, *number)))
                .min()
                .map(|(_, number)| number)
        };
        if count(origin) >= share {
            let own = idle(&|other| other == origin);
            return own.map_or(Decision::Reject, Decision::Evict);
        }
        let is_beyond = |other: ClientKey| count(other) > share;
        // The connection with the longest-running request.
        let in_flight = || {
            let beyond = self.connections.iter().filter(|(_, held)| is_beyond(held.origin));
            let since = beyond.map(|(number, held)| (held.connection.activity().changed_at(), *number));
            since.min().map(|(_, number)| number)
        };
        let found = idle(&is_beyond).or_else(|| idle(&|_| true)).or_else(in_flight);
        found.map_or(Decision::Wait, Decision::Evict)
    }
}

#[cfg(test)]
#[path = "connection_limiter_tests.rs"]
mod tests;
