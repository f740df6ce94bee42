//! Counts of whole lists, remembered as long as nothing is stored: a list is asked for page by page, and by many.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use sqlx::AssertSqlSafe;

use crate::Store;
use crate::args::Arg;
use crate::error::Result;
use crate::select::Conditions;

/// The counts of one state of the store.
#[derive(Debug, Default)]
pub(super) struct Totals(Mutex<(State, HashMap<String, u64>)>);

/// Of media, and of libraries and accounts.
type State = (u64, i64);

/// Lists that are remembered.
const TOTALS: usize = 1000;

impl Totals {
    fn get(&self, state: State, list: &str) -> Option<u64> {
        let totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (totals.0 == state).then(|| totals.1.get(list).copied()).flatten()
    }

    fn put(&self, state: State, list: String, total: u64) {
        let mut totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if totals.0 != state || totals.1.len() >= TOTALS {
            *totals = (state, HashMap::new());
        }
        totals.1.insert(list, total);
    }
}

impl Store {
    /// How many items a whole list has. Lists of what a user did something with are short, and counted anew.
    pub(super) async fn total(&self, from: &'static str, conditions: &Conditions<'_>) -> Result<u64> {
        let (sql, values) = conditions.count(from);
        if conditions.are_personal() {
            return self.pools().count(sql, values).await;
        }
        self.remembered_count(sql, values).await
    }

    /// The count of a query, from memory if nothing was stored since it was asked.
    pub(super) async fn remembered_count(
        &self,
        sql: AssertSqlSafe<String>,
        values: &[Arg<'_>],
    ) -> Result<u64> {
        let state = (self.media_revision(None), self.identity_revision_of_all());
        let list = format!("{}{values:?}", sql.0);
        if let Some(total) = self.0.totals.get(state, &list) {
            return Ok(total);
        }
        let total = self.pools().count(sql, values).await?;
        self.0.totals.put(state, list, total);
        Ok(total)
    }
}
