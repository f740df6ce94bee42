//! The store: the only crate with SQL. SQLite embedded, PostgreSQL by URL, one text per query for both.
//!
//! May use `svc-domain` alone. A query is written once, with `$1` placeholders and what both databases understand;
//! `dialect.rs` holds the few things that they say differently. Every list is ordered by an index. All writes go
//! through `write_queue.rs`: interactive writes come before those of a scan.
//!
//! To add a table: a migration of the next number in both folders of `migrations/`, a module here, and a contract test in
//! `tests/`, which runs on both databases.

mod access_filter;
mod args;
mod audit;
mod bulk;
mod changes;
mod count_cache;
mod counts;
mod db;
mod dialect;
mod directories;
mod error;
mod files;
mod id_nodes;
mod identity;
mod identity_revisions;
mod indexed_file;
mod instance;
mod item_filter;
mod jobs;
mod json_rows;
mod libraries;
mod media;
mod migrations;
mod music;
mod next_up;
mod pages;
mod photo_albums;
mod photo_edits;
mod photos;
mod playback_queues;
mod read_pool;
mod reset;
mod roles;
mod runs;
mod scan_writer;
mod search;
mod sessions;
mod settings;
mod sqlite;
mod stale_files;
mod statement_effect;
mod summaries;
#[cfg(test)]
mod tests;
mod text;
mod tokens;
mod user_items;
mod users;
mod version_counters;
mod video;
mod where_clause;
mod write_queue;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use count_cache::CountCache;
use db::{AsPools, Engine, Pools};
use identity_revisions::IdentityRevisions;
use version_counters::VersionCounters;
use write_queue::{WritePriority, WriteQueue};

pub use audit::AuditFilter;
pub use dialect::SearchIndex;
pub use error::{Result, StoreError};
pub use files::{FileByContent, StaleFile};
pub use id_nodes::RENEW_EVERY as RENEW_ID_NODE_EVERY;
pub use identity::IdentityChange;
pub use indexed_file::IndexedFile;
pub use instance::Instance;
pub use item_filter::ItemFilter;
pub use jobs::{JobFilter, JobItems, KnownFile};
pub use media::{MediaFile, TrackPicture};
pub use music::{
    ArtistFilter, ArtistOrder, GenreOrder, ReleaseFilter, ReleaseOrder, TrackFilter, TrackOrder,
};
pub use photo_albums::{AlbumOrder, NewPhotoAlbum};
pub use photos::{BoundingBox, PhotoFilter, PhotoOrder};
pub use playback_queues::{Place, QueueChange, QueueWindow};
pub use runs::RunLogFilter;
pub use scan_writer::{
    FolderDone, PersistOutcome, PluginVersion, RecomputeOutcome, ScanBatch, ScanWriter, StoredFile, digest_of,
};
pub use search::Hits;
pub use sessions::{PresentedRefresh, Rotation};
pub use settings::ServerSetting;
pub use user_items::UserItemList;
pub use users::{Activity, NewUser};
pub use video::{MovieFilter, MovieOrder, ShowFilter, ShowOrder, SubtitleFile};

/// Connections to PostgreSQL.
const POSTGRES_CONNECTIONS: u32 = 16;
/// How long a statement waits for a lock of another, and how long it may take at all.
const POSTGRES_TIMEOUTS: [(&str, &str); 2] = [("lock_timeout", "5s"), ("statement_timeout", "15s")];
/// How long a request waits for a free connection.
const POSTGRES_ACQUIRE: Duration = Duration::from_secs(10);

/// How to open a store.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Connections to PostgreSQL, at most. SQLite has a fixed number.
    pub postgres_connections: u32,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            postgres_connections: POSTGRES_CONNECTIONS,
        }
    }
}

#[derive(Debug)]
struct Inner {
    pools: Box<dyn AsPools>,
    write_queue: WriteQueue,
    identity_revisions: IdentityRevisions,
    version_counters: Arc<VersionCounters>,
    count_cache: CountCache,
}

/// The open database. Clones share it.
#[derive(Debug, Clone)]
pub struct Store(Arc<Inner>);

/// What a database is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseVersion {
    /// `SQLite` or `PostgreSQL`.
    pub engine: &'static str,
    /// Its version, such as `3.51.3`.
    pub version: String,
}

async fn open_postgres(url: &str, options: &StoreOptions) -> Result<Pools> {
    let connect: PgConnectOptions = url
        .parse()
        .map_err(|_| StoreError::BadUrl(without_password(url)))?;
    let connect = connect
        .application_name("svc")
        .options(POSTGRES_TIMEOUTS)
        .disable_statement_logging();
    let pool = PgPoolOptions::new()
        .max_connections(options.postgres_connections.max(2))
        .acquire_timeout(POSTGRES_ACQUIRE)
        .connect_with(connect)
        .await?;
    Ok(Pools::Postgres(pool))
}

/// The scheme and host of a URL: it may be shown.
fn without_password(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://…@{host}"),
        _ => url.to_owned(),
    }
}

impl Store {
    /// Opens the database at `sqlite:PATH` (made if there is none) or `postgres://…`, and brings its schema up to
    /// date. A database from a newer version, of another program, or that is none, is refused and left as it is.
    pub async fn open(url: &str, options: StoreOptions) -> Result<Self> {
        let pools = if let Some(path) = url.strip_prefix("sqlite:") {
            sqlite::open(PathBuf::from(path.strip_prefix("//").unwrap_or(path))).await?
        } else if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            open_postgres(url, &options).await?
        } else {
            return Err(StoreError::BadUrl(without_password(url)));
        };
        let store = Self(Arc::new(Inner {
            pools: Box::new(pools),
            write_queue: WriteQueue::new(),
            identity_revisions: IdentityRevisions::default(),
            version_counters: Arc::default(),
            count_cache: CountCache::default(),
        }));
        loop {
            let mut tx = store.write(WritePriority::Interactive).await?;
            let applied = migrations::apply_next(&mut tx).await?;
            tx.commit().await?;
            match applied {
                Some(number) => tracing::info!(number, "schema migrated"),
                None => return Ok(store),
            }
        }
    }

    /// Closes all connections; SQLite folds its log into the database. Calls after it fail.
    pub async fn close(&self) {
        self.pools().close().await;
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<()> {
        self.pools()
            .count("SELECT CAST(1 AS BIGINT)", &[])
            .await
            .map(drop)
    }

    /// What the database is.
    pub async fn database_version(&self) -> Result<DatabaseVersion> {
        let (sql, engine) = match self.pools().engine() {
            Engine::Sqlite => ("SELECT sqlite_version()", "SQLite"),
            Engine::Postgres => ("SELECT current_setting('server_version')", "PostgreSQL"),
        };
        let row: Option<(String,)> = self.pools().fetch_optional(sql, &[]).await?;
        let version = row.ok_or(StoreError::InvalidValue("version"))?.0;
        Ok(DatabaseVersion {
            engine,
            // Debian and others add their own words after a space.
            version: version.split(' ').next().unwrap_or_default().to_owned(),
        })
    }

    /// Reads the whole database in search of damage; takes seconds for large ones. PostgreSQL looks after itself.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with the first finding.
    pub async fn check_integrity(&self) -> Result<()> {
        if self.pools().engine() == Engine::Postgres {
            return Ok(());
        }
        let finding: Option<(String,)> = self.pools().fetch_optional("PRAGMA quick_check(1)", &[]).await?;
        match finding {
            Some((text,)) if text != "ok" => Err(StoreError::Corrupt(text)),
            _ => Ok(()),
        }
    }

    fn pools(&self) -> &Pools {
        self.0.pools.as_pools()
    }

    async fn checkpoint(&self) -> Result<()> {
        self.0.write_queue.checkpoint(self.pools()).await
    }
}
