//! Opens the database file, and writes to it in transactions.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Sqlite, SqlitePool, Transaction};

use crate::error::{Error, Result};

/// How long a connection waits for a lock: of another request, or of the command line.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections; requests beyond them wait.
const CONNECTIONS: u32 = 4;
/// Version of `schema.sql`, in the file's `user_version`.
const SCHEMA_VERSION: i64 = 1;

/// The database file.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    pool: SqlitePool,
}

impl Database {
    /// Opens the file, which only its owner can read, and creates it if it is absent.
    ///
    /// # Errors
    /// The file cannot be opened, or a newer version of this program wrote it.
    pub(crate) async fn open(path: &Path) -> Result<Self> {
        let created = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path);
        drop(created?);
        let options = SqliteConnectOptions::new()
            .filename(path)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .pragma("trusted_schema", "OFF")
            .disable_statement_logging();
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS)
            .connect_with(options)
            .await?;
        let database = Self { pool };
        database.prepare().await?;
        Ok(database)
    }

    async fn prepare(&self) -> Result<()> {
        let mut tx = self.write().await?;
        let version: i64 = sqlx::query_scalar("PRAGMA user_version")
            .fetch_one(&mut *tx)
            .await?;
        match version {
            0 => {
                sqlx::raw_sql(include_str!("schema.sql"))
                    .execute(&mut *tx)
                    .await?;
                sqlx::raw_sql("PRAGMA user_version = 1").execute(&mut *tx).await?;
            }
            SCHEMA_VERSION => {}
            newer => return Err(Error::Stored(format!("version {newer} of the schema is unknown"))),
        }
        Ok(tx.commit().await?)
    }

    /// Connections for single statements.
    pub(crate) fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    /// A transaction that alone may write until it ends.
    pub(crate) async fn write(&self) -> Result<Transaction<'static, Sqlite>> {
        Ok(self.pool.begin_with("BEGIN IMMEDIATE").await?)
    }
}
