//! Maintenance of the database as a whole: version, integrity check, copies, free space.

use std::path::{Path, PathBuf};

use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

use super::Database;
use svc_database::{Engine, Pools, Result, StoreError};

/// The command for the tables of this server alone: others may share the database.
const ANALYZE_TABLES: &str = "SELECT 'ANALYZE ' || string_agg(format('%I', relname), ', ') \
    FROM pg_stat_user_tables WHERE schemaname = current_schema()";

/// The database engine and its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseVersion {
    /// `SQLite` or `PostgreSQL`.
    pub engine: &'static str,
    /// Such as `3.51.3`.
    pub version: String,
}

impl Database {
    /// Whether the database responds to a query.
    pub async fn ping(&self) -> Result<()> {
        self.pools()
            .count("SELECT CAST(1 AS BIGINT)", &[])
            .await
            .map(drop)
    }

    /// Engine and version of the database.
    pub async fn database_version(&self) -> Result<DatabaseVersion> {
        let (sql, engine) = match self.pools().engine() {
            Engine::Sqlite => ("SELECT sqlite_version()", "SQLite"),
            Engine::Postgres => ("SELECT current_setting('server_version')", "PostgreSQL"),
        };
        let row: Option<(String,)> = self.pools().fetch_optional(sql, &[]).await?;
        let version = row.ok_or(StoreError::InvalidValue("version"))?.0;
        Ok(DatabaseVersion {
            engine,
            // Debian and others append their package version after a space.
            version: version.split(' ').next().unwrap_or_default().to_owned(),
        })
    }

    /// Checks the whole SQLite database for damage; takes seconds for large ones. PostgreSQL checks its pages itself.
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

    /// Copies SQLite's write-ahead log into the database.
    pub async fn checkpoint(&self) -> Result<()> {
        self.write_queue().checkpoint(self.pools()).await
    }

    /// Lets PostgreSQL count its tables now. It does so itself only a minute after a large change, and until then plans
    /// queries as if the tables were as empty as before. SQLite's plans need no statistics.
    pub async fn refresh_statistics(&self) -> Result<()> {
        let Pools::Postgres(pool) = self.pools() else {
            return Ok(());
        };
        let command: Option<String> = sqlx::query_scalar(ANALYZE_TABLES).fetch_one(pool).await?;
        if let Some(command) = command {
            sqlx::raw_sql(AssertSqlSafe(command)).execute(pool).await?;
        }
        Ok(())
    }

    /// The file of an embedded database; `None` for PostgreSQL.
    pub fn database_file(&self) -> Option<PathBuf> {
        match self.pools() {
            Pools::Sqlite { writer, .. } => Some(writer.connect_options().get_filename().to_path_buf()),
            Pools::Postgres(_) => None,
        }
    }

    /// Writes a consistent copy of an SQLite database into an empty file without blocking readers or writers. `false`
    /// for PostgreSQL, which has its own tools.
    pub async fn copy_to(&self, file: &Path) -> Result<bool> {
        let Pools::Sqlite { writer, .. } = self.pools() else {
            return Ok(false);
        };
        // A connection of its own: the copy may take long.
        let mut connection = writer.connect_options().as_ref().clone().connect().await?;
        let name = file
            .to_str()
            .ok_or(StoreError::InvalidValue("name of a backup"))?;
        sqlx::query::<sqlx::Sqlite>("VACUUM INTO $1")
            .bind(name)
            .execute(&mut connection)
            .await?;
        connection.close().await?;
        Ok(true)
    }

    /// Returns free space of SQLite to the system. Takes seconds for large databases, and blocks writes.
    pub async fn shrink(&self) -> Result<()> {
        self.0.write_queue.shrink(self.pools()).await
    }
}
