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
use crate::proxy::Network;

/// Time until the next look whether one has become idle, where nobody makes room. None of them tells: there are many, and
/// each becomes idle with each answer.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Who counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Origin {
    Address(IpAddr),
    /// A trusted proxy.
    Many,
}

impl Origin {
    fn of(peer: IpAddr, network: &Network) -> Self {
        let peer = peer.to_canonical();
        if network.trusts(peer) {
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
pub(super) struct Admission {
    most: usize,
    network: Network,
    open: Mutex<Open>,
    /// Told when a place is free.
    freed: Notify,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    places: HashMap<u64, Held>,
    of: HashMap<Origin, usize>,
}

#[derive(Debug)]
struct Held {
    origin: Origin,
    connection: Connection,
    /// It makes room already.
    is_leaving: bool,
}

/// A connection's place, held until this value is dropped.
#[derive(Debug)]
pub(super) struct Place {
    admission: Arc<Admission>,
    number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.admission.open();
        if let Some(held) = open.places.remove(&self.number)
            && let Some(count) = open.of.get_mut(&held.origin)
        {
            *count -= 1;
            if *count == 0 {
                open.of.remove(&held.origin);
            }
        }
        drop(open);
        self.admission.freed.notify_one();
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

impl Admission {
    pub(super) fn new(most: usize, network: Network) -> Arc<Self> {
        Arc::new(Self {
            most,
            network,
            open: Mutex::default(),
            freed: Notify::new(),
        })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection from this address, once there is one; `None` if it gets none. Ask for one at a time.
    pub(super) async fn admit(self: &Arc<Self>, peer: IpAddr, connection: &Connection) -> Option<Place> {
        let origin = Origin::of(peer, &self.network);
        loop {
            {
                let mut open = self.open();
                if open.places.len() < self.most {
                    let number = open.add(origin, connection.clone());
                    let admission = Arc::clone(self);
                    return Some(Place { admission, number });
                }
                match open.decide(origin, self.most.div_ceil(ADDRESS_SHARE)) {
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

impl Open {
    fn add(&mut self, origin: Origin, connection: Connection) -> u64 {
        let number = self.next;
        self.next += 1;
        *self.of.entry(origin).or_default() += 1;
        let held = Held {
            origin,
            connection,
            is_leaving: false,
        };
        self.places.insert(number, held);
        number
    }

    fn evict(&mut self, number: u64) {
        if let Some(held) = self.places.get_mut(&number) {
            held.is_leaving = true;
            tracing::debug!(origin = ?held.origin, "a connection is closed to make room for another");
            held.connection.break_off();
        }
    }

    /// Who makes room for one more of `origin`.
    fn decide(&self, origin: Origin, share: usize) -> Decision {
        if self.places.values().any(|held| held.is_leaving) {
            return Decision::Wait;
        }
        let count = |origin: Origin| match origin {
            Origin::Address(_) => self.of.get(&origin).copied().unwrap_or(0),
            Origin::Many => 0,
        };
        let idle = |belongs: &dyn Fn(Origin) -> bool| {
            let candidates = self.places.iter().filter(|(_, held)| belongs(held.origin));
            candidates
                .filter_map(|(number, held)| Some((held.connection.activity().idle_since()?, *number)))
                .min()
                .map(|(_, number)| number)
        };
        if count(origin) >= share {
            let own = idle(&|other| other == origin);
            return own.map_or(Decision::Refuse, Decision::Evict);
        }
        let is_beyond = |other: Origin| count(other) > share;
        // The one that has answered the same request for the longest.
        let at_work = || {
            let beyond = self.places.iter().filter(|(_, held)| is_beyond(held.origin));
            let since = beyond.map(|(number, held)| (held.connection.activity().changed_at(), *number));
            since.min().map(|(_, number)| number)
        };
        let found = idle(&is_beyond).or_else(|| idle(&|_| true)).or_else(at_work);
        found.map_or(Decision::Wait, Decision::Evict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "192.0.2.1";
    const OTHER: &str = "192.0.2.2";
    const PROXY: &str = "10.0.0.1";

    fn origin(address: &str) -> Origin {
        let network = Network {
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
            base_url: None,
        };
        Origin::of(address.parse().unwrap(), &network)
    }

    /// Connections in the order in which they were last at work, and whether they still are.
    fn open(connections: &[(&str, bool)]) -> Open {
        let mut open = Open::default();
        for (address, is_at_work) in connections {
            let connection = Connection::default();
            if *is_at_work {
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
        assert_eq!(origin(PROXY), Origin::Many);
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
        let admission = Admission::new(2, Network::default());
        let connection = Connection::default();
        let peer: IpAddr = ONE.parse().unwrap();
        let first = admission.admit(peer, &connection).await.unwrap();
        let second = admission.admit(peer, &connection).await.unwrap();
        assert_eq!(admission.open().of.values().sum::<usize>(), 2);
        drop((first, second));
        assert!(admission.open().places.is_empty() && admission.open().of.is_empty());
        assert!(admission.admit(peer, &connection).await.is_some());
    }
}
