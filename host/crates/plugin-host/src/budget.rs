//! What a plugin may fail at beside scans: each purpose has a budget of its own, which fills again by itself.
//!
//! Whoever may look at a picture or have a file explained can repeat a request for a file that makes a plugin fail. Such
//! failures say nothing of a library, so they never count towards a quarantine (`breaker`); but each costs up to the time
//! of a file, so there is a limit to them as well.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::limits;

/// What a plugin is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A run of the indexer: the one whose failures shut a plugin off.
    Scan,
    /// Somebody asks why a file is in the index or not.
    Explain,
    /// Somebody looks at the picture inside of a file.
    Artwork,
    /// A picture is drawn in a smaller size.
    Render,
    /// A sound is summed up.
    Measure,
}

/// One plugin's budgets, shared by all workers.
///
/// Kept by each process for itself: it bounds what requests cost this process.
#[derive(Debug, Default)]
pub(super) struct Budgets {
    explain: Budget,
    artwork: Budget,
    render: Budget,
    measure: Budget,
}

impl Budgets {
    /// The budget of this purpose; a scan has none, but the breaker.
    pub(super) fn of(&self, purpose: Purpose) -> Option<&Budget> {
        match purpose {
            Purpose::Scan => None,
            Purpose::Explain => Some(&self.explain),
            Purpose::Artwork => Some(&self.artwork),
            Purpose::Render => Some(&self.render),
            Purpose::Measure => Some(&self.measure),
        }
    }
}

/// Failures within the last minute.
#[derive(Debug, Default)]
pub(super) struct Budget(Mutex<VecDeque<Instant>>);

impl Budget {
    /// How long to wait until the plugin may be called, if it may not now.
    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while failures
            .front()
            .is_some_and(|first| now.saturating_duration_since(*first) >= limits::BUDGET_WINDOW)
        {
            failures.pop_front();
        }
        if failures.len() < limits::BUDGET_FAILURES {
            return None;
        }
        let first = failures.front()?;
        Some(limits::BUDGET_WINDOW.saturating_sub(now.saturating_duration_since(*first)))
    }

    /// A call failed by the plugin's fault.
    pub(super) fn failed(&self, now: Instant) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Calls that were under way when the budget was spent: what is older than all that count is not needed.
        if failures.len() >= limits::BUDGET_FAILURES {
            failures.pop_front();
        }
        failures.push_back(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_is_spent_by_failures_and_fills_as_they_grow_old() {
        let budget = Budget::default();
        let start = Instant::now();
        for second in 0..limits::BUDGET_FAILURES as u64 {
            let now = start + Duration::from_secs(second);
            assert_eq!(budget.wait(now), None);
            budget.failed(now);
        }
        let last = start + Duration::from_secs(limits::BUDGET_FAILURES as u64 - 1);
        let wait = budget.wait(last).unwrap();
        assert_eq!(
            last + wait,
            start + limits::BUDGET_WINDOW,
            "until the first is a minute old"
        );
        assert_eq!(budget.wait(last + wait), None);
        budget.failed(last + wait);
        assert_eq!(
            budget.wait(last + wait),
            Some(Duration::from_secs(1)),
            "one more, then the next"
        );
    }
}
