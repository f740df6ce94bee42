//! Negative cache: originals that could not be rendered are not decoded for each request.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::thumbnails::limits;
use crate::thumbnails::original::Identity;
use svc_domain::time::Timestamp;

/// Recent failures, in memory.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<HashMap<Identity, Timestamp>>);

impl Failures {
    /// Whether rendering failed recently. An original that has changed since has another identity.
    pub(super) fn contains(&self, identity: &Identity, now: Timestamp) -> bool {
        let millis = i64::try_from(limits::FAILURE_TTL.as_millis()).unwrap_or(i64::MAX);
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.get(identity).is_some_and(|then| {
            let age = now.millis().saturating_sub(then.millis());
            (0..millis).contains(&age)
        })
    }

    /// Records a failure.
    pub(super) fn add(&self, identity: Identity, now: Timestamp) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= limits::MAX_FAILURES {
            failures.clear();
        }
        failures.insert(identity, now);
    }

    /// Removes all failures.
    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
