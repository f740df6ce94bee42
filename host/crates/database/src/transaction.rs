//! An open transaction of either database.

use sqlx::{Postgres, SqlSafeStr, Sqlite, Transaction};

use crate::args;
use crate::args::Arg;
use crate::pools::{BoxedQuery, Engine};
use crate::record::Record;
use crate::statement_effect::statement_effect;

/// An open transaction. It records whether a statement changed data.
#[derive(Debug)]
pub struct Tx {
    open: TxInner,
    has_changed: bool,
}

#[derive(Debug)]
enum TxInner {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl From<Transaction<'static, Sqlite>> for Tx {
    fn from(tx: Transaction<'static, Sqlite>) -> Self {
        Self {
            open: TxInner::Sqlite(tx),
            has_changed: false,
        }
    }
}

impl From<Transaction<'static, Postgres>> for Tx {
    fn from(tx: Transaction<'static, Postgres>) -> Self {
        Self {
            open: TxInner::Postgres(tx),
            has_changed: false,
        }
    }
}

impl Tx {
    /// Which database it is in.
    pub fn engine(&self) -> Engine {
        match self.open {
            TxInner::Sqlite(_) => Engine::Sqlite,
            TxInner::Postgres(_) => Engine::Postgres,
        }
    }

    /// Whether any statement changed data.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// Runs a statement; returns the number of affected rows.
    pub fn execute(&mut self, sql: impl SqlSafeStr, values: &[Arg<'_>]) -> BoxedQuery<'_, u64> {
        let sql = sql.into_sql_str();
        let effect = statement_effect(sql.as_str());
        let Self { open, has_changed } = self;
        match open {
            TxInner::Sqlite(tx) => {
                let values = args::sqlite(values);
                Box::pin(async move {
                    let query = sqlx::query_with(sql, values?);
                    let rows = query.execute(&mut **tx).await?.rows_affected();
                    *has_changed |= effect.has_changed(rows);
                    Ok(rows)
                })
            }
            TxInner::Postgres(tx) => {
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
    pub fn execute_script(&mut self, sql: &'static str) -> BoxedQuery<'_, ()> {
        self.has_changed = true;
        match &mut self.open {
            TxInner::Sqlite(tx) => Box::pin(async move {
                sqlx::raw_sql(sql).execute(&mut **tx).await?;
                Ok(())
            }),
            TxInner::Postgres(tx) => Box::pin(async move {
                sqlx::raw_sql(sql).execute(&mut **tx).await?;
                Ok(())
            }),
        }
    }

    /// All rows.
    pub fn fetch_all<T: Record>(
        &mut self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> BoxedQuery<'_, Vec<T>> {
        let sql = sql.into_sql_str();
        let effect = statement_effect(sql.as_str());
        let Self { open, has_changed } = self;
        match open {
            TxInner::Sqlite(tx) => {
                let values = args::sqlite(values);
                Box::pin(async move {
                    let query = sqlx::query_as_with::<Sqlite, T, _>(sql, values?);
                    let rows = query.fetch_all(&mut **tx).await?;
                    *has_changed |= effect.has_changed(rows.len() as u64);
                    Ok(rows)
                })
            }
            TxInner::Postgres(tx) => {
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

    /// Commits. A transaction without changes is rolled back, which neither writes nor waits.
    pub fn commit(self) -> BoxedQuery<'static, ()> {
        let Self { open, has_changed } = self;
        match open {
            TxInner::Sqlite(tx) if has_changed => Box::pin(async move { Ok(tx.commit().await?) }),
            TxInner::Postgres(tx) if has_changed => Box::pin(async move { Ok(tx.commit().await?) }),
            TxInner::Sqlite(tx) => Box::pin(async move { Ok(tx.rollback().await?) }),
            TxInner::Postgres(tx) => Box::pin(async move { Ok(tx.rollback().await?) }),
        }
    }
}
