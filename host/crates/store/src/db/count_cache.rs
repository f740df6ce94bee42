//! Cache of list counts, valid until data changes: lists are requested page by page, by many clients.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use sqlx::AssertSqlSafe;

use crate::db::Database;
use crate::db::args::Arg;
use crate::error::Result;
use crate::query::where_clause::WhereClause;

/// Counts of one version of the data.
#[derive(Debug, Default)]
pub(crate) struct CountCache(Mutex<(State, HashMap<String, u64>)>);

/// Version of media, and revision of libraries and accounts.
type State = (u64, i64);

/// Cached counts, at most.
const TOTALS: usize = 1000;

impl CountCache {
    fn get(&self, state: State, list: &str) -> Option<u64> {
        let count_cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (count_cache.0 == state)
            .then(|| count_cache.1.get(list).copied())
            .flatten()
    }

    fn put(&self, state: State, list: String, total: u64) {
        let mut count_cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if count_cache.0 != state || count_cache.1.len() >= TOTALS {
            *count_cache = (state, HashMap::new());
        }
        count_cache.1.insert(list, total);
    }
}

impl Database {
    /// Number of items of a whole list. Personal lists are short, and are not cached.
    pub(crate) async fn total(&self, from: &'static str, where_clause: &WhereClause<'_>) -> Result<u64> {
        let (sql, values) = where_clause.count(from);
        if where_clause.is_personal() {
            return self.pools().count(sql, values).await;
        }
        self.cached_count(sql, values).await
    }

    /// The count of a query, cached until data changes.
    pub(crate) async fn cached_count(&self, sql: AssertSqlSafe<String>, values: &[Arg<'_>]) -> Result<u64> {
        let state = (
            self.version_counters().media(None),
            self.identity_revisions().of_all(),
        );
        let list = format!("{}{values:?}", sql.0);
        if let Some(total) = self.0.count_cache.get(state, &list) {
            return Ok(total);
        }
        let total = self.pools().count(sql, values).await?;
        self.0.count_cache.put(state, list, total);
        Ok(total)
    }
}
