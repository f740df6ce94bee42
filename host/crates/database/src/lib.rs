//! Connections to SQLite and PostgreSQL under the store: pools, transactions, the write queue, migrations, version counters,
//! and the two SQL dialects.
//!
//! May use `svc-domain` alone; only `svc-store` uses it. To add a migration: a file of the next number in both folders of
//! `migrations/`, and a line in `migrations.rs`.

pub mod args;
pub mod bulk;
pub mod dialect;
mod error;
pub mod id_node;
pub mod identity_revisions;
pub mod json_rows;
pub mod migrations;
pub mod pools;
mod postgres;
mod read_pool;
mod record;
mod sqlite;
mod statement_effect;
pub mod transaction;
pub mod version_counters;
pub mod write_queue;

use std::path::PathBuf;

pub use error::{Result, StoreError};
pub use pools::{Engine, Pools};
pub use postgres::StoreOptions;
pub use record::Record;
pub use transaction::Tx;

/// Opens the connections to a database. Its schema is as it was.
///
/// # Errors
/// The URL is not one of a database, or the database cannot be used.
pub async fn open(url: &str, options: &StoreOptions) -> Result<Pools> {
    if let Some(path) = url.strip_prefix("sqlite:") {
        sqlite::open(PathBuf::from(path.strip_prefix("//").unwrap_or(path))).await
    } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        postgres::open(url, options).await
    } else {
        Err(StoreError::BadUrl(postgres::without_password(url)))
    }
}
