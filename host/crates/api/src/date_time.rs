//! Dates and times in queries and bodies.

use serde::Deserialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;

use svc_domain::time::Timestamp;

/// Parses ISO 8601 with an offset, or a date, which means midnight in UTC. `None` for other texts.
pub(crate) fn parse_date_time(text: &str) -> Option<Timestamp> {
    let date_time = OffsetDateTime::parse(text, &Rfc3339).ok();
    let midnight = || {
        let date = time::Date::parse(text, format_description!("[year]-[month]-[day]")).ok()?;
        Some(date.midnight().assume_utc())
    };
    let millis = date_time.or_else(midnight)?.unix_timestamp_nanos() / 1_000_000;
    i64::try_from(millis).ok().map(Timestamp::from_millis)
}

/// What a text must be that [`parse_date_time`] accepts.
pub(crate) const DATE_TIME: &str = "must be a date (2026-11-21) or a date with time (2026-11-21T10:30:00Z)";

/// A date, or a date with time and offset, in a body.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct DateTime(pub(crate) Timestamp);

impl TryFrom<String> for DateTime {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        parse_date_time(&text).map(Self).ok_or(DATE_TIME)
    }
}

/// Local time in a body, written as UTC: `2021-07-14T10:30:00Z`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct LocalTime(pub(crate) Timestamp);

impl TryFrom<String> for LocalTime {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let time = parse_date_time(&text).filter(|_| text.ends_with(['Z', 'z']));
        time.map(Self)
            .ok_or("must be local time written as UTC, such as 2021-07-14T10:30:00Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_time_is_written_as_utc() {
        for (text, valid) in [
            ("2021-07-14T10:30:00Z", true),
            ("2021-07-14T10:30:00z", true),
            ("2021-07-14T10:30:00+02:00", false),
            ("2021-07-14", false),
            ("Z", false),
        ] {
            assert_eq!(LocalTime::try_from(text.to_owned()).is_ok(), valid, "{text}");
        }
    }
}
