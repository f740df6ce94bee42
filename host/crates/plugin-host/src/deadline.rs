//! The deadline of a call.
//!
//! The limit is wall-clock time. On a busy machine that would blame guests that got no CPU time. Therefore at the
//! limit the CPU time of the thread decides: a guest that got less than its share is given the rest once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use wasmtime::UpdateDeadline;

use crate::limits;
use crate::stop_reason::StopReason;

/// The deadline of one call. Most calls end before the first tick and never read the clock.
#[derive(Debug, Default)]
pub(super) struct Deadline {
    limit: Duration,
    running: Option<Running>,
    /// Set by the caller when the result is no longer needed.
    cancelled: Option<Arc<AtomicBool>>,
}

#[derive(Debug)]
struct Running {
    started: Instant,
    /// CPU time of the thread at the first check.
    cpu_at_start: Duration,
    /// Set once the guest has been given more wall-clock time.
    extended_to: Option<Duration>,
}

impl Deadline {
    /// Starts a call. The store's epoch deadline has to be the next tick.
    pub(super) fn start(&mut self, limit: Duration, cancelled: Option<&Arc<AtomicBool>>) {
        self.limit = limit;
        self.running = None;
        self.cancelled = cancelled.cloned();
    }

    /// Called by the guest's code when an epoch deadline passes: ends the call, or returns the number of ticks until
    /// the next check.
    pub(super) fn check(&mut self) -> Result<UpdateDeadline, StopReason> {
        let next_check = match &self.cancelled {
            Some(cancelled) if cancelled.load(Ordering::Relaxed) => return Err(StopReason::Cancelled),
            Some(_) => limits::CANCEL_CHECK,
            None => Duration::MAX,
        };
        self.decide(Instant::now(), thread_cpu_time())
            .map(|time| UpdateDeadline::Continue(ticks(time.min(next_check))))
    }

    fn decide(&mut self, now: Instant, cpu_now: Duration) -> Result<Duration, StopReason> {
        let Some(running) = &mut self.running else {
            // The first tick: most calls end before it, so the clock is read only now. The guest gains at most one
            // tick.
            self.running = Some(Running {
                started: now,
                cpu_at_start: cpu_now,
                extended_to: None,
            });
            return Ok(self.limit);
        };
        let elapsed = now.saturating_duration_since(running.started);
        let end = running.extended_to.unwrap_or(self.limit);
        if elapsed < end {
            return Ok(end - elapsed);
        }
        let used = cpu_now.saturating_sub(running.cpu_at_start);
        if running.extended_to.is_some() {
            let starved = used < self.limit / 4;
            return Err(if starved {
                StopReason::Starved(elapsed)
            } else {
                StopReason::Timeout(self.limit)
            });
        }
        if used >= self.limit * 9 / 10 {
            return Err(StopReason::Timeout(self.limit));
        }
        let rest = self.limit - used;
        running.extended_to = Some(elapsed + rest);
        Ok(rest)
    }
}

/// Number of ticks until a time has passed, at least one.
fn ticks(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(limits::TICK.as_nanos().max(1)))
        .unwrap_or(u64::MAX)
        .max(1)
}

fn thread_cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A call with a limit of one second, checked for the first time at its start.
    fn begun() -> (Deadline, Instant) {
        let (mut deadline, now) = (Deadline::default(), Instant::now());
        deadline.start(SECOND, None);
        assert_eq!(deadline.decide(now, Duration::ZERO).unwrap(), SECOND);
        (deadline, now)
    }

    #[test]
    fn guest_with_full_cpu_time_is_stopped_at_the_limit() {
        let (mut deadline, now) = begun();
        assert_eq!(
            deadline.decide(now + SECOND / 4, SECOND / 4).unwrap(),
            SECOND * 3 / 4
        );
        assert!(matches!(
            deadline.decide(now + SECOND, SECOND),
            Err(StopReason::Timeout(SECOND))
        ));
    }

    #[test]
    fn guest_with_half_the_cpu_time_gets_the_other_half_once() {
        let (mut deadline, now) = begun();
        assert_eq!(deadline.decide(now + SECOND, SECOND / 2).unwrap(), SECOND / 2);
        assert_eq!(
            deadline.decide(now + SECOND * 5 / 4, SECOND / 2).unwrap(),
            SECOND / 4
        );
        assert!(matches!(
            deadline.decide(now + SECOND * 3 / 2, SECOND * 3 / 4),
            Err(StopReason::Timeout(SECOND))
        ));
    }

    #[test]
    fn cancelled_guest_is_stopped_soon() {
        let cancelled = Arc::new(AtomicBool::new(false));
        let mut deadline = Deadline::default();
        deadline.start(SECOND * 3600, Some(&cancelled));
        let UpdateDeadline::Continue(after) = deadline.check().unwrap() else {
            panic!("the call continues");
        };
        assert_eq!(after, ticks(limits::CANCEL_CHECK));
        cancelled.store(true, Ordering::Relaxed);
        assert!(matches!(deadline.check(), Err(StopReason::Cancelled)));
    }

    #[test]
    fn guest_without_cpu_time_is_not_blamed() {
        let (mut deadline, now) = begun();
        assert_eq!(deadline.decide(now + SECOND, Duration::ZERO).unwrap(), SECOND);
        assert!(matches!(
            deadline.decide(now + SECOND * 2, SECOND / 10),
            Err(StopReason::Starved(_))
        ));
    }
}
