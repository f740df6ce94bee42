//! Activity of a connection: whether requests are in flight, and how long it has been idle.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

/// Counts the requests of one connection. Updated for each request, so it neither blocks nor allocates.
#[derive(Debug)]
pub(super) struct Activity {
    opened: Instant,
    in_flight: AtomicUsize,
    begun: AtomicU64,
    /// Microseconds from `opened` to the last start or end of a request.
    changed: AtomicU64,
    /// Whether the socket accepts no data: the client has not received the whole response.
    is_blocked: AtomicBool,
    idle: Notify,
}

impl Default for Activity {
    fn default() -> Self {
        Self {
            opened: Instant::now(),
            in_flight: AtomicUsize::new(0),
            begun: AtomicU64::new(0),
            changed: AtomicU64::new(0),
            is_blocked: AtomicBool::new(false),
            idle: Notify::new(),
        }
    }
}

impl Activity {
    pub(super) fn begin(&self) {
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.record_change();
    }

    pub(super) fn end(&self) {
        // Updated before the count: whoever reads an idle connection also reads the time since when.
        self.record_change();
        if self.in_flight.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.idle.notify_one();
        }
    }

    fn record_change(&self) {
        let elapsed = u64::try_from(self.opened.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.changed.store(elapsed, Ordering::Release);
    }

    pub(super) fn set_blocked(&self, is_blocked: bool) {
        self.is_blocked.store(is_blocked, Ordering::Relaxed);
    }

    /// Number of requests so far.
    pub(super) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    pub(super) fn has_requests_in_flight(&self) -> bool {
        self.in_flight.load(Ordering::Acquire) > 0
    }

    /// When the last request started or ended.
    pub(super) fn changed_at(&self) -> Instant {
        self.opened + Duration::from_micros(self.changed.load(Ordering::Acquire))
    }

    /// Since when the connection is idle; `None` while it is not.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let is_idle = !self.has_requests_in_flight() && !self.is_blocked.load(Ordering::Relaxed);
        is_idle.then(|| self.changed_at())
    }

    /// Waits until the connection has been idle for `time`.
    pub(super) async fn idle_for(&self, time: Duration) {
        loop {
            match self.idle_since() {
                Some(since) if since + time <= Instant::now() => return,
                Some(since) => sleep_until(since + time).await,
                None if self.has_requests_in_flight() => self.idle.notified().await,
                // Blocked: the socket does not notify this task, so it polls.
                None => sleep(time).await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn connection_is_idle_from_the_end_of_its_last_request() {
        let activity = Activity::default();
        let opened = Instant::now();
        assert_eq!(activity.idle_since(), Some(opened));
        activity.begin();
        activity.begin();
        tokio::time::advance(Duration::from_secs(5)).await;
        activity.end();
        assert_eq!(activity.idle_since(), None);
        tokio::time::advance(Duration::from_secs(5)).await;
        activity.end();
        assert_eq!(activity.idle_since(), Some(opened + Duration::from_secs(10)));
        activity.set_blocked(true);
        assert_eq!(activity.idle_since(), None);
        activity.set_blocked(false);
        activity.idle_for(Duration::from_secs(7)).await;
        assert_eq!(opened.elapsed().as_secs(), 17);
    }

    #[tokio::test(start_paused = true)]
    async fn connection_is_not_idle_during_a_request() {
        let activity = Activity::default();
        activity.begin();
        let opened = Instant::now();
        let idle = activity.idle_for(Duration::from_secs(10));
        let request = async {
            sleep(Duration::from_secs(60)).await;
            activity.end();
        };
        tokio::join!(idle, request);
        assert_eq!(opened.elapsed().as_secs(), 70);
    }
}
