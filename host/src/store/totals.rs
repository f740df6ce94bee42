//! Counts of whole lists, remembered as long as nothing is stored: a list is asked for page by page, and by many.
//!
//! A count reads the whole list. While a scan stores some ten batches a second, each of which makes all counts untrue, one
//! is good for two seconds.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::AssertSqlSafe;

use super::Store;
use super::args::Arg;
use super::error::Result;
use super::select::Conditions;

/// The counts of one state of the store.
#[derive(Debug, Default)]
pub(super) struct Totals(Mutex<(State, HashMap<String, Counted>)>);

/// Of media but for what a scan under way adds, and of libraries and accounts.
type State = (u64, i64);

/// A list's count.
#[derive(Debug, Clone, Copy)]
struct Counted {
    total: u64,
    /// The state of all media when it was counted.
    media: u64,
    at: Instant,
}

/// How old a count may be while a scan stores.
const FRESH: Duration = Duration::from_secs(2);

impl Counted {
    /// Whether the count is good in this state of all media, at this time.
    fn is_good(self, media: u64, is_scanning: bool, now: Instant) -> bool {
        self.media == media || is_scanning && now.saturating_duration_since(self.at) < FRESH
    }
}

/// Lists that are remembered.
const TOTALS: usize = 1000;
/// What users did with items, which changes without a new state of the media. Lists of such items are short, and
/// counted anew.
const PERSONAL: &str = "user_items";

impl Totals {
    fn get(&self, state: State, list: &str) -> Option<Counted> {
        let totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (totals.0 == state).then(|| totals.1.get(list).copied()).flatten()
    }

    fn put(&self, state: State, list: String, counted: Counted) {
        let mut totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if totals.0 != state || totals.1.len() >= TOTALS {
            *totals = (state, HashMap::new());
        }
        totals.1.insert(list, counted);
    }
}

impl Store {
    /// How many items a whole list has.
    pub(super) async fn total(&self, from: &'static str, conditions: &Conditions<'_>) -> Result<u64> {
        let (sql, values) = conditions.count(from);
        self.remembered_count(sql, values).await
    }

    /// The count of a query, from memory if nothing was stored since it was asked.
    pub(super) async fn remembered_count(
        &self,
        sql: AssertSqlSafe<String>,
        values: &[Arg<'_>],
    ) -> Result<u64> {
        if sql.0.contains(PERSONAL) {
            return self.pools().count(sql, values).await;
        }
        let revisions = &self.0.revisions;
        let state = (revisions.settled(), self.identity_revision());
        let (media, at) = (self.media_revision(None), Instant::now());
        let list = format!("{}{values:?}", sql.0);
        if let Some(counted) = self.0.totals.get(state, &list)
            && counted.is_good(media, revisions.is_scanning(), at)
        {
            return Ok(counted.total);
        }
        let total = self.pools().count(sql, values).await?;
        self.0.totals.put(state, list, Counted { total, media, at });
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_is_good_until_something_is_stored_and_a_little_longer_during_a_scan() {
        let at = Instant::now();
        let counted = Counted {
            total: 7,
            media: 1,
            at,
        };
        let later = at + FRESH * 100;
        assert!(counted.is_good(1, false, later) && counted.is_good(1, true, later));
        assert!(!counted.is_good(2, false, at));
        assert!(counted.is_good(2, true, at + FRESH / 2));
        assert!(!counted.is_good(2, true, at + FRESH));
    }
}
