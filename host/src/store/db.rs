//! The two databases behind one face: every statement passes through here.

use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, PgPool, Postgres, SqlSafeStr, Sqlite, SqlitePool, Transaction};

use super::args::{self, Arg};
use super::error::Result;

/// A row that both databases can fill.
pub(super) trait Record:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin
{
}

impl<T> Record for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}

/// Which database it is, where that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Engine {
    Sqlite,
    Postgres,
}

/// Open connections.
#[derive(Debug)]
pub(super) enum Pools {
    /// Many readers and the one connection that writes.
    Sqlite { readers: SqlitePool, writer: SqlitePool },
    /// All connections are alike.
    Postgres(PgPool),
}

impl Pools {
    pub(super) fn engine(&self) -> Engine {
        match self {
            Self::Sqlite { .. } => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// All rows, read outside of a transaction.
    pub(super) async fn fetch_all<T: Record>(
        &self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Result<Vec<T>> {
        Ok(match self {
            Self::Sqlite { readers, .. } => {
                sqlx::query_as_with::<Sqlite, T, _>(sql, args::sqlite(values)?)
                    .fetch_all(readers)
                    .await?
            }
            Self::Postgres(pool) => {
                sqlx::query_as_with::<Postgres, T, _>(sql, args::postgres(values)?)
                    .fetch_all(pool)
                    .await?
            }
        })
    }

    /// The first row, if any, read outside of a transaction.
    pub(super) async fn fetch_optional<T: Record>(
        &self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Result<Option<T>> {
        Ok(match self {
            Self::Sqlite { readers, .. } => {
                sqlx::query_as_with::<Sqlite, T, _>(sql, args::sqlite(values)?)
                    .fetch_optional(readers)
                    .await?
            }
            Self::Postgres(pool) => {
                sqlx::query_as_with::<Postgres, T, _>(sql, args::postgres(values)?)
                    .fetch_optional(pool)
                    .await?
            }
        })
    }

    /// The number that a `SELECT count(*)` gives.
    pub(super) async fn count(&self, sql: impl SqlSafeStr, values: &[Arg<'_>]) -> Result<u64> {
        let row: Option<(i64,)> = self.fetch_optional(sql, values).await?;
        Ok(row.map_or(0, |(count,)| count.unsigned_abs()))
    }

    pub(super) async fn close(&self) {
        match self {
            Self::Sqlite { readers, writer } => {
                // The writer last: the last connection folds the log into the database.
                readers.close().await;
                writer.close().await;
            }
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

/// An open transaction of either database.
#[derive(Debug)]
pub(super) enum Tx {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Tx {
    pub(super) fn engine(&self) -> Engine {
        match self {
            Self::Sqlite(_) => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// Runs a statement; gives the number of rows it touched.
    pub(super) async fn execute(&mut self, sql: impl SqlSafeStr, values: &[Arg<'_>]) -> Result<u64> {
        Ok(match self {
            Self::Sqlite(tx) => sqlx::query_with(sql, args::sqlite(values)?)
                .execute(&mut **tx)
                .await?
                .rows_affected(),
            Self::Postgres(tx) => sqlx::query_with(sql, args::postgres(values)?)
                .execute(&mut **tx)
                .await?
                .rows_affected(),
        })
    }

    /// Runs several statements without values.
    pub(super) async fn execute_script(&mut self, sql: &'static str) -> Result<()> {
        match self {
            Self::Sqlite(tx) => sqlx::raw_sql(sql).execute(&mut **tx).await.map(|_| ())?,
            Self::Postgres(tx) => sqlx::raw_sql(sql).execute(&mut **tx).await.map(|_| ())?,
        }
        Ok(())
    }

    /// All rows.
    pub(super) async fn fetch_all<T: Record>(
        &mut self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Result<Vec<T>> {
        Ok(match self {
            Self::Sqlite(tx) => {
                sqlx::query_as_with::<Sqlite, T, _>(sql, args::sqlite(values)?)
                    .fetch_all(&mut **tx)
                    .await?
            }
            Self::Postgres(tx) => {
                sqlx::query_as_with::<Postgres, T, _>(sql, args::postgres(values)?)
                    .fetch_all(&mut **tx)
                    .await?
            }
        })
    }

    pub(super) async fn commit(self) -> Result<()> {
        match self {
            Self::Sqlite(tx) => tx.commit().await?,
            Self::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }
}
