//! The budget of plugin faults outside of scans: one per purpose, refilled over time.
//!
//! Any user who may view a thumbnail or have a file explained can repeat a request for a file that makes a plugin
//! fail. Such faults do not count towards a quarantine, since one file says nothing about a library; but
//! each takes up to the deadline of a call, so their number is limited.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::limits;

/// The purpose of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A scan; the only purpose whose faults lead to quarantine.
    Scan,
    /// An explanation why a file is indexed or not.
    Explain,
    /// Reading the artwork embedded in a file.
    Artwork,
    /// Listing or reading the pages of a file.
    Pages,
    /// Rendering thumbnails.
    Render,
    /// Computing a waveform.
    Measure,
}

/// The budgets of one plugin, shared by all workers of this process: they limit what requests cost this process.
#[derive(Debug, Default)]
pub(super) struct Budgets {
    explain: Budget,
    artwork: Budget,
    pages: Budget,
    render: Budget,
    measure: Budget,
}

impl Budgets {
    /// The budget of this purpose; `None` for a scan, which the quarantine limits.
    pub(super) fn of(&self, purpose: Purpose) -> Option<&Budget> {
        match purpose {
            Purpose::Scan => None,
            Purpose::Explain => Some(&self.explain),
            Purpose::Artwork => Some(&self.artwork),
            Purpose::Pages => Some(&self.pages),
            Purpose::Render => Some(&self.render),
            Purpose::Measure => Some(&self.measure),
        }
    }
}

/// Times of the faults within the last minute.
#[derive(Debug, Default)]
pub(super) struct Budget(Mutex<VecDeque<Instant>>);

impl Budget {
    /// Time until the plugin may be called again; `None` if it may be called now.
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

    /// Records a fault of the plugin.
    pub(super) fn failed(&self, now: Instant) {
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Calls that were running when the budget was exhausted; older faults need not be stored.
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
    fn budget_is_exhausted_by_faults_and_refilled_over_time() {
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
            "until the first fault is a minute old"
        );
        assert_eq!(budget.wait(last + wait), None);
        budget.failed(last + wait);
        assert_eq!(
            budget.wait(last + wait),
            Some(Duration::from_secs(1)),
            "one fault exhausts it again"
        );
    }
}
