//! Call statistics of plugins: counted per worker and merged from time to time.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use svc_domain::extraction::ExtractFailure;

/// A worker merges its counters after this many calls.
const MERGE_AFTER: u64 = 64;
/// Buckets of the histogram: four per doubling, from 128 ns to minutes.
const BUCKETS: usize = 128;

/// The codes of failures that are counted, [`ExtractFailure::code`]. A rejected call (`later`) never starts.
const FAILURE_CODES: [&str; 9] = [
    "refused",
    "invalid",
    "unsupported",
    "io",
    "budget",
    "timeout",
    "out_of_memory",
    "trap",
    "bad_output",
];

/// Calls by the code of their failure.
type Failures = [u64; FAILURE_CODES.len()];

/// Statistics of a plugin since the server started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PluginStats {
    /// Calls with any outcome.
    pub calls: u64,
    /// Files that the plugin rejected as not of its kind.
    pub refused: u64,
    /// Other calls without a record, for any reason.
    pub errors: u64,
    /// Those of them that are faults of the plugin: traps, timeouts, memory, invalid output.
    pub plugin_errors: u64,
    /// Median duration of a call in microseconds; the upper bound of a bucket, up to a fifth too high.
    pub p50_us: u64,
    /// 99th percentile of the duration in microseconds.
    pub p99_us: u64,
    /// Maximum linear memory of an instance, in bytes.
    pub max_memory: u64,
    failures: Failures,
}

impl PluginStats {
    /// The number of calls by the code of their failure, of those that occurred.
    pub fn failures(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counted = FAILURE_CODES.into_iter().zip(self.failures);
        counted.filter(|(_, calls)| *calls > 0)
    }
}

/// Counters of one plugin.
#[derive(Debug, Clone)]
pub(super) struct Counters {
    calls: u64,
    refused: u64,
    errors: u64,
    plugin_errors: u64,
    max_memory: u64,
    failures: Failures,
    times: [u32; BUCKETS],
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            calls: 0,
            refused: 0,
            errors: 0,
            plugin_errors: 0,
            max_memory: 0,
            failures: Failures::default(),
            times: [0; BUCKETS],
        }
    }
}

impl Counters {
    /// Counts one call.
    pub(super) fn count(&mut self, failure: Option<&ExtractFailure>, time: Duration, memory: u64) {
        self.calls += 1;
        let code = failure.and_then(|failure| FAILURE_CODES.iter().position(|code| *code == failure.code()));
        if let Some(calls) = code.and_then(|code| self.failures.get_mut(code)) {
            *calls += 1;
        }
        match failure {
            None => {}
            Some(ExtractFailure::Refused(_)) => self.refused += 1,
            Some(failure) => {
                self.errors += 1;
                self.plugin_errors += u64::from(failure.blames_plugin());
            }
        }
        self.max_memory = self.max_memory.max(memory);
        if let Some(bucket) = self.times.get_mut(bucket_of(time)) {
            *bucket = bucket.saturating_add(1);
        }
    }

    /// Whether the counters should be merged now.
    pub(super) fn is_due(&self) -> bool {
        self.calls >= MERGE_AFTER || self.plugin_errors > 0
    }

    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.refused += other.refused;
        self.errors += other.errors;
        self.plugin_errors += other.plugin_errors;
        self.max_memory = self.max_memory.max(other.max_memory);
        for (sum, count) in self.failures.iter_mut().zip(other.failures) {
            *sum += count;
        }
        for (sum, count) in self.times.iter_mut().zip(other.times) {
            *sum = sum.saturating_add(count);
        }
    }

    fn percentile_us(&self, percent: u64) -> u64 {
        let timed: u64 = self.times.iter().copied().map(u64::from).sum();
        let rank = (timed * percent).div_ceil(100);
        let mut seen = 0;
        for (bucket, count) in self.times.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= rank && seen > 0 {
                return upper_end(bucket).div_ceil(1_000);
            }
        }
        0
    }
}

/// Merged counters of one plugin.
#[derive(Debug, Default)]
pub(super) struct SharedStats(Mutex<Counters>);

impl SharedStats {
    /// Adds the counters of a worker and resets them.
    pub(super) fn merge(&self, counted: &mut Counters) {
        if counted.calls > 0 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).add(counted);
            *counted = Counters::default();
        }
    }

    /// The current statistics.
    pub(super) fn snapshot(&self) -> PluginStats {
        let counters = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        PluginStats {
            calls: counters.calls,
            refused: counters.refused,
            errors: counters.errors,
            plugin_errors: counters.plugin_errors,
            p50_us: counters.percentile_us(50),
            p99_us: counters.percentile_us(99),
            max_memory: counters.max_memory,
            failures: counters.failures,
        }
    }
}

/// Four buckets per doubling: the position of the highest bit and the two bits below it.
fn bucket_of(time: Duration) -> usize {
    let units = u32::try_from(time.as_nanos() / 128).unwrap_or(u32::MAX);
    if units < 4 {
        return units as usize;
    }
    let highest = units.ilog2();
    let below = (units >> (highest - 2)) & 0b11;
    ((highest - 1) * 4 + below) as usize
}

/// Upper bound of a bucket in nanoseconds.
fn upper_end(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 4 {
        return (bucket + 1) * 128;
    }
    let highest = bucket / 4 + 1;
    ((5 + bucket % 4) * 128) << (highest - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_bounds_exceed_durations_by_at_most_a_quarter() {
        for nanos in [
            0,
            127,
            128,
            500,
            511,
            512,
            999,
            4_096,
            50_000,
            51_200,
            1_000_000,
            5_000_000_000_u64,
        ] {
            let end = upper_end(bucket_of(Duration::from_nanos(nanos)));
            assert!(end > nanos, "{nanos} ns in a bucket that ends at {end}");
            assert!(
                end <= nanos + (nanos / 4).max(128),
                "{nanos} ns in a bucket that ends at {end}"
            );
        }
    }

    #[test]
    fn failures_are_counted_by_their_codes() {
        let shared = SharedStats::default();
        let mut counters = Counters::default();
        let limit = Duration::from_secs(1);
        let reason = || "reason".to_owned();
        for failure in [
            ExtractFailure::Refused(reason()),
            ExtractFailure::Invalid {
                offset: None,
                reason: reason(),
            },
            ExtractFailure::Unsupported(reason()),
            ExtractFailure::Io(reason()),
            ExtractFailure::Budget(reason()),
            ExtractFailure::Timeout { limit },
            ExtractFailure::OutOfMemory { limit: 1 },
            ExtractFailure::Trap(reason()),
            ExtractFailure::BadOutput(reason()),
        ] {
            counters.count(Some(&failure), limit, 0);
        }
        counters.count(Some(&ExtractFailure::Trap(reason())), limit, 0);
        shared.merge(&mut counters);
        let expected = FAILURE_CODES.map(|code| (code, if code == "trap" { 2 } else { 1 }));
        assert_eq!(shared.snapshot().failures().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn percentiles_come_from_the_merged_counters() {
        let shared = SharedStats::default();
        let mut counters = Counters::default();
        for micros in 1..=100 {
            counters.count(None, Duration::from_micros(micros), micros);
        }
        shared.merge(&mut counters);
        let stats = shared.snapshot();
        assert_eq!((stats.calls, stats.max_memory), (100, 100));
        assert!((50..=63).contains(&stats.p50_us), "{stats:?}");
        assert!((99..=124).contains(&stats.p99_us), "{stats:?}");
        assert_eq!(counters.calls, 0);
    }
}
