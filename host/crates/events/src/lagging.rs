//! How many subscribers lag behind the ring buffer.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// Number of subscribers that have not received all messages of the ring buffer.
#[derive(Debug, Default)]
pub(super) struct Lagging {
    count: AtomicUsize,
    /// Wakes the dispatcher when no subscriber lags behind.
    drained: Notify,
}

impl Lagging {
    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    pub(super) fn increment(&self) {
        self.count.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn decrement(&self) {
        if self.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.drained.notify_one();
        }
    }

    /// Returns when no subscriber lags behind.
    pub(super) fn drained(&self) -> Notified<'_> {
        self.drained.notified()
    }
}
