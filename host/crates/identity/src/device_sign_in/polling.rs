//! How often a device may poll.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::device_sign_in::LIFETIME;
use svc_domain::id::DeviceSignInId;
use svc_domain::time::Timestamp;

/// Time between two polls of a device (RFC 8628, 3.2).
pub const INTERVAL: Duration = Duration::from_secs(5);
/// By how much a device that polls too often has to slow down (RFC 8628, 3.5).
const SLOWER_BY: Duration = Duration::from_secs(5);
/// Maximum time between two polls.
const MAX_INTERVAL: Duration = Duration::from_secs(60);
/// How much earlier a poll may arrive, because the one before took longer.
const TOLERANCE: Duration = Duration::from_secs(1);
/// Maximum of devices in memory; beyond it, those whose codes expired are dropped.
const MAX_DEVICES: usize = 10_000;

#[derive(Debug, Clone, Copy)]
struct Poll {
    at: Timestamp,
    interval: Duration,
}

/// The last polls. In memory only: a restart at most forgets that a device polls too often.
#[derive(Debug, Default)]
pub(super) struct Polling(Mutex<HashMap<DeviceSignInId, Poll>>);

impl Polling {
    /// Notes a poll; `false` if it came too early, which lengthens the interval.
    pub(super) fn note(&self, device: DeviceSignInId, now: Timestamp) -> bool {
        let mut polls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if polls.len() >= MAX_DEVICES {
            polls.retain(|_, poll| since(poll.at, now).is_some_and(|time| time < LIFETIME));
        }
        let first = Poll {
            at: now,
            interval: INTERVAL,
        };
        let Some(last) = polls.insert(device, first) else {
            return true;
        };
        // A clock that was set back tells nothing.
        let waited = since(last.at, now).unwrap_or(MAX_INTERVAL);
        let is_early = waited + TOLERANCE < last.interval;
        let interval = if is_early {
            (last.interval + SLOWER_BY).min(MAX_INTERVAL)
        } else {
            last.interval
        };
        polls.insert(device, Poll { at: now, interval });
        !is_early
    }

    /// Forgets a device that polls no more.
    pub(super) fn forget(&self, device: DeviceSignInId) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&device);
    }
}

fn since(before: Timestamp, now: Timestamp) -> Option<Duration> {
    let millis = now.millis().checked_sub(before.millis())?;
    u64::try_from(millis).ok().map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_polls_lengthen_the_interval_up_to_a_minute() {
        let (polling, device) = (Polling::default(), DeviceSignInId::from(1));
        let mut now = 1_000_000;
        let mut poll = |after: i64| {
            now += after;
            polling.note(device, Timestamp::from_millis(now))
        };
        assert!(poll(0) && poll(5_000) && poll(4_000));
        assert!(!poll(3_999), "less than 5 s");
        assert!(!poll(8_999), "less than 10 s");
        assert!(poll(14_000), "15 s, with the tolerance");
        for _ in 0..100 {
            assert!(!poll(1));
        }
        assert!(!poll(58_000));
        assert!(poll(60_000));
        assert!(poll(-3_600_000), "the clock was set back");
    }

    #[test]
    fn devices_are_independent_and_forgotten() {
        let polling = Polling::default();
        let now = Timestamp::from_millis(0);
        assert!(polling.note(1.into(), now) && polling.note(2.into(), now));
        assert!(!polling.note(1.into(), now));
        polling.forget(1.into());
        assert!(polling.note(1.into(), now) && !polling.note(2.into(), now));
        let later = Timestamp::from_millis(LIFETIME.as_millis() as i64);
        for device in 3..20_000 {
            polling.note(device.into(), if device < 15_000 { now } else { later });
        }
        assert!(polling.0.lock().unwrap().len() <= MAX_DEVICES);
    }
}
