//! Dates of partial precision, from their parts and from the text formats of tags.

use crate::PartialDate;

const MS_PER_SECOND: u32 = 1000;
const MAX_OFFSET_MINUTES: i32 = 1080;

/// A date from its parts. The date ends before the first part that is out of range; `None` for a year outside 1 to
/// 9999.
///
/// ```
/// use svc_plugin_api::date_from_parts;
/// let date = date_from_parts(2003, Some(2), Some(30)).unwrap();
/// assert_eq!((date.year, date.month, date.day), (2003, Some(2), None));
/// ```
pub fn date_from_parts(year: u16, month: Option<u8>, day: Option<u8>) -> Option<PartialDate> {
    if !(1..=9999).contains(&year) {
        return None;
    }
    let month = month.filter(|month| (1..=12).contains(month));
    let day = month.and_then(|month| day.filter(|day| (1..=days_in(year, month)).contains(day)));
    Some(PartialDate {
        year,
        month,
        day,
        time_ms: None,
        offset_minutes: None,
    })
}

/// Milliseconds since midnight; `None` if a part is out of range. A leap second counts as the second before it.
pub fn time_of_day_ms(hour: u32, minute: u32, second: u32, millisecond: u32) -> Option<u32> {
    if hour > 23 || minute > 59 || second > 60 || millisecond > 999 {
        return None;
    }
    Some(((hour * 60 + minute) * 60 + second.min(59)) * MS_PER_SECOND + millisecond)
}

/// Parses a date as tags contain them: `2003`, `2003-05`, `2003-05-17`, `20030517`, `2003:05:17 10:11:12.25+02:00`,
/// `2003-05-17T10:11:12Z`. Text after a valid start is ignored; `None` without a year.
///
/// ```
/// use svc_plugin_api::parse_date;
/// let date = parse_date("2003-05-17T10:11:12.5-03:30").unwrap();
/// assert_eq!((date.year, date.month, date.day), (2003, Some(5), Some(17)));
/// assert_eq!(date.time_ms, Some(36_672_500));
/// assert_eq!(date.offset_minutes, Some(-210));
/// assert_eq!(parse_date("    :  :  "), None);
/// ```
pub fn parse_date(text: &str) -> Option<PartialDate> {
    let mut rest = Cursor(text.trim().as_bytes());
    let year = rest.number(4, 4)?;
    let compact = rest.peek().is_some_and(|byte| byte.is_ascii_digit());
    let part = |rest: &mut Cursor| {
        if compact || rest.skip_any(b"-:/.") {
            rest.number(if compact { 2 } else { 1 }, 2)
        } else {
            None
        }
    };
    let month = part(&mut rest);
    let day = if month.is_some() { part(&mut rest) } else { None };
    let mut date = date_from_parts(
        u16::try_from(year).ok()?,
        month.and_then(|month| u8::try_from(month).ok()),
        day.and_then(|day| u8::try_from(day).ok()),
    )?;
    if date.day.is_some() && rest.skip_any(b"T ") {
        date.time_ms = time(&mut rest);
        if date.time_ms.is_some() {
            date.offset_minutes = offset(&mut rest);
        }
    }
    Some(date)
}

/// `10:11`, `10:11:12`, `10:11:12.345`.
fn time(rest: &mut Cursor) -> Option<u32> {
    let hour = rest.number(1, 2)?;
    if !rest.skip_any(b":") {
        return None;
    }
    let minute = rest.number(2, 2)?;
    let second = if rest.skip_any(b":") {
        rest.number(1, 2).unwrap_or(0)
    } else {
        0
    };
    let millisecond = if rest.skip_any(b".,") {
        rest.thousandths()
    } else {
        0
    };
    time_of_day_ms(hour, minute, second, millisecond)
}

/// `Z`, `+02:00`, `-0330`, `+02`.
fn offset(rest: &mut Cursor) -> Option<i16> {
    if rest.skip_any(b"Z") {
        return Some(0);
    }
    let sign = if rest.skip_any(b"+") {
        1
    } else if rest.skip_any(b"-") {
        -1
    } else {
        return None;
    };
    let hours = i32::try_from(rest.number(2, 2)?).ok()?;
    rest.skip_any(b":");
    let minutes = i32::try_from(rest.number(2, 2).unwrap_or(0)).ok()?;
    let offset = hours * 60 + minutes;
    (minutes < 60 && offset <= MAX_OFFSET_MINUTES)
        .then(|| i16::try_from(sign * offset).ok())
        .flatten()
}

fn days_in(year: u16, month: u8) -> u8 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The rest of the text.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    fn skip_any(&mut self, bytes: &[u8]) -> bool {
        match self.0.split_first() {
            Some((first, rest)) if bytes.contains(first) => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    /// A number of `least` to `most` digits; consumes nothing if there are fewer.
    fn number(&mut self, least: usize, most: usize) -> Option<u32> {
        let digits = self
            .0
            .iter()
            .take(most)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits < least {
            return None;
        }
        let (number, rest) = self.0.split_at(digits);
        self.0 = rest;
        Some(
            number
                .iter()
                .fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')),
        )
    }

    /// Decimals in thousandths, truncated.
    fn thousandths(&mut self) -> u32 {
        let mut value = 0;
        let mut unit = 100;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            value += u32::from(digit - b'0') * unit;
            unit /= 10;
            self.skip_any(&[digit]);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::parse_date;

    type Parts = (u16, Option<u8>, Option<u8>, Option<u32>, Option<i16>);

    fn parts(text: &str) -> Option<Parts> {
        parse_date(text).map(|d| (d.year, d.month, d.day, d.time_ms, d.offset_minutes))
    }

    #[test]
    fn parse_date_of_any_precision_keeps_what_is_there() {
        assert_eq!(parts("1999"), Some((1999, None, None, None, None)));
        assert_eq!(parts("1999-00-00"), Some((1999, None, None, None, None)));
        assert_eq!(parts("1999-12"), Some((1999, Some(12), None, None, None)));
        assert_eq!(parts("1999-2-29"), Some((1999, Some(2), None, None, None)));
        assert_eq!(parts("20000229"), Some((2000, Some(2), Some(29), None, None)));
        assert_eq!(
            parts("2016-12-09T07:00:00Z"),
            Some((2016, Some(12), Some(9), Some(25_200_000), Some(0)))
        );
        assert_eq!(
            parts("2008:05:30 15:56:01"),
            Some((2008, Some(5), Some(30), Some(57_361_000), None))
        );
    }

    #[test]
    fn parse_date_of_other_text_is_none() {
        for text in ["", "0000:00:00 00:00:00", "abcd", "99", "\u{661}999"] {
            assert_eq!(parts(text), None, "{text:?}");
        }
    }
}
