//! Pool of the read connections of SQLite.
//!
//! The pool of sqlx pings a returned connection in a task of its own. With a thread per connection, that costs two
//! more switches between threads, as many as a small query. This pool does not ping. A dropped query leaves nothing
//! behind: the connection's thread finishes it before the next one, and no read connection is ever within a
//! transaction.

use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, PoolError, RecycleResult};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use crate::error::{Result, StoreError};

/// Opens read connections.
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

/// Read connections, opened on first use.
pub struct ReadPool(Pool<ConnectionManager>);

/// A connection that returns to the pool on drop.
pub(crate) type PooledConnection = Object<ConnectionManager>;

impl std::fmt::Debug for ReadPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ReadPool").field(&self.0.status()).finish()
    }
}

impl ReadPool {
    /// At most `number` connections; `patience` limits the wait for one.
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

    /// Waits for a free connection.
    pub(crate) async fn reader(&self) -> Result<PooledConnection> {
        self.0.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error.into(),
            PoolError::Timeout(_) => sqlx::Error::PoolTimedOut.into(),
            _ => sqlx::Error::PoolClosed.into(),
        })
    }

    /// Closes idle connections now, and the others when they return.
    pub(crate) async fn close(&self) {
        let idle = self.0.retain(|_, _| false).removed;
        self.0.close();
        for connection in idle {
            if let Err(error) = connection.close().await {
                tracing::warn!(%error, "database connection could not be closed");
            }
        }
    }
}
