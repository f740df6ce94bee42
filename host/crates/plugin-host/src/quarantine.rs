//! The circuit breaker of a plugin: quarantines it after five consecutive faults, or too large a share of the last
//! 200 files of scans. Other purposes do not count (`budget`). At a smaller share each file gets a new instance, to
//! rule out corrupted state as the cause.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::limits;
use svc_domain::extraction::ExtractFailure;

const CLOSED: u8 = 0;
const DEGRADED: u8 = 1;
const OPEN: u8 = 2;

/// Faults of one plugin in scans, shared by all workers. A successful call costs two relaxed atomic operations.
///
/// Each process has its own breakers, in memory: another server may run another build of the plugin, on another
/// machine with other disks. A breaker is reset by an operator or a restart.
#[derive(Debug, Default)]
pub(super) struct Quarantine {
    state: AtomicU8,
    /// Number of calls; numbers the calls.
    calls: AtomicU64,
    /// Highest number of a successful call, approximately: workers store theirs in any order.
    last_success: AtomicU64,
    failures: Mutex<Failures>,
    /// How often it was quarantined or released.
    transitions: AtomicU64,
}

#[derive(Debug, Default)]
struct Failures {
    /// Numbers of the failed calls within the window.
    recent: VecDeque<u64>,
    reason: String,
}

impl Quarantine {
    /// Starts a call; returns its number.
    pub(super) fn begin(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Whether the plugin is quarantined.
    pub(super) fn is_quarantined(&self) -> bool {
        self.state.load(Ordering::Relaxed) == OPEN
    }

    /// Whether each file needs a new instance.
    pub(super) fn is_degraded(&self) -> bool {
        self.state.load(Ordering::Relaxed) == DEGRADED
    }

    /// How often it was quarantined or released.
    pub(super) fn transitions(&self) -> u64 {
        self.transitions.load(Ordering::Acquire)
    }

    /// Why the plugin is quarantined, if it is.
    pub(super) fn quarantine_reason(&self) -> Option<String> {
        self.is_quarantined().then(|| {
            self.failures
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .reason
                .clone()
        })
    }

    /// The plugin answered. A call that ended for another reason, such as storage that failed or a machine that was too
    /// busy for it, is not reported: it does not interrupt a row of faults.
    pub(super) fn succeeded(&self, call: u64) {
        self.last_success.store(call, Ordering::Relaxed);
    }

    /// The call ended with a fault of the plugin. True if that quarantined it.
    pub(super) fn failed(&self, call: u64, failure: &ExtractFailure) -> bool {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.recent.push_back(call);
        while failures
            .recent
            .front()
            .is_some_and(|first| first + limits::FAILURE_WINDOW <= call)
        {
            failures.recent.pop_front();
        }
        let last_success = self.last_success.load(Ordering::Relaxed);
        let in_a_row = failures
            .recent
            .iter()
            .filter(|failed| **failed > last_success)
            .count();
        let in_window = failures.recent.len();
        let reason = if in_a_row >= limits::CONSECUTIVE_FAILURES {
            format!("{in_a_row} failures in a row, the last: {failure}")
        } else if in_window > limits::WINDOW_FAILURES_QUARANTINED {
            format!(
                "{in_window} failures in the last {} calls, the last: {failure}",
                limits::FAILURE_WINDOW
            )
        } else {
            if in_window > limits::WINDOW_FAILURES_DEGRADED && !self.is_quarantined() {
                self.state.store(DEGRADED, Ordering::Relaxed);
            }
            return false;
        };
        if self.is_quarantined() {
            return false;
        }
        failures.reason = reason;
        self.state.store(OPEN, Ordering::Relaxed);
        self.transitions.fetch_add(1, Ordering::Release);
        true
    }

    /// Ends the quarantine and clears all faults. False if it was not quarantined.
    pub(super) fn release(&self) -> bool {
        // Held during the change of state: of two concurrent calls only one returns true.
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_quarantined() {
            return false;
        }
        *failures = Failures::default();
        self.state.store(CLOSED, Ordering::Relaxed);
        self.transitions.fetch_add(1, Ordering::Release);
        true
    }
}
