//! Queue for the one write connection of SQLite, with two priorities.
//!
//! Interactive writes come first. A scan holds the connection for one transaction of some tens of milliseconds and
//! yields if an interactive write waits. PostgreSQL orders its writers itself, except transactions that depend on
//! what they read.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use sqlx::Connection as _;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::dialect;
use crate::dialect::Durability;
use crate::error::Result;
use crate::id_node::IdNode;
use crate::pools::{BoxedQuery, Pools};
use crate::transaction::Tx;
use crate::version_counters::Invalidation;

/// Priority of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WritePriority {
    /// Requested by a user: first in line, on disk before the commit returns.
    Interactive,
    /// Rows of a scan, which the next scan could write again: a power cut may lose them, but never leaves half a
    /// transaction.
    Scan,
}

impl WritePriority {
    fn durability(self) -> Durability {
        match self {
            Self::Interactive => Durability::Full,
            Self::Scan => Durability::Normal,
        }
    }
}

/// Queue for the write connection.
#[derive(Debug)]
pub struct WriteQueue {
    /// Held while a transaction is open; stores the durability of the connection.
    turn: Arc<Mutex<Durability>>,
    interactive_waiting: AtomicUsize,
    /// Checked by every commit, once leased.
    id_node: OnceLock<Arc<IdNode>>,
}

/// Counts a waiting write; a cancelled request decrements the count as well.
struct WaitingCount<'a>(&'a AtomicUsize);

impl<'a> WaitingCount<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for WaitingCount<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Default for WriteQueue {
    fn default() -> Self {
        // A new connection starts with full durability.
        Self {
            turn: Arc::new(Mutex::new(Durability::Full)),
            interactive_waiting: AtomicUsize::new(0),
            id_node: OnceLock::new(),
        }
    }
}

impl WriteQueue {
    /// Every later commit checks this id node. A database has at most one per process.
    pub fn set_id_node(&self, node: IdNode) {
        self.id_node.get_or_init(|| Arc::new(node));
    }

    /// The id node that this server holds.
    pub fn id_node(&self) -> Option<Arc<IdNode>> {
        self.id_node.get().cloned()
    }

    /// Number of interactive writes that wait.
    pub fn waiting(&self) -> usize {
        self.interactive_waiting.load(Ordering::SeqCst)
    }

    async fn acquire(&self, priority: WritePriority) -> OwnedMutexGuard<Durability> {
        match priority {
            WritePriority::Interactive => {
                let _waiting = WaitingCount::new(&self.interactive_waiting);
                Arc::clone(&self.turn).lock_owned().await
            }
            WritePriority::Scan => loop {
                let turn = Arc::clone(&self.turn).lock_owned().await;
                if self.interactive_waiting.load(Ordering::SeqCst) == 0 {
                    return turn;
                }
                // The mutex is fair: a waiting write gets it before this loop locks it again.
                drop(turn);
                tokio::task::yield_now().await;
            },
        }
    }

    /// After a scan: shortens the log, and frees cached pages and statements.
    pub async fn checkpoint(&self, pools: &Pools) -> Result<()> {
        if let Pools::Sqlite { writer, .. } = pools {
            let _turn = self.acquire(WritePriority::Scan).await;
            let mut writer = writer.acquire().await?;
            sqlx::query(dialect::CHECKPOINT).execute(&mut *writer).await?;
            writer.clear_cached_statements().await?;
            sqlx::query(dialect::FREE_CACHE).execute(&mut *writer).await?;
        }
        Ok(())
    }

    /// After large deletions: shrinks the file.
    pub async fn shrink(&self, pools: &Pools) -> Result<()> {
        if let Pools::Sqlite { writer, .. } = pools {
            let _turn = self.acquire(WritePriority::Scan).await;
            sqlx::query(dialect::VACUUM).execute(writer).await?;
        }
        Ok(())
    }

    /// Waits in the queue and opens a transaction that holds the write lock from its start.
    pub fn begin<'a>(&'a self, pools: &'a Pools, priority: WritePriority) -> BoxedQuery<'a, WriteTx> {
        Box::pin(self.begin_in_turn(pools, priority))
    }

    async fn begin_in_turn(&self, pools: &Pools, priority: WritePriority) -> Result<WriteTx> {
        match pools {
            Pools::Sqlite { writer, .. } => {
                let mut turn = self.acquire(priority).await;
                if *turn != priority.durability() {
                    sqlx::query(dialect::set_durability(priority.durability()))
                        .execute(writer)
                        .await?;
                    *turn = priority.durability();
                }
                // The lock is taken at once: a transaction that starts by reading could not wait for it later.
                let tx = Tx::from(writer.begin_with("BEGIN IMMEDIATE").await?);
                Ok(WriteTx {
                    tx,
                    invalidation: Invalidation::Nothing,
                    id_node: self.id_node(),
                    _turn: Some(turn),
                })
            }
            Pools::Postgres(pool) => {
                let mut tx = Tx::from(pool.begin().await?);
                if priority == WritePriority::Scan {
                    tx.execute("SET LOCAL synchronous_commit = off", &[]).await?;
                }
                Ok(WriteTx {
                    tx,
                    invalidation: Invalidation::Nothing,
                    id_node: self.id_node(),
                    _turn: None,
                })
            }
        }
    }

    /// [`WriteQueue::begin`] with interactive priority, exclusively: no other exclusive transaction runs at the same
    /// time, here or in another process. Data that it has read stays valid until its end.
    pub async fn begin_alone(&self, pools: &Pools) -> Result<WriteTx> {
        match pools {
            Pools::Sqlite { .. } => self.begin(pools, WritePriority::Interactive).await,
            Pools::Postgres(_) => {
                // Waits here first, without a connection.
                let turn = self.acquire(WritePriority::Interactive).await;
                let mut begun = self.begin(pools, WritePriority::Interactive).await?;
                begun.execute(dialect::LOCK_IDENTITY, &[]).await?;
                Ok(WriteTx {
                    _turn: Some(turn),
                    ..begun
                })
            }
        }
    }
}

/// A transaction with its place in the queue. Dropping it without `commit` rolls back.
#[derive(Debug)]
pub struct WriteTx {
    // Field order: the rollback starts before the next write gets the lock.
    tx: Tx,
    invalidation: Invalidation,
    id_node: Option<Arc<IdNode>>,
    _turn: Option<OwnedMutexGuard<Durability>>,
}

impl WriteTx {
    /// Sets the counters that the commit raises.
    pub fn invalidating(self, invalidation: Invalidation) -> Self {
        Self { invalidation, ..self }
    }

    /// Commits if the id node is still leased. A transaction without changes writes nothing and raises no counter.
    pub async fn commit(mut self) -> Result<()> {
        let has_changed = self.tx.has_changed();
        let mut extended = None;
        if let Some(node) = self.id_node.as_ref().filter(|_| has_changed) {
            extended = node.ensure_lease(&mut self.tx).await?;
        }
        let committed = self.tx.commit().await;
        if let (Ok(()), Some(node), Some(until)) = (&committed, &self.id_node, extended) {
            node.extended(until);
        }
        // Also after an error: the commit may have succeeded.
        if has_changed {
            self.invalidation.apply();
        }
        committed
    }
}

impl Deref for WriteTx {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        &self.tx
    }
}

impl DerefMut for WriteTx {
    fn deref_mut(&mut self) -> &mut Tx {
        &mut self.tx
    }
}
