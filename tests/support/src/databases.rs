//! Temporary SQLite and PostgreSQL databases for tests, and queries on them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, SqliteConnection};

use crate::skipped;

/// The PostgreSQL server for tests, if there is one.
#[expect(
    clippy::disallowed_methods,
    reason = "tests have no configuration; xtask tells them by the environment"
)]
pub fn postgres_url() -> Option<String> {
    let url = std::env::var("SVC_TEST_POSTGRES_URL")
        .ok()
        .filter(|url| !url.is_empty());
    if url.is_none() {
        skipped("PostgreSQL: SVC_TEST_POSTGRES_URL is not set (cargo xtask test sets it)");
    }
    url
}

/// An SQLite database in a directory of the test's own.
pub fn sqlite_url(dir: &tempfile::TempDir) -> String {
    format!("sqlite:{}", dir.path().join("svc.db").display())
}

/// A temporary schema on the PostgreSQL server.
pub struct Schema {
    name: String,
    server: String,
    /// The database URL with this schema.
    pub url: String,
}

impl Schema {
    pub async fn create(server: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("svc_{}_{number}", std::process::id());
        run(server, format!("CREATE SCHEMA {name}")).await;
        let joint = if server.contains('?') { '&' } else { '?' };
        Self {
            url: format!("{server}{joint}options[search_path]={name}"),
            server: server.to_owned(),
            name,
        }
    }

    pub async fn drop(self) {
        run(&self.server, format!("DROP SCHEMA {} CASCADE", self.name)).await;
    }
}

async fn run(url: &str, sql: String) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

/// The result of a query for one number, on a connection of its own.
pub async fn number(url: &str, sql: &str) -> i64 {
    match url.strip_prefix("sqlite:") {
        Some(path) => {
            let options = SqliteConnectOptions::new().filename(path);
            let mut connection = options.connect().await.unwrap();
            let found = sqlx::query_scalar(AssertSqlSafe(sql.to_owned()));
            let found = found.fetch_one(&mut connection).await.unwrap();
            connection.close().await.unwrap();
            found
        }
        None => {
            let mut connection = PgConnection::connect(url).await.unwrap();
            let found = sqlx::query_scalar(AssertSqlSafe(sql.to_owned()));
            let found = found.fetch_one(&mut connection).await.unwrap();
            connection.close().await.unwrap();
            found
        }
    }
}

/// The rows of a query on PostgreSQL, as texts in alphabetical order.
pub async fn postgres_rows(url: &str, sql: &str) -> Vec<String> {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let sql = format!("SELECT t::text FROM ({sql}) t ORDER BY 1");
    let found = sqlx::query_scalar(AssertSqlSafe(sql));
    let found = found.fetch_all(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    found
}

/// All rows of all tables but those of search indexes, as texts in a fixed order.
pub async fn rows(url: &str) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    if let Some(path) = url.strip_prefix("sqlite:") {
        let mut connection = SqliteConnectOptions::new()
            .filename(path)
            .connect()
            .await
            .unwrap();
        let tables = "SELECT name, (SELECT group_concat('quote(\"' || c.name || '\")', '||'',''||') \
                      FROM pragma_table_info(l.name) c) FROM pragma_table_list l \
                      WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'";
        let tables: Vec<(String, String)> = sqlx::query_as(tables).fetch_all(&mut connection).await.unwrap();
        for (table, columns) in tables {
            let sql = format!("SELECT {columns} FROM \"{table}\" ORDER BY 1");
            let found = sqlx::query_scalar(AssertSqlSafe(sql));
            all.insert(table, found.fetch_all(&mut connection).await.unwrap());
        }
        connection.close().await.unwrap();
    } else {
        let mut connection = PgConnection::connect(url).await.unwrap();
        let tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()";
        let tables: Vec<String> = sqlx::query_scalar(tables)
            .fetch_all(&mut connection)
            .await
            .unwrap();
        for table in tables {
            let sql = format!("SELECT t::text FROM \"{table}\" t ORDER BY 1");
            let found = sqlx::query_scalar(AssertSqlSafe(sql));
            all.insert(table, found.fetch_all(&mut connection).await.unwrap());
        }
        connection.close().await.unwrap();
    }
    all
}

/// Detects commits: in SQLite any, in PostgreSQL those that change the server's row.
pub enum Versions {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Versions {
    pub async fn of(url: &str) -> Self {
        match url.strip_prefix("sqlite:") {
            Some(path) => {
                let options = SqliteConnectOptions::new().filename(path);
                Self::Sqlite(options.connect().await.unwrap())
            }
            None => Self::Postgres(PgConnection::connect(url).await.unwrap()),
        }
    }

    pub async fn now(&mut self) -> i64 {
        match self {
            Self::Sqlite(connection) => sqlx::query_scalar("PRAGMA data_version")
                .fetch_one(connection)
                .await
                .unwrap(),
            Self::Postgres(connection) => sqlx::query_scalar("SELECT xmin::text::bigint FROM server")
                .fetch_one(connection)
                .await
                .unwrap(),
        }
    }

    pub async fn close(self) {
        match self {
            Self::Sqlite(connection) => connection.close().await.unwrap(),
            Self::Postgres(connection) => connection.close().await.unwrap(),
        }
    }
}
