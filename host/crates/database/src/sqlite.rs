//! Opens SQLite: rejects files of other programs, then configures the connections.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqlitePool};

use crate::error::{Result, StoreError};
use crate::migrations;
use crate::pools::Pools;
use crate::read_pool::ReadPool;

/// "svc1": marks a database of svc. The first migration writes it.
const APPLICATION_ID: i64 = 1_937_138_481;
/// The first version whose write-ahead log cannot lose a checkpoint.
const OLDEST_SQLITE: (u32, u32, u32) = (3, 51, 3);
/// How long a connection waits for a lock of another program.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Read connections: enough for lists during a scan; each costs a thread and a page cache.
const READERS: usize = 4;
/// How long a query waits for a free connection.
const PATIENCE: Duration = Duration::from_secs(30);
/// Page cache of the write connection in KiB: the upper levels of the indexes of 100,000 tracks.
const WRITER_CACHE_KIB: i64 = 8192;
/// Page cache of a read connection in KiB; the page cache of the system is behind it.
const READER_CACHE_KIB: i64 = 2048;
/// Cached statements of the write connection: statements over many rows come in several sizes.
const WRITER_STATEMENTS: usize = 160;
/// Cached statements of a read connection.
const READER_STATEMENTS: usize = 48;
/// Rows buffered between the thread of a connection and the caller, for queries that return single rows.
const ROW_BUFFER: usize = 1024;
/// Pages of the write-ahead log that trigger a checkpoint. The transactions of a scan change the same upper index
/// pages repeatedly: with the default of 1000, checkpoints took a fifth of the time of storing 100,000 tracks.
const CHECKPOINT_PAGES: u32 = 8192;
/// Size in bytes to which the log is truncated.
const LOG_LIMIT: i64 = 64 << 20;
/// First bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

fn open_error(path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
    move |source| StoreError::Open {
        path: path.to_owned(),
        source,
    }
}

/// Creates an empty file that only its owner can read, unless it exists; returns whether it has content.
fn prepare_file(path: &Path) -> Result<bool> {
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Ok(_) => return Ok(false),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(open_error(path)(error)),
    }
    let mut head = Vec::with_capacity(MAGIC.len());
    let file = File::open(path).map_err(open_error(path))?;
    file.take(MAGIC.len() as u64)
        .read_to_end(&mut head)
        .map_err(open_error(path))?;
    if head.is_empty() {
        return Ok(false);
    }
    if head == MAGIC {
        Ok(true)
    } else {
        Err(StoreError::NotADatabase(path.to_owned()))
    }
}

fn common(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .pragma("trusted_schema", "OFF")
        .pragma("cell_size_check", "ON")
        .pragma("mmap_size", "0")
        .pragma("temp_store", "MEMORY")
        .disable_statement_logging()
}

/// Checks an existing database through a read-only connection.
async fn check_existing(path: &Path) -> Result<()> {
    let mut probe = common(path).read_only(true).connect().await?;
    let (application_id,): (i64,) = sqlx::query_as("PRAGMA application_id")
        .fetch_one(&mut probe)
        .await?;
    let (version,): (i64,) = sqlx::query_as("PRAGMA user_version")
        .fetch_one(&mut probe)
        .await?;
    let (tables,): (i64,) = sqlx::query_as("SELECT count(*) FROM sqlite_schema")
        .fetch_one(&mut probe)
        .await?;
    probe.close().await?;
    if application_id != APPLICATION_ID && (application_id != 0 || tables > 0) {
        return Err(StoreError::ForeignDatabase {
            path: path.to_owned(),
            application_id,
        });
    }
    migrations::check_not_newer(version)
}

fn version_of(text: &str) -> (u32, u32, u32) {
    let mut parts = text.split('.').map(|part| part.parse().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    (next(), next(), next())
}

async fn check_library(writer: &SqlitePool) -> Result<()> {
    let (version,): (String,) = sqlx::query_as("SELECT sqlite_version()")
        .fetch_one(writer)
        .await?;
    if version_of(&version) < OLDEST_SQLITE {
        Err(StoreError::OldSqlite(version))
    } else {
        Ok(())
    }
}

/// Opens the database in the file `path`; creates it if absent.
pub(crate) async fn open(path: PathBuf) -> Result<Pools> {
    if prepare_file(&path)? {
        check_existing(&path).await?;
    }
    let write_options = common(&path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("cache_size", format!("-{WRITER_CACHE_KIB}"))
        .pragma("journal_size_limit", LOG_LIMIT.to_string())
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES.to_string())
        .statement_cache_capacity(WRITER_STATEMENTS)
        .thread_name(|_| "svc-db-writer".to_owned());
    // On a full disk SQLite rolls back by itself. The driver still counts an open transaction that it cannot end, and
    // would begin no other on this connection, so the pool replaces it. The new one starts with full durability,
    // which the write queue assumes at least.
    let writer = SqlitePoolOptions::new()
        .test_before_acquire(false)
        .before_acquire(|connection, _| Box::pin(async move { Ok(!connection.is_in_transaction()) }))
        .idle_timeout(None)
        .max_lifetime(None)
        .acquire_timeout(PATIENCE)
        .max_connections(1)
        .connect_with(write_options)
        .await?;
    check_library(&writer).await?;
    let read_options = common(&path)
        .read_only(true)
        .pragma("query_only", "ON")
        .pragma("cache_size", format!("-{READER_CACHE_KIB}"))
        .statement_cache_capacity(READER_STATEMENTS)
        .row_buffer_size(ROW_BUFFER)
        .thread_name(|number| format!("svc-db-{number}"));
    let read_pool = ReadPool::new(read_options, READERS, PATIENCE)?;
    Ok(Pools::Sqlite { read_pool, writer })
}
