//! The clock of the cloud, which a failure switch can set wrong.

use std::sync::atomic::{AtomicI64, Ordering};

use svc_domain::time::{Clock as _, SystemClock};

/// The clock of the system, with an offset.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    offset: AtomicI64,
}

impl Clock {
    /// Milliseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        SystemClock
            .now()
            .millis()
            .saturating_add(self.offset.load(Ordering::SeqCst))
    }

    /// Sets the clock ahead by so many milliseconds; 0 sets it right.
    pub(crate) fn set_offset(&self, milliseconds: i64) {
        self.offset.store(milliseconds, Ordering::SeqCst);
    }
}
