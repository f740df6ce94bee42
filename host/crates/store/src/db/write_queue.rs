//! Who may write, and when: two lanes onto the one writing connection of SQLite.
//!
//! What a user waits for goes first. A scan takes its turn per transaction, keeps it for some tens of milliseconds,
//! and gives way when somebody on the interactive lane is waiting. PostgreSQL orders its writers by itself, but for
//! those that decide by what they have read.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use sqlx::Connection as _;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::db::dialect;
use crate::db::dialect::Durability;
use crate::db::version_counters::Invalidation;
use crate::db::{Boxed, Pools, Tx};
use crate::error::Result;
use crate::id_nodes::IdNode;

/// Why somebody writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WritePriority {
    /// A promise to a user: first in line, on disk before it is confirmed.
    Interactive,
    /// Rows that the next scan could make again: may be lost in a power cut, never half written.
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

/// The queue for the writing connection.
#[derive(Debug)]
pub(crate) struct WriteQueue {
    /// Held while a transaction is open; remembers how the connection is set.
    turn: Arc<Mutex<Durability>>,
    interactive_waiting: AtomicUsize,
    /// What every commit holds, once it is leased.
    id_node: OnceLock<Arc<IdNode>>,
}

/// Counts a waiter for as long as it waits, also when its request is given up.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl WriteQueue {
    pub(crate) fn new() -> Self {
        // A new connection starts with full durability.
        Self {
            turn: Arc::new(Mutex::new(Durability::Full)),
            interactive_waiting: AtomicUsize::new(0),
            id_node: OnceLock::new(),
        }
    }

    /// From now on each commit holds this number. A store has one for as long as it is open.
    pub(crate) fn hold(&self, node: IdNode) {
        self.id_node.get_or_init(|| Arc::new(node));
    }

    pub(crate) fn id_node(&self) -> Option<Arc<IdNode>> {
        self.id_node.get().cloned()
    }

    /// How many wait for their turn with what a user waits for.
    pub(crate) fn waiting(&self) -> usize {
        self.interactive_waiting.load(Ordering::SeqCst)
    }

    async fn turn(&self, priority: WritePriority) -> OwnedMutexGuard<Durability> {
        match priority {
            WritePriority::Interactive => {
                let _waiting = Waiting::new(&self.interactive_waiting);
                Arc::clone(&self.turn).lock_owned().await
            }
            WritePriority::Scan => loop {
                let turn = Arc::clone(&self.turn).lock_owned().await;
                if self.interactive_waiting.load(Ordering::SeqCst) == 0 {
                    return turn;
                }
                // The mutex is fair: whoever waits gets it before this loop asks again.
                drop(turn);
                tokio::task::yield_now().await;
            },
        }
    }

    /// After a scan: leaves a short log behind, and frees the memory of pages and statements over many rows.
    pub(crate) async fn checkpoint(&self, pools: &Pools) -> Result<()> {
        if let Pools::Sqlite { writer, .. } = pools {
            let _turn = self.turn(WritePriority::Scan).await;
            let mut writer = writer.acquire().await?;
            sqlx::query(dialect::CHECKPOINT).execute(&mut *writer).await?;
            writer.clear_cached_statements().await?;
            sqlx::query(dialect::FREE_CACHE).execute(&mut *writer).await?;
        }
        Ok(())
    }

    /// After much was deleted: a smaller file.
    pub(crate) async fn shrink(&self, pools: &Pools) -> Result<()> {
        if let Pools::Sqlite { writer, .. } = pools {
            let _turn = self.turn(WritePriority::Scan).await;
            sqlx::query(dialect::VACUUM).execute(writer).await?;
        }
        Ok(())
    }

    /// Waits for its turn and opens a transaction that holds the write lock from its start.
    pub(crate) fn begin<'a>(&'a self, pools: &'a Pools, priority: WritePriority) -> Boxed<'a, WriteTx> {
        Box::pin(self.begin_in_turn(pools, priority))
    }

    async fn begin_in_turn(&self, pools: &Pools, priority: WritePriority) -> Result<WriteTx> {
        match pools {
            Pools::Sqlite { writer, .. } => {
                let mut turn = self.turn(priority).await;
                if *turn != priority.durability() {
                    sqlx::query(dialect::set_durability(priority.durability()))
                        .execute(writer)
                        .await?;
                    *turn = priority.durability();
                }
                // Taking the lock at once: a transaction that starts by reading could not wait for it later.
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

    /// As [`WriteQueue::begin`] on the interactive lane, and alone: no other transaction that was begun like this runs at
    /// the same time, here or in another process. What it has read stays true until its end.
    pub(crate) async fn begin_alone(&self, pools: &Pools) -> Result<WriteTx> {
        match pools {
            Pools::Sqlite { .. } => self.begin(pools, WritePriority::Interactive).await,
            Pools::Postgres(_) => {
                // In line here first: whoever waits holds no connection.
                let turn = self.turn(WritePriority::Interactive).await;
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

/// A transaction and the turn that belongs to it. Dropped without `commit`, nothing of it remains.
#[derive(Debug)]
pub(crate) struct WriteTx {
    // In this order: the rollback is on its way before the next in line gets the turn.
    tx: Tx,
    invalidation: Invalidation,
    id_node: Option<Arc<IdNode>>,
    _turn: Option<OwnedMutexGuard<Durability>>,
}

impl WriteTx {
    /// As it is, but raising these numbers with its commit.
    pub(crate) fn invalidating(self, invalidation: Invalidation) -> Self {
        Self { invalidation, ..self }
    }

    /// Makes it last, if the ids in it are this server's alone. Where nothing changed, nothing is written, and no number
    /// rises.
    pub(crate) async fn commit(mut self) -> Result<()> {
        let has_changed = self.tx.has_changed();
        let mut extended = None;
        if let Some(node) = self.id_node.as_ref().filter(|_| has_changed) {
            extended = node.cover(&mut self.tx).await?;
        }
        let committed = self.tx.commit().await;
        if let (Ok(()), Some(node), Some(until)) = (&committed, &self.id_node, extended) {
            node.extended(until);
        }
        // Also after an error: it may have been committed all the same.
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
