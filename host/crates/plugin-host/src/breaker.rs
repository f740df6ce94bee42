//! When a plugin is shut off: five failures of its own in a row, or too large a share of the last 200 files of scans.
//! Nothing else counts (`budget`). Before that, at a smaller share, each file gets a fresh instance, so that one poisoned state cannot be the
//! cause.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::limits;
use svc_domain::extraction::ExtractFailure;

const CLOSED: u8 = 0;
const DEGRADED: u8 = 1;
const OPEN: u8 = 2;

/// One plugin's record of failures in scans, shared by all workers. A call that succeeds costs two relaxed atomics.
///
/// Kept by each process for itself, and gone with it: another server may run another build of the plugin, on another
/// machine, over other disks, and finds out for itself. Released by an operator, or by a new start.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    state: AtomicU8,
    /// Calls begun; numbers the calls.
    calls: AtomicU64,
    /// The highest number of a call that did not fail, as far as workers agree on it.
    last_success: AtomicU64,
    failures: Mutex<Failures>,
}

#[derive(Debug, Default)]
struct Failures {
    /// Numbers of failed calls within the window.
    recent: VecDeque<u64>,
    reason: String,
}

impl Breaker {
    /// Numbers a call.
    pub(super) fn begin(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Whether the plugin may be called.
    pub(super) fn is_open(&self) -> bool {
        self.state.load(Ordering::Relaxed) == OPEN
    }

    /// Whether each file needs a fresh instance.
    pub(super) fn is_degraded(&self) -> bool {
        self.state.load(Ordering::Relaxed) == DEGRADED
    }

    /// Why the plugin is shut off, if it is.
    pub(super) fn open_reason(&self) -> Option<String> {
        self.is_open().then(|| {
            self.failures
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .reason
                .clone()
        })
    }

    /// The call ended without a failure of the plugin.
    pub(super) fn succeeded(&self, call: u64) {
        self.last_success.store(call, Ordering::Relaxed);
    }

    /// The call ended with a failure of the plugin. True when that shut it off.
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
                "{in_window} failures in the last {} files, the last: {failure}",
                limits::FAILURE_WINDOW
            )
        } else {
            if in_window > limits::WINDOW_FAILURES_DEGRADED && !self.is_open() {
                self.state.store(DEGRADED, Ordering::Relaxed);
            }
            return false;
        };
        if self.is_open() {
            return false;
        }
        failures.reason = reason;
        self.state.store(OPEN, Ordering::Relaxed);
        true
    }

    /// Lets the plugin be called again, and forgets all failures. False if it was not shut off.
    pub(super) fn release(&self) -> bool {
        // Held while the state changes: of two who release at once one did it.
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_open() {
            return false;
        }
        *failures = Failures::default();
        self.state.store(CLOSED, Ordering::Relaxed);
        true
    }
}
