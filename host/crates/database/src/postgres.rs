//! Opens PostgreSQL, and what may be chosen about it.

use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::error::{Result, StoreError};
use crate::pools::Pools;

/// How long a statement waits for a lock, and how long it may run.
const TIMEOUTS: [(&str, &str); 2] = [("lock_timeout", "5s"), ("statement_timeout", "15s")];
/// How long a query waits for a free connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// Default of [`StoreOptions::postgres_connections`].
const POSTGRES_CONNECTIONS: u32 = 16;

/// Options for opening a store.
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

pub(crate) async fn open(url: &str, options: &StoreOptions) -> Result<Pools> {
    let connect: PgConnectOptions = url
        .parse()
        .map_err(|_| StoreError::BadUrl(without_password(url)))?;
    let connect = connect
        .application_name("svc")
        .options(TIMEOUTS)
        .disable_statement_logging();
    let pool = PgPoolOptions::new()
        .max_connections(options.postgres_connections.max(2))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(connect)
        .await?;
    Ok(Pools::Postgres(pool))
}

/// The scheme and host of a URL, for error messages.
pub(crate) fn without_password(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://…@{host}"),
        _ => url.to_owned(),
    }
}
