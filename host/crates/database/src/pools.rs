//! Connection pools of both databases. Every statement outside of a transaction passes through here.

use futures_util::future::BoxFuture;
use sqlx::{AssertSqlSafe, PgPool, Postgres, SqlSafeStr, Sqlite, SqlitePool};

use crate::args;
use crate::args::Arg;
use crate::error::Result;
use crate::json_rows::{JsonRecord, from_json_rows, to_json_rows};
use crate::read_pool::ReadPool;
use crate::record::Record;

/// A pending query. Boxed here so that the compiler analyses the futures of sqlx once, and not in each of the
/// hundreds of futures that await a query.
pub type BoxedQuery<'a, T> = BoxFuture<'a, Result<T>>;

/// The database engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// In the process.
    Sqlite,
    /// A server.
    Postgres,
}

/// Open connections.
#[derive(Debug)]
pub enum Pools {
    /// Several read connections and one write connection.
    Sqlite {
        /// For reads.
        read_pool: ReadPool,
        /// For writes, which are one after another.
        writer: SqlitePool,
    },
    /// One pool for reads and writes.
    Postgres(PgPool),
}

impl Pools {
    /// Which database they are connected to.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Sqlite { .. } => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// All rows, outside of a transaction.
    pub fn fetch_all<T: Record>(&self, sql: impl SqlSafeStr, values: &[Arg<'_>]) -> BoxedQuery<'_, Vec<T>> {
        let sql = sql.into_sql_str();
        match self {
            Self::Sqlite { read_pool, .. } => {
                let values = args::sqlite(values);
                Box::pin(async move {
                    let query = sqlx::query_as_with::<Sqlite, T, _>(sql, values?);
                    Ok(query.fetch_all(&mut *read_pool.reader().await?).await?)
                })
            }
            Self::Postgres(pool) => {
                let values = args::postgres(values);
                Box::pin(async move {
                    let query = sqlx::query_as_with::<Postgres, T, _>(sql, values?);
                    Ok(query.fetch_all(pool).await?)
                })
            }
        }
    }

    /// [`Pools::fetch_all`] for a page of rows, which SQLite returns as one value.
    pub fn fetch_page<'a, T: JsonRecord>(
        &'a self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> BoxedQuery<'a, Vec<T>> {
        if self.engine() == Engine::Postgres {
            return self.fetch_all(sql, values);
        }
        let sql = to_json_rows::<T>(sql.into_sql_str().as_str());
        let answer = self.fetch_all::<(String,)>(AssertSqlSafe(sql), values);
        Box::pin(async move {
            answer
                .await?
                .first()
                .map_or(Ok(Vec::new()), |(rows,)| from_json_rows(rows))
        })
    }

    /// [`Pools::fetch_page`] for two queries with the same values, in one query of SQLite.
    pub fn fetch_pages_of_two<'a, A: JsonRecord, B: JsonRecord>(
        &'a self,
        [a, b]: [String; 2],
        values: &[Arg<'_>],
    ) -> BoxedQuery<'a, (Vec<A>, Vec<B>)> {
        if self.engine() == Engine::Postgres {
            let (a, b) = (
                self.fetch_all(AssertSqlSafe(a), values),
                self.fetch_all(AssertSqlSafe(b), values),
            );
            return Box::pin(async move { Ok((a.await?, b.await?)) });
        }
        let sql = format!("SELECT ({}), ({})", to_json_rows::<A>(&a), to_json_rows::<B>(&b));
        let answer = self.fetch_all::<(String, String)>(AssertSqlSafe(sql), values);
        Box::pin(async move {
            let (a, b) = answer.await?.pop().unwrap_or_default();
            Ok((from_json_rows(&a)?, from_json_rows(&b)?))
        })
    }

    /// [`Pools::fetch_page`] for three queries with the same values, in one query of SQLite.
    pub fn fetch_pages_of_three<'a, A: JsonRecord, B: JsonRecord, C: JsonRecord>(
        &'a self,
        [a, b, c]: [String; 3],
        values: &[Arg<'_>],
    ) -> BoxedQuery<'a, (Vec<A>, Vec<B>, Vec<C>)> {
        if self.engine() == Engine::Postgres {
            let (a, b, c) = (
                self.fetch_all(AssertSqlSafe(a), values),
                self.fetch_all(AssertSqlSafe(b), values),
                self.fetch_all(AssertSqlSafe(c), values),
            );
            return Box::pin(async move { Ok((a.await?, b.await?, c.await?)) });
        }
        let (a, b, c) = (
            to_json_rows::<A>(&a),
            to_json_rows::<B>(&b),
            to_json_rows::<C>(&c),
        );
        let sql = format!("SELECT ({a}), ({b}), ({c})");
        let answer = self.fetch_all::<(String, String, String)>(AssertSqlSafe(sql), values);
        Box::pin(async move {
            let (a, b, c) = answer.await?.pop().unwrap_or_default();
            Ok((from_json_rows(&a)?, from_json_rows(&b)?, from_json_rows(&c)?))
        })
    }

    /// The row of a query that returns at most one, outside of a transaction.
    pub async fn fetch_optional<T: Record>(
        &self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Result<Option<T>> {
        Ok(self.fetch_all(sql, values).await?.into_iter().next())
    }

    /// Result of a `SELECT count(*)`.
    pub async fn count(&self, sql: impl SqlSafeStr, values: &[Arg<'_>]) -> Result<u64> {
        let row: Option<(i64,)> = self.fetch_optional(sql, values).await?;
        Ok(row.map_or(0, |(count,)| count.unsigned_abs()))
    }

    /// Closes all connections.
    pub async fn close(&self) {
        match self {
            Self::Sqlite { read_pool, writer } => {
                // The write connection last: the last connection copies the log into the database.
                read_pool.close().await;
                writer.close().await;
            }
            Self::Postgres(pool) => pool.close().await,
        }
    }
}
