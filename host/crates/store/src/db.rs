//! The two databases behind one face: every statement passes through here.

use futures_util::future::BoxFuture;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, FromRow, PgPool, Postgres, SqlSafeStr, Sqlite, SqlitePool, Transaction};

use crate::args;
use crate::args::Arg;
use crate::error::Result;
use crate::json_rows::{JsonRecord, from_json_rows, to_json_rows};
use crate::read_pool::ReadPool;
use crate::statement_effect::statement_effect;

/// A question to a database under way. Boxed where everything passes through: the compiler looks at the futures of sqlx
/// here, and not again in each of the hundreds that are made of them, which would take it minutes.
pub(super) type Boxed<'a, T> = BoxFuture<'a, Result<T>>;

/// A row that both databases can fill.
pub(super) trait Record:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{
}

impl<T> Record for T where
    T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin + 'static
{
}

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
    Sqlite { read_pool: ReadPool, writer: SqlitePool },
    /// All connections are alike.
    Postgres(PgPool),
}

/// The pools behind a trait, so that the compiler need not look through sqlx's types again for each of the hundreds of
/// futures that hold a store, to see that it may go from thread to thread.
pub(super) trait AsPools: std::fmt::Debug + Send + Sync {
    fn as_pools(&self) -> &Pools;
}

impl AsPools for Pools {
    fn as_pools(&self) -> &Pools {
        self
    }
}

impl Pools {
    pub(super) fn engine(&self) -> Engine {
        match self {
            Self::Sqlite { .. } => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// All rows, read outside of a transaction.
    pub(super) fn fetch_all<T: Record>(&self, sql: impl SqlSafeStr, values: &[Arg<'_>]) -> Boxed<'_, Vec<T>> {
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

    /// As [`Pools::fetch_all`], for as many rows as a page has: from SQLite they come at once.
    pub(super) fn fetch_page<'a, T: JsonRecord>(
        &'a self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Boxed<'a, Vec<T>> {
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

    /// As [`Pools::fetch_page`], for two queries over the same values: SQLite is asked once.
    pub(super) fn fetch_pages_of_two<'a, A: JsonRecord, B: JsonRecord>(
        &'a self,
        [a, b]: [String; 2],
        values: &[Arg<'_>],
    ) -> Boxed<'a, (Vec<A>, Vec<B>)> {
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

    /// As [`Pools::fetch_page`], for three queries over the same values: SQLite is asked once.
    pub(super) fn fetch_pages_of_three<'a, A: JsonRecord, B: JsonRecord, C: JsonRecord>(
        &'a self,
        [a, b, c]: [String; 3],
        values: &[Arg<'_>],
    ) -> Boxed<'a, (Vec<A>, Vec<B>, Vec<C>)> {
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

    /// The first row, if any, read outside of a transaction.
    pub(super) fn fetch_optional<T: Record>(
        &self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Boxed<'_, Option<T>> {
        let sql = sql.into_sql_str();
        match self {
            Self::Sqlite { read_pool, .. } => {
                let values = args::sqlite(values);
                Box::pin(async move {
                    let query = sqlx::query_as_with::<Sqlite, T, _>(sql, values?);
                    Ok(query.fetch_optional(&mut *read_pool.reader().await?).await?)
                })
            }
            Self::Postgres(pool) => {
                let values = args::postgres(values);
                Box::pin(async move {
                    let query = sqlx::query_as_with::<Postgres, T, _>(sql, values?);
                    Ok(query.fetch_optional(pool).await?)
                })
            }
        }
    }

    /// The number that a `SELECT count(*)` gives.
    pub(super) async fn count(&self, sql: impl SqlSafeStr, values: &[Arg<'_>]) -> Result<u64> {
        let row: Option<(i64,)> = self.fetch_optional(sql, values).await?;
        Ok(row.map_or(0, |(count,)| count.unsigned_abs()))
    }

    pub(super) async fn close(&self) {
        match self {
            Self::Sqlite { read_pool, writer } => {
                // The writer last: the last connection folds the log into the database.
                read_pool.close().await;
                writer.close().await;
            }
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

/// An open transaction of either database. It knows whether anything was changed in it.
#[derive(Debug)]
pub(super) struct Tx {
    open: Open,
    has_changed: bool,
}

#[derive(Debug)]
enum Open {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl From<Transaction<'static, Sqlite>> for Tx {
    fn from(tx: Transaction<'static, Sqlite>) -> Self {
        Self {
            open: Open::Sqlite(tx),
            has_changed: false,
        }
    }
}

impl From<Transaction<'static, Postgres>> for Tx {
    fn from(tx: Transaction<'static, Postgres>) -> Self {
        Self {
            open: Open::Postgres(tx),
            has_changed: false,
        }
    }
}

impl Tx {
    pub(super) fn engine(&self) -> Engine {
        match self.open {
            Open::Sqlite(_) => Engine::Sqlite,
            Open::Postgres(_) => Engine::Postgres,
        }
    }

    /// Whether a statement changed anything yet.
    pub(super) fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// Runs a statement; gives the number of rows it touched.
    pub(super) fn execute(&mut self, sql: impl SqlSafeStr, values: &[Arg<'_>]) -> Boxed<'_, u64> {
        let sql = sql.into_sql_str();
        let effect = statement_effect(sql.as_str());
        let Self { open, has_changed } = self;
        match open {
            Open::Sqlite(tx) => {
                let values = args::sqlite(values);
                Box::pin(async move {
                    let query = sqlx::query_with(sql, values?);
                    let rows = query.execute(&mut **tx).await?.rows_affected();
                    *has_changed |= effect.has_changed(rows);
                    Ok(rows)
                })
            }
            Open::Postgres(tx) => {
                let values = args::postgres(values);
                Box::pin(async move {
                    let query = sqlx::query_with(sql, values?);
                    let rows = query.execute(&mut **tx).await?.rows_affected();
                    *has_changed |= effect.has_changed(rows);
                    Ok(rows)
                })
            }
        }
    }

    /// Runs several statements without values.
    pub(super) fn execute_script(&mut self, sql: &'static str) -> Boxed<'_, ()> {
        self.has_changed = true;
        match &mut self.open {
            Open::Sqlite(tx) => Box::pin(async move {
                sqlx::raw_sql(sql).execute(&mut **tx).await?;
                Ok(())
            }),
            Open::Postgres(tx) => Box::pin(async move {
                sqlx::raw_sql(sql).execute(&mut **tx).await?;
                Ok(())
            }),
        }
    }

    /// All rows.
    pub(super) fn fetch_all<T: Record>(
        &mut self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Boxed<'_, Vec<T>> {
        let sql = sql.into_sql_str();
        let effect = statement_effect(sql.as_str());
        let Self { open, has_changed } = self;
        match open {
            Open::Sqlite(tx) => {
                let values = args::sqlite(values);
                Box::pin(async move {
                    let query = sqlx::query_as_with::<Sqlite, T, _>(sql, values?);
                    let rows = query.fetch_all(&mut **tx).await?;
                    *has_changed |= effect.has_changed(rows.len() as u64);
                    Ok(rows)
                })
            }
            Open::Postgres(tx) => {
                let values = args::postgres(values);
                Box::pin(async move {
                    let query = sqlx::query_as_with::<Postgres, T, _>(sql, values?);
                    let rows = query.fetch_all(&mut **tx).await?;
                    *has_changed |= effect.has_changed(rows.len() as u64);
                    Ok(rows)
                })
            }
        }
    }

    /// Ends it. What changed nothing leaves no trace: no write to the disk, no wait for one.
    pub(super) fn commit(self) -> Boxed<'static, ()> {
        let Self { open, has_changed } = self;
        match open {
            Open::Sqlite(tx) if has_changed => Box::pin(async move { Ok(tx.commit().await?) }),
            Open::Postgres(tx) if has_changed => Box::pin(async move { Ok(tx.commit().await?) }),
            Open::Sqlite(tx) => Box::pin(async move { Ok(tx.rollback().await?) }),
            Open::Postgres(tx) => Box::pin(async move { Ok(tx.rollback().await?) }),
        }
    }
}
