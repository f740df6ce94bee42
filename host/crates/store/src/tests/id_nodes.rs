//! Node numbers of several servers on one database: each is leased once, and a server that lost its lease stores
//! nothing.

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::tests::*;
use crate::{Result, StoreError};
use svc_domain::audit::{AuditEntry, AuditEvent};
use svc_domain::id::AuditId;
use svc_domain::time::Clock;
use svc_test_support::databases::number;

/// The clock of one server; it does not advance by itself.
#[derive(Debug)]
struct ManualClock(AtomicI64);

impl ManualClock {
    fn new() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(NOW.millis())))
    }

    fn advance(&self, by: Duration) {
        self.0.fetch_add(by.as_millis() as i64, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

const MINUTE: Duration = Duration::from_secs(60);
const TWO_HOURS: Duration = Duration::from_secs(2 * 60 * 60);

/// One server: its own connections, clock and number.
struct Server {
    store: Store,
    clock: Arc<ManualClock>,
    ids: Arc<IdGenerator>,
}

impl Server {
    async fn start(test_store: &TestStore, holder: &str) -> Self {
        Self::start_by(test_store, holder, ManualClock::new()).await
    }

    async fn start_by(test_store: &TestStore, holder: &str, clock: Arc<ManualClock>) -> Self {
        let options = StoreOptions {
            postgres_connections: 2,
        };
        let store = Store::open(&test_store.url, options).await.unwrap();
        let ids = store
            .id_nodes
            .lease_id_node(clock.clone(), holder.to_owned())
            .await
            .unwrap();
        Self { store, clock, ids }
    }

    /// Creates an id and stores an audit entry with it.
    async fn write(&self) -> Result<AuditId> {
        let at = self.clock.now();
        let id = self.ids.next(at);
        let entry = AuditEntry {
            id,
            at,
            times: 1,
            last_at: at,
            event: AuditEvent::LoggedOut,
            actor: None,
            target: None,
            address: None,
            // Different each time, because equal entries are counted in one line.
            details: [("id".to_owned(), id.to_string())].into(),
        };
        let mut change = self.store.identity.change_identity().await?;
        change.audit(&entry).await?;
        change.commit_without_invalidation().await?;
        Ok(id)
    }
}

async fn lines(test_store: &TestStore) -> i64 {
    number(&test_store.url, "SELECT count(*) FROM audit").await
}

#[tokio::test]
async fn servers_of_one_database_never_create_the_same_id() {
    on_each_database(async |test_store: &mut TestStore| {
        let servers = [
            Server::start(test_store, "one").await,
            Server::start(test_store, "two").await,
            Server::start(test_store, "three").await,
        ];
        let mut seen: HashSet<AuditId> = HashSet::new();
        for _ in 0..20_000 {
            for server in &servers {
                // All at the same moment, by clocks that stand still.
                assert!(seen.insert(server.ids.next(NOW)));
            }
        }
        for server in &servers {
            assert!(seen.insert(server.write().await.unwrap()));
            server.store.database.close().await;
        }
        assert_eq!(lines(test_store).await, 3);
    })
    .await;
}

#[tokio::test]
async fn number_of_a_server_that_ended_is_the_next_ones_and_its_ids_are_later() {
    on_each_database(async |test_store: &mut TestStore| {
        let first = Server::start(test_store, "first").await;
        let last = first.write().await.unwrap();
        first.store.id_nodes.release_id_node().await.unwrap();
        assert!(matches!(first.write().await, Err(StoreError::IdNodeLost(0))));
        // A clock that is not as far: the number is not free for it.
        let behind = Server::start(test_store, "behind").await;
        let clock = ManualClock::new();
        clock.advance(Duration::from_millis(1));
        let next = Server::start_by(test_store, "next", clock).await;
        let of_next = next.write().await.unwrap();
        assert!(of_next > last);
        let holders = "SELECT count(*) FROM id_nodes WHERE (node = 0 AND holder = 'next') \
                       OR (node = 1 AND holder = 'behind')";
        assert_eq!(number(&test_store.url, holders).await, 2);
        for server in [first, behind, next] {
            server.store.database.close().await;
        }
    })
    .await;
}

#[tokio::test]
async fn lease_is_extended_in_time_and_by_the_commit_that_needs_it() {
    on_each_database(async |test_store: &mut TestStore| {
        let server = Server::start(test_store, "server").await;
        let until = "SELECT expires_at FROM id_nodes";
        let begun = number(&test_store.url, until).await;
        server.write().await.unwrap();
        assert_eq!(
            number(&test_store.url, until).await,
            begun,
            "a commit within the lease writes none"
        );
        server.clock.advance(MINUTE);
        server.store.id_nodes.renew_id_node().await.unwrap();
        assert_eq!(number(&test_store.url, until).await, begun + 60_000);
        // As after a night in which the machine slept, with nobody else there.
        server.clock.advance(TWO_HOURS);
        let id = server.write().await.unwrap();
        assert!(number(&test_store.url, until).await > id.created_at().millis());
        assert!(server.ids.is_covered());
        server.store.database.close().await;
    })
    .await;
}

#[tokio::test]
async fn server_whose_number_was_taken_stores_nothing_more() {
    on_each_database(async |test_store: &mut TestStore| {
        let asleep = Server::start(test_store, "asleep").await;
        asleep.write().await.unwrap();
        asleep.clock.advance(TWO_HOURS);
        let clock = ManualClock::new();
        clock.advance(TWO_HOURS);
        let taker = Server::start_by(test_store, "taker", clock).await;
        let taken = taker.write().await.unwrap();
        // The same number, the same moment: the same id.
        assert_eq!(asleep.ids.next::<AuditId>(asleep.clock.now()), taken);
        let refused = asleep.write().await.unwrap_err();
        assert!(matches!(refused, StoreError::IdNodeLost(0)), "{refused}");
        assert!(matches!(
            asleep.store.id_nodes.renew_id_node().await,
            Err(StoreError::IdNodeLost(0))
        ));
        assert!(asleep.write().await.is_err(), "for good");
        taker.write().await.unwrap();
        assert_eq!(lines(test_store).await, 3, "one before, and the taker's two");
        for server in [asleep, taker] {
            server.store.database.close().await;
        }
    })
    .await;
}

#[tokio::test]
async fn database_has_room_for_256_servers() {
    on_each_database(async |test_store: &mut TestStore| {
        let clock = ManualClock::new();
        let mut tx = test_store.store.identity.change_identity().await.unwrap();
        for node in 0..IdGenerator::NODES {
            let sql = "INSERT INTO id_nodes (node, holder, expires_at) VALUES ($1, 'other', $2)";
            let hour = NOW.millis() + 3_600_000;
            tx.execute(sql, &[node.into(), hour.into()]).await.unwrap();
        }
        tx.commit_without_invalidation().await.unwrap();
        let refused = test_store
            .store
            .id_nodes
            .lease_id_node(clock.clone(), "late".to_owned())
            .await;
        assert!(matches!(refused, Err(StoreError::NoIdNode)));
        clock.advance(TWO_HOURS);
        test_store
            .store
            .id_nodes
            .lease_id_node(clock, "later".to_owned())
            .await
            .unwrap();
    })
    .await;
}
