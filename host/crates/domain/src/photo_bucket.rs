//! Timeline buckets: days and months in local time.

use std::fmt;
use std::str::FromStr;

use crate::photo::days_since_epoch;
use crate::time::Timestamp;

/// Milliseconds per day.
const DAY: i64 = 86_400_000;

/// Days since 1970 of a local time that is stored as if it were UTC.
pub fn day_of(moment: Timestamp) -> i32 {
    i32::try_from(moment.millis().div_euclid(DAY)).unwrap_or_default()
}

/// The size of the buckets of a timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Granularity {
    /// One bucket per day.
    Day,
    /// One bucket per month.
    Month,
}

/// A day or a month: `2021-07-14`, `2021-07`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BucketName {
    year: i64,
    month: u8,
    day: Option<u8>,
}

/// The text is neither a day nor a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a day such as 2021-07-14 or a month such as 2021-07")]
pub struct InvalidBucket;

/// The photos of a day or month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhotoBucket {
    /// Day or month.
    pub name: BucketName,
    /// Number of photos.
    pub count: i64,
    /// When the first was taken.
    pub from: Timestamp,
    /// When the last was taken.
    pub to: Timestamp,
}

/// Year, month and day from days since 1970 (proleptic Gregorian calendar).
fn date_of(day: i64) -> (i64, u8, u8) {
    let shifted = day + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (
        year,
        u8::try_from(month).unwrap_or(1),
        u8::try_from(day).unwrap_or(1),
    )
}

impl BucketName {
    /// The bucket of a day, given in days since 1970.
    pub fn holding(day: i32, granularity: Granularity) -> Self {
        let (year, month, day) = date_of(i64::from(day));
        Self {
            year,
            month,
            day: (granularity == Granularity::Day).then_some(day),
        }
    }

    fn first_day(self) -> i64 {
        days_since_epoch(self.year, i64::from(self.month), i64::from(self.day.unwrap_or(1)))
    }

    fn end_day(self) -> i64 {
        match (self.day, self.month) {
            (Some(_), _) => self.first_day() + 1,
            (None, 12) => days_since_epoch(self.year + 1, 1, 1),
            (None, month) => days_since_epoch(self.year, i64::from(month) + 1, 1),
        }
    }

    /// Start, and end (exclusive).
    pub fn range(self) -> (Timestamp, Timestamp) {
        (
            Timestamp::from_millis(self.first_day() * DAY),
            Timestamp::from_millis(self.end_day() * DAY),
        )
    }
}

impl fmt::Display for BucketName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)?;
        match self.day {
            Some(day) => write!(f, "-{day:02}"),
            None => Ok(()),
        }
    }
}

impl FromStr for BucketName {
    type Err = InvalidBucket;

    fn from_str(text: &str) -> Result<Self, InvalidBucket> {
        let number = |part: &str, length: std::ops::RangeInclusive<usize>| {
            let digits = length.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse::<u32>().ok()).flatten()
        };
        let mut parts = text.split('-');
        let year = parts.next().and_then(|part| number(part, 4..=5));
        let month = parts.next().and_then(|part| number(part, 2..=2));
        let (year, month) = year.zip(month).ok_or(InvalidBucket)?;
        let day = match parts.next() {
            Some(part) => Some(number(part, 2..=2).ok_or(InvalidBucket)?),
            None => None,
        };
        let narrow = |number: u32| u8::try_from(number).map_err(|_| InvalidBucket);
        let name = Self {
            year: i64::from(year),
            month: narrow(month)?,
            day: day.map(narrow).transpose()?,
        };
        if parts.next().is_some() || !(1..=12).contains(&name.month) {
            return Err(InvalidBucket);
        }
        // A day that does not exist in its month converts back to another date.
        match name.day {
            Some(day) if date_of(name.first_day()) != (name.year, name.month, day) => Err(InvalidBucket),
            _ => Ok(name),
        }
    }
}

/// Merges buckets per day, in order, into buckets of this granularity.
pub fn buckets_of(
    days: impl IntoIterator<Item = (i32, PhotoBucket)>,
    granularity: Granularity,
) -> Vec<PhotoBucket> {
    let mut buckets: Vec<PhotoBucket> = Vec::new();
    for (day, photos) in days {
        let name = BucketName::holding(day, granularity);
        match buckets.last_mut().filter(|last| last.name == name) {
            Some(last) => {
                last.count += photos.count;
                last.from = last.from.min(photos.from);
                last.to = last.to.max(photos.to);
            }
            None => buckets.push(PhotoBucket { name, ..photos }),
        }
    }
    buckets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_names_round_trip_for_centuries() {
        for day in -200_000..200_000 {
            let name = BucketName::holding(day, Granularity::Day);
            assert_eq!(name.to_string().parse(), Ok(name), "{day}");
            let (from, to) = name.range();
            assert_eq!((day_of(from), day_of(to)), (day, day + 1));
            let (first, end) = BucketName::holding(day, Granularity::Month).range();
            assert!(first <= from && to <= end);
        }
    }

    #[test]
    fn bucket_names_are_calendar_dates() {
        for (text, from, days) in [
            ("1970-01", 0, 31),
            ("1970-01-02", 86_400_000, 1),
            ("2020-02", 1_580_515_200_000, 29),
            ("2021-12", 1_638_316_800_000, 31),
            ("1969-12-31", -86_400_000, 1),
        ] {
            let name: BucketName = text.parse().unwrap();
            let (first, end) = name.range();
            assert_eq!(
                (first.millis(), (end.millis() - first.millis()) / DAY),
                (from, days),
                "{text}"
            );
            assert_eq!(name.to_string(), text);
        }
        for bad in [
            "",
            "2021",
            "2021-13",
            "2021-00",
            "2021-02-29",
            "2021-04-31",
            "2021-07-14-",
            "21-07",
            "2021-7",
            "2021-07-1",
            "+2021-07",
            "2021-07-14T",
            "2021/07",
        ] {
            assert_eq!(bad.parse::<BucketName>(), Err(InvalidBucket), "{bad}");
        }
    }

    #[test]
    fn times_before_1970_belong_to_their_own_day() {
        assert_eq!(day_of(Timestamp::from_millis(-1)), -1);
        assert_eq!(day_of(Timestamp::from_millis(0)), 0);
    }
}
