//! Cache of list counts, valid until data changes: lists are requested page by page, by many clients.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Counts of one version of the data.
#[derive(Debug, Default)]
pub(crate) struct CountCache(Mutex<(State, HashMap<String, u64>)>);

/// Version of media, and revision of libraries and accounts.
type State = (u64, i64);

/// Cached counts, at most.
const TOTALS: usize = 1000;

impl CountCache {
    pub(crate) fn get(&self, state: State, list: &str) -> Option<u64> {
        let count_cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (count_cache.0 == state)
            .then(|| count_cache.1.get(list).copied())
            .flatten()
    }

    pub(crate) fn put(&self, state: State, list: String, total: u64) {
        let mut count_cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if count_cache.0 != state || count_cache.1.len() >= TOTALS {
            *count_cache = (state, HashMap::new());
        }
        count_cache.1.insert(list, total);
    }
}
