//! Timestamps, and the clock that returns them.

use serde::{Serialize, Serializer};
use time::OffsetDateTime;
use time::macros::format_description;

/// A point in time: milliseconds since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since 1970 UTC.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970 UTC.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970 UTC.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// ISO 8601 in UTC with milliseconds: `2026-11-21T01:02:03.456Z`.
    pub fn to_iso(self) -> String {
        let format =
            format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .ok()
            .and_then(|moment| moment.format(&format).ok())
            .unwrap_or_else(|| "1970-01-01T00:00:00.000Z".to_owned())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_iso())
    }
}

/// A source of the current time. A parameter, so that tests can set it.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// The clock of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the machine's clock"
    )]
    fn now(&self) -> Timestamp {
        let since_epoch = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_prints_iso_with_milliseconds() {
        assert_eq!(
            Timestamp::from_millis(1_700_000_000_123).to_iso(),
            "2023-11-14T22:13:20.123Z"
        );
        assert_eq!(Timestamp::from_millis(-1).to_iso(), "1969-12-31T23:59:59.999Z");
    }
}
