//! Tests of the connection limiter.

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

/// Connections in the order of their last activity, and whether they have requests in flight.
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
fn client_key_is_the_address_and_shared_by_trusted_proxies() {
    assert_eq!(origin("::ffff:192.0.2.1"), origin(ONE));
    assert_ne!(origin(ONE), origin(OTHER));
    assert_eq!(origin("2001:db8:0:1::1"), origin("2001:db8:0:1:ffff::2"));
    assert_ne!(origin("2001:db8:0:1::1"), origin("2001:db8:0:2::1"));
    assert_eq!(origin(PROXY), ClientKey::Many);
}

#[tokio::test(start_paused = true)]
async fn longest_idle_connection_is_evicted_by_shares() {
    use Decision::{Evict, Reject, Wait};
    const IDLE: bool = false;
    const BUSY: bool = true;
    // Four slots; a share is two.
    for (connections, from, expected) in [
        // The connection that was idle the longest.
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
        // Origins above their share first.
        (
            [(OTHER, IDLE), (ONE, IDLE), (ONE, IDLE), (ONE, IDLE)],
            "192.0.2.3",
            Evict(1),
        ),
        // An origin with its share closes one of its own.
        (
            [(OTHER, IDLE), (OTHER, IDLE), (ONE, BUSY), (ONE, IDLE)],
            ONE,
            Evict(3),
        ),
        (
            [(OTHER, IDLE), (OTHER, IDLE), (ONE, BUSY), (ONE, BUSY)],
            ONE,
            Reject,
        ),
        // Connections above the share are closed even while busy.
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
        // Shares are kept; a proxy has no share that it could exceed.
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
            // One eviction at a time.
            assert_eq!(open.decide(origin(from), 2), Wait);
        }
    }
}

#[tokio::test]
async fn slots_are_released_when_dropped() {
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
