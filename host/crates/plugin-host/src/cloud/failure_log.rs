//! Failures of a cloud plugin in the log: one line a minute at most, because each sign-in may cause one.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::limits;

/// When the last line was written, and what came since.
#[derive(Debug, Default)]
pub(super) struct FailureLog(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    last: Option<Instant>,
    silent: u64,
}

impl FailureLog {
    /// Counts a failure. Returns the number of failures that were not logged since the last line if this one is to be
    /// logged.
    pub(super) fn admit(&self, now: Instant) -> Option<u64> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = seen
            .last
            .is_none_or(|last| now.saturating_duration_since(last) >= limits::CLOUD_FAILURE_LOG);
        if !is_due {
            seen.silent += 1;
            return None;
        }
        seen.last = Some(now);
        Some(std::mem::take(&mut seen.silent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn one_failure_a_minute_is_logged_with_the_number_of_the_others() {
        let (log, start) = (FailureLog::default(), Instant::now());
        let admitted: Vec<Option<u64>> = [0, 1, 30, 59, 60, 61, 119, 121]
            .map(|seconds| log.admit(start + Duration::from_secs(seconds)))
            .into();
        let expected = [Some(0), None, None, None, Some(3), None, None, Some(2)];
        assert_eq!(admitted, expected);
    }
}
