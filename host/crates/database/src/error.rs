//! Errors of the database, by what the caller can do about them.

use std::path::PathBuf;

/// An error of the store. The texts are for the log, never for a client.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database URL has an unknown scheme.
    #[error("`{0}` is not a database URL: expected sqlite:PATH or postgres://…")]
    BadUrl(String),
    /// The database file could not be created or opened.
    #[error("cannot open the database {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The file is not an SQLite database.
    #[error("{} is not an SQLite database; nothing was changed", .0.display())]
    NotADatabase(PathBuf),
    /// The file is an SQLite database of another program.
    #[error("{} is a database of another program (application id {application_id:#x}); nothing was changed", path.display())]
    ForeignDatabase {
        /// The file.
        path: PathBuf,
        /// Application id in the file.
        application_id: i64,
    },
    /// The database was written by a newer version of the server.
    #[error(
        "the database has schema {found}, this version of svc knows up to {known}; \
         use a newer svc, nothing was changed"
    )]
    NewerSchema {
        /// Schema number of the database.
        found: i64,
        /// Highest schema number of this program.
        known: i64,
    },
    /// The linked SQLite has known defects.
    #[error("SQLite {0} is too old; at least 3.51.3 is needed")]
    OldSqlite(String),
    /// The database is damaged.
    #[error("the database is damaged: {0}; restore a backup")]
    Corrupt(String),
    /// The database does not respond, or another program holds its lock. Retry later.
    #[error("the database is not available: {0}")]
    Unavailable(#[source] sqlx::Error),
    /// No disk space is left.
    #[error("no space is left for the database: {0}")]
    Full(#[source] sqlx::Error),
    /// The row exists already.
    #[error("{0} exists already")]
    Conflict(&'static str),
    /// The cursor belongs to another list or order.
    #[error("the cursor is one of another list")]
    ForeignCursor,
    /// All id nodes are leased.
    #[error(
        "no free id node: a database supports 256 servers, and the lease of a crashed server expires after five minutes"
    )]
    NoIdNode,
    /// The lease of this server expired and another server took over its id node: new rows might have the same ids as
    /// its rows.
    #[error("another server took over the id node {0}; restart this server")]
    IdNodeLost(u8),
    /// A stored value is invalid.
    #[error("the database holds an invalid {0}")]
    InvalidValue(&'static str),
    /// Any other database error.
    #[error("database error: {0}")]
    Database(#[source] sqlx::Error),
}

/// SQLite's primary result codes.
mod sqlite_code {
    pub(crate) const BUSY: i64 = 5;
    pub(crate) const LOCKED: i64 = 6;
    pub(crate) const CORRUPT: i64 = 11;
    pub(crate) const FULL: i64 = 13;
    pub(crate) const CANTOPEN: i64 = 14;
    pub(crate) const NOT_A_DATABASE: i64 = 26;
}

fn from_sqlite(code: i64, error: sqlx::Error) -> StoreError {
    // The lower byte is the primary code.
    match code & 0xff {
        sqlite_code::BUSY | sqlite_code::LOCKED | sqlite_code::CANTOPEN => StoreError::Unavailable(error),
        sqlite_code::CORRUPT | sqlite_code::NOT_A_DATABASE => StoreError::Corrupt(error.to_string()),
        sqlite_code::FULL => StoreError::Full(error),
        _ => StoreError::Database(error),
    }
}

fn from_postgres(code: &str, error: sqlx::Error) -> StoreError {
    match code {
        "53100" => StoreError::Full(error),
        // lock timeout, statement timeout, deadlock, serialization, read-only standby
        "55P03" | "57014" | "40P01" | "40001" | "25006" => StoreError::Unavailable(error),
        "XX001" | "XX002" => StoreError::Corrupt(error.to_string()),
        // connection failure, insufficient resources, shutdown
        _ if code.starts_with("08") || code.starts_with("53") || code.starts_with("57P") => {
            StoreError::Unavailable(error)
        }
        _ => StoreError::Database(error),
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(database) => {
                let sqlite = database.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some();
                let code = database.code().unwrap_or_default().into_owned();
                match code.parse() {
                    Ok(number) if sqlite => from_sqlite(number, error),
                    _ => from_postgres(&code, error),
                }
            }
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::Unavailable(error),
            _ => Self::Database(error),
        }
    }
}

/// Result of a store call.
pub type Result<T> = std::result::Result<T, StoreError>;
