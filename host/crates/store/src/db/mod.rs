//! The handle under all repositories: the connections with their write queue, caches and version counters.
//!
//! A repository reads through [`Database::pools`] and writes in a transaction from [`Database::write`],
//! [`Database::write_for`] or [`Database::write_record`]. Which of the three decides which cached responses its commit
//! invalidates.

mod count_cache;
mod maintenance;
pub(crate) mod search_index;

use std::sync::Arc;

use sqlx::AssertSqlSafe;

use count_cache::CountCache;
use svc_database::args::Arg;
use svc_database::identity_revisions::IdentityRevisions;
use svc_database::version_counters::{Invalidation, VersionCounters};
use svc_database::write_queue::{WritePriority, WriteQueue, WriteTx};
use svc_database::{Pools, Result, StoreOptions, migrations};
use svc_domain::erased::Erased;
use svc_domain::id::UserId;
use svc_domain::kind::CachePartition;

pub use maintenance::DatabaseVersion;

#[derive(Debug)]
struct Inner {
    pools: Erased<Pools>,
    write_queue: WriteQueue,
    identity_revisions: IdentityRevisions,
    version_counters: Arc<VersionCounters>,
    count_cache: CountCache,
}

/// The open database. Clones share it.
#[derive(Debug, Clone)]
pub struct Database(Arc<Inner>);

impl Database {
    /// Opens the database and applies the migrations that it lacks.
    pub(crate) async fn open(url: &str, options: &StoreOptions) -> Result<Self> {
        let pools = svc_database::open(url, options).await?;
        let database = Self(Arc::new(Inner {
            pools: Erased::new(pools),
            write_queue: WriteQueue::default(),
            identity_revisions: IdentityRevisions::default(),
            version_counters: Arc::default(),
            count_cache: CountCache::default(),
        }));
        loop {
            let mut tx = database.write(WritePriority::Interactive).await?;
            let applied = migrations::apply_next(&mut tx).await?;
            tx.commit().await?;
            match applied {
                Some(number) => tracing::info!(number, "schema migrated"),
                None => return Ok(database),
            }
        }
    }

    /// Closes all connections; SQLite copies its write-ahead log into the database. Later calls fail.
    pub async fn close(&self) {
        self.pools().close().await;
    }

    pub(crate) fn pools(&self) -> &Pools {
        &self.0.pools
    }

    pub(crate) fn write_queue(&self) -> &WriteQueue {
        &self.0.write_queue
    }

    pub(crate) fn identity_revisions(&self) -> &IdentityRevisions {
        &self.0.identity_revisions
    }

    pub(crate) fn version_counters(&self) -> &Arc<VersionCounters> {
        &self.0.version_counters
    }

    /// Opens a transaction that changes media.
    pub(crate) async fn write(&self, priority: WritePriority) -> Result<WriteTx> {
        let tx = self.0.write_queue.begin(self.pools(), priority).await?;
        Ok(tx.invalidating(Invalidation::Media(Arc::clone(&self.0.version_counters), None)))
    }

    /// The invalidation of a scan batch in this partition, or in several.
    pub(crate) fn invalidated_by_batch(&self, part: Option<CachePartition>) -> Invalidation {
        Invalidation::Media(Arc::clone(&self.0.version_counters), part)
    }

    /// Opens a transaction that changes the data of one user.
    pub(crate) async fn write_for(&self, user: UserId) -> Result<WriteTx> {
        let tx = self
            .0
            .write_queue
            .begin(self.pools(), WritePriority::Interactive)
            .await?;
        Ok(tx.invalidating(Invalidation::Personal(Arc::clone(&self.0.version_counters), user)))
    }

    /// Opens a transaction over data that no cached response depends on: runs, times of last use, the audit log.
    pub(crate) async fn write_record(&self, priority: WritePriority) -> Result<WriteTx> {
        self.0.write_queue.begin(self.pools(), priority).await
    }

    /// The count of a query, cached until data changes.
    pub(crate) async fn cached_count(&self, sql: AssertSqlSafe<String>, values: &[Arg<'_>]) -> Result<u64> {
        let state = (
            self.version_counters().media(None),
            self.identity_revisions().of_all(),
        );
        let list = format!("{}{values:?}", sql.0);
        if let Some(total) = self.0.count_cache.get(state, &list) {
            return Ok(total);
        }
        let total = self.pools().count(sql, values).await?;
        self.0.count_cache.put(state, list, total);
        Ok(total)
    }
}
