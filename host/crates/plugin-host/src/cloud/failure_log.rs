//! What a cloud plugin causes in the log: one line a minute at most about its failures, and one of each that it writes
//! itself, because each sign-in and each refresh may cause some.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::limits;

/// When the last line was written, and what came since.
#[derive(Debug, Default)]
struct Seen {
    last: Option<Instant>,
    silent: u64,
}

impl Seen {
    fn is_due(&self, now: Instant) -> bool {
        self.last
            .is_none_or(|last| now.saturating_duration_since(last) >= limits::CLOUD_FAILURE_LOG)
    }

    fn admit(&mut self, now: Instant) -> Option<u64> {
        if !self.is_due(now) {
            self.silent += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.silent))
    }
}

/// The failures of a plugin.
#[derive(Debug, Default)]
pub(super) struct FailureLog(Mutex<Seen>);

impl FailureLog {
    /// Counts a failure. Returns the number of failures that were not logged since the last line if this one is to be
    /// logged.
    pub(super) fn admit(&self, now: Instant) -> Option<u64> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.admit(now)
    }
}

/// The warnings and errors that a plugin writes, by the called function and the text.
#[derive(Debug, Default)]
pub(super) struct RepeatedLines(Mutex<BTreeMap<(&'static str, String), Seen>>);

impl RepeatedLines {
    /// Counts a line. Returns how often it was left out since the last time if it is to be logged. A plugin that makes a
    /// new text for each line is silenced until old ones are due.
    pub(super) fn admit(&self, call: &'static str, text: &str, now: Instant) -> Option<u64> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = (call, text.to_owned());
        if lines.len() >= limits::CLOUD_LOG_TEXTS && !lines.contains_key(&line) {
            lines.retain(|_, seen| !seen.is_due(now));
            if lines.len() >= limits::CLOUD_LOG_TEXTS {
                return None;
            }
        }
        lines.entry(line).or_default().admit(now)
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

    #[test]
    fn each_line_of_a_call_is_logged_once_a_minute() {
        let (lines, start) = (RepeatedLines::default(), Instant::now());
        let admit = |call, text, seconds| lines.admit(call, text, start + Duration::from_secs(seconds));
        assert_eq!(admit("validate", "away", 0), Some(0));
        assert_eq!(admit("validate", "away", 1), None);
        assert_eq!(admit("validate", "status 500", 1), Some(0));
        assert_eq!(admit("exchange", "away", 1), Some(0));
        assert_eq!(admit("validate", "away", 60), Some(1));
    }

    #[test]
    fn texts_of_a_plugin_that_makes_new_ones_are_bounded() {
        let (lines, start) = (RepeatedLines::default(), Instant::now());
        for number in 0..limits::CLOUD_LOG_TEXTS {
            assert_eq!(lines.admit("validate", &number.to_string(), start), Some(0));
        }
        assert_eq!(lines.admit("validate", "one more", start), None);
        let later = start + limits::CLOUD_FAILURE_LOG;
        assert_eq!(lines.admit("validate", "one more", later), Some(0));
    }
}
