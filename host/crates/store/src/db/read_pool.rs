//! SQLite's connections that read, lent for one query at a time.
//!
//! The pool of sqlx asks a connection that comes back whether it lives, in a task of its own: with a thread for each
//! connection that is two more turns between threads, as many as a small query takes itself. This one asks nothing. A
//! query that is dropped half-way leaves nothing behind: the connection's thread ends it before it begins the next one,
//! and no reader is ever within a transaction.

use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, PoolError, RecycleResult};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use crate::error::{Result, StoreError};

/// Opens readers.
pub(crate) struct ConnectionManager(SqliteConnectOptions);

impl Manager for ConnectionManager {
    type Type = SqliteConnection;
    type Error = sqlx::Error;

    async fn create(&self) -> sqlx::Result<SqliteConnection> {
        self.0.connect().await
    }

    async fn recycle(&self, _: &mut SqliteConnection, _: &Metrics) -> RecycleResult<sqlx::Error> {
        Ok(())
    }
}

/// The readers. They connect when they are first needed.
pub(crate) struct ReadPool(Pool<ConnectionManager>);

/// A connection that is back among the others when this is dropped.
pub(crate) type PooledConnection = Object<ConnectionManager>;

impl std::fmt::Debug for ReadPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Readers").field(&self.0.status()).finish()
    }
}

impl ReadPool {
    /// So many connections at most; who asks for one more waits.
    pub(crate) fn new(options: SqliteConnectOptions, number: usize, patience: Duration) -> Result<Self> {
        let pool = Pool::builder(ConnectionManager(options))
            .max_size(number)
            .wait_timeout(Some(patience))
            .runtime(Runtime::Tokio1)
            .build();
        Ok(Self(pool.map_err(|error| {
            StoreError::Database(sqlx::Error::Configuration(error.into()))
        })?))
    }

    /// A connection, once one is free.
    pub(crate) async fn reader(&self) -> Result<PooledConnection> {
        self.0.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error.into(),
            PoolError::Timeout(_) => sqlx::Error::PoolTimedOut.into(),
            _ => sqlx::Error::PoolClosed.into(),
        })
    }

    /// Closes those that are not lent, and the others when they come back.
    pub(crate) async fn close(&self) {
        let idle = self.0.retain(|_, _| false).removed;
        self.0.close();
        for connection in idle {
            if let Err(error) = connection.close().await {
                tracing::warn!(%error, "a connection to the database could not be closed");
            }
        }
    }
}
