//! Which connections are open, and who makes room when there are as many as may be.
//!
//! The rules and their reasons stand with [`ADDRESS_SHARE`](super::limits::ADDRESS_SHARE). Idle means that no request is
//! being answered: a stream of events or of a file is none of it.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::limits::ADDRESS_SHARE;
use crate::proxy::ProxyConfig;

/// Time until the next look whether one has become idle, where nobody makes room. None of them tells: there are many, and
/// each becomes idle with each answer.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Who counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ClientKey {
    Address(IpAddr),
    /// A trusted proxy.
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
    /// Told when a place is free.
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
    /// It makes room already.
    is_leaving: bool,
}

/// A connection's place, held until this value is dropped.
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

/// What becomes of a connection that wants in while all places are taken.
#[derive(Debug, PartialEq, Eq)]
enum Decision {
    /// The one with this number goes.
    Evict(u64),
    /// None does now, but one will.
    Wait,
    /// Its own address has all that is its share, and none of that is idle.
    Refuse,
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

    /// A place for a connection from this address, once there is one; `None` if it gets none. Ask for one at a time.
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
                    Decision::Refuse => return None,
                }
            }
            // Whether it was told or not, there is another look.
            let _ = timeout(LOOK_AGAIN, self.freed.notified()).await;
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

    /// Who makes room for one more of `origin`.
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
            return own.map_or(Decision::Refuse, Decision::Evict);
        }
        let is_beyond = |other: ClientKey| count(other) > share;
        // The one that has answered the same request for the longest.
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
mod tests {
    use super::*;

    const ONE: &str = "192.0.2.1";
    const OTHER: &str = "192.0.2.2";
    const PROXY: &str = "10.0.0.1";

    fn origin(address: &str) -> ClientKey {
        let proxy_config = ProxyConfig {
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
            base_url: None,
        };
        ClientKey::of(address.parse().unwrap(), &proxy_config)
    }

    /// Connections in the order in which they were last at work, and whether they still are.
    fn open(connections: &[(&str, bool)]) -> OpenConnections {
        let mut open = OpenConnections::default();
        for (address, has_requests_in_flight) in connections {
            let connection = Connection::default();
            if *has_requests_in_flight {
                connection.activity().begin();
            }
            open.add(origin(address), connection);
        }
        open
    }

    #[test]
    fn address_is_a_client_and_a_trusted_proxy_is_many() {
        assert_eq!(origin("::ffff:192.0.2.1"), origin(ONE));
        assert_ne!(origin(ONE), origin(OTHER));
        assert_eq!(origin("2001:db8:0:1::1"), origin("2001:db8:0:1:ffff::2"));
        assert_ne!(origin("2001:db8:0:1::1"), origin("2001:db8:0:2::1"));
        assert_eq!(origin(PROXY), ClientKey::Many);
    }

    #[tokio::test(start_paused = true)]
    async fn longest_idle_makes_room_by_the_shares() {
        use Decision::{Evict, Refuse, Wait};
        const IDLE: bool = false;
        const BUSY: bool = true;
        // Four places, of which two are a share.
        for (connections, from, expected) in [
            // Whoever was idle the longest.
            (
                [(ONE, IDLE), (OTHER, IDLE), (PROXY, IDLE), (PROXY, IDLE)],
                "192.0.2.3",
                Evict(0),
            ),
            (
                [(ONE, BUSY), (OTHER, IDLE), (PROXY, IDLE), (PROXY, IDLE)],
                "192.0.2.3",
                Evict(1),
            ),
            (
                [(PROXY, IDLE), (PROXY, IDLE), (ONE, IDLE), (OTHER, IDLE)],
                PROXY,
                Evict(0),
            ),
            // First among those beyond their share.
            (
                [(OTHER, IDLE), (ONE, IDLE), (ONE, IDLE), (ONE, IDLE)],
                "192.0.2.3",
                Evict(1),
            ),
            // An address with its share makes room for its own.
            (
                [(OTHER, IDLE), (OTHER, IDLE), (ONE, BUSY), (ONE, IDLE)],
                ONE,
                Evict(3),
            ),
            (
                [(OTHER, IDLE), (OTHER, IDLE), (ONE, BUSY), (ONE, BUSY)],
                ONE,
                Refuse,
            ),
            // What is beyond a share goes even while it is at work.
            (
                [(ONE, BUSY), (ONE, BUSY), (ONE, BUSY), (ONE, BUSY)],
                OTHER,
                Evict(0),
            ),
            (
                [(OTHER, BUSY), (ONE, BUSY), (ONE, BUSY), (ONE, BUSY)],
                PROXY,
                Evict(1),
            ),
            // A share is kept, and a proxy has none that it could exceed.
            (
                [(OTHER, BUSY), (OTHER, BUSY), (ONE, BUSY), (ONE, BUSY)],
                "192.0.2.3",
                Wait,
            ),
            (
                [(PROXY, BUSY), (PROXY, BUSY), (PROXY, BUSY), (PROXY, BUSY)],
                ONE,
                Wait,
            ),
            (
                [(PROXY, BUSY), (PROXY, BUSY), (PROXY, BUSY), (PROXY, BUSY)],
                PROXY,
                Wait,
            ),
        ] {
            let mut open = open(&connections);
            let decision = open.decide(origin(from), 2);
            assert_eq!(decision, expected, "{from} beside {connections:?}");
            if let Evict(number) = decision {
                open.evict(number);
                // One is enough.
                assert_eq!(open.decide(origin(from), 2), Wait);
            }
        }
    }

    #[tokio::test]
    async fn places_are_free_again_when_they_are_given_back() {
        let connection_limiter = ConnectionLimiter::new(2, ProxyConfig::default());
        let connection = Connection::default();
        let peer: IpAddr = ONE.parse().unwrap();
        let first = connection_limiter.admit(peer, &connection).await.unwrap();
        let second = connection_limiter.admit(peer, &connection).await.unwrap();
        assert_eq!(connection_limiter.open().of.values().sum::<usize>(), 2);
        drop((first, second));
        assert!(connection_limiter.open().connections.is_empty() && connection_limiter.open().of.is_empty());
        assert!(connection_limiter.admit(peer, &connection).await.is_some());
    }
}
