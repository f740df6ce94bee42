//! Dates in names, in every common order: `2017.04.20`, `20.04.2017`, `04.28.2014`, `20170420`, "23rd Feb 2024".

mod months;

use svc_plugin_api::{PartialDate, date_from_parts};

use super::{Found, Name};
use crate::cursor::{Cursor, word_starts};
use months::month_name;

/// Separators of the parts of a date.
const BETWEEN: &str = ".-_ ";

/// A date anywhere in the name.
pub(super) fn date(name: &Name) -> Option<Found> {
    days(name.text)
}

fn days(text: &str) -> Option<Found> {
    // All of these formats have a year of four digits.
    let has_year = text
        .as_bytes()
        .windows(4)
        .any(|four| four.iter().all(u8::is_ascii_digit));
    let text = if has_year { text } else { "" };
    find(text, |cursor| {
        year_first(cursor)
            .or_else(|| year_last(cursor))
            .or_else(|| compact(cursor))
            .or_else(|| spelled(cursor))
    })
}

/// Dates with a year of two digits, which are ambiguous: `140722`, as in recordings of broadcasts, `22.07.14`,
/// `07.22.14`.
pub(super) fn short_date(name: &Name) -> Option<Found> {
    find(name.text.get(..name.limit)?, |mut cursor| {
        let at = cursor.at;
        let date = match cursor.number(6, 6) {
            Some(number) => whole_date(2000 + number / 10_000, number / 100 % 100, number % 100)?,
            None => parted(&mut cursor)?,
        };
        (at > 0 && cursor.ends_word()).then_some((date, cursor.at))
    })
}

/// Three numbers of two digits: day first, else month first, else year first.
fn parted(cursor: &mut Cursor) -> Option<PartialDate> {
    let first = cursor.number(2, 2)?;
    let separator = cursor.take(".-_")?;
    let second = cursor.number(2, 2)?;
    cursor.take(separator.encode_utf8(&mut [0; 4]))?;
    let third = cursor.number(2, 2)?;
    whole_date(2000 + third, second, first)
        .or_else(|| whole_date(2000 + third, first, second))
        .or_else(|| whole_date(2000 + first, second, third))
}

/// The text without the date at its end: "Show 2016 02 25 S20E142".
pub(super) fn without_trailing(front: &str) -> &str {
    let end = front.trim_end_matches([' ', '.', '-', '_']).len();
    days(front)
        .filter(|found| found.end == end)
        .map_or(front, |found| {
            front
                .get(..found.start)
                .filter(|rest| rest.contains(char::is_alphabetic))
                .unwrap_or(front)
        })
}

fn find(text: &str, read: impl Fn(Cursor) -> Option<(PartialDate, usize)>) -> Option<Found> {
    word_starts(text).find_map(|start| {
        let (date, end) = read(Cursor::new(text, start))?;
        Some(Found {
            start,
            end,
            date: Some(date),
            ..Found::default()
        })
    })
}

fn year_first(mut cursor: Cursor) -> Option<(PartialDate, usize)> {
    let year = cursor.number(4, 4)?;
    let separator = cursor.take(".-_ 年/")?;
    if let Some(month) = month_name(&mut cursor) {
        cursor.skip(BETWEEN, 1);
        let day = day(&mut cursor)?;
        return Some((whole_date(year, month, day)?, cursor.at)).filter(|_| cursor.ends_word());
    }
    let month = cursor.number(1, 2)?;
    let same = if separator == '年' {
        cursor.take("月")
    } else {
        cursor.take(separator.encode_utf8(&mut [0; 4]))
    };
    same?;
    let day = cursor.number(1, 2)?;
    if separator == '年' {
        cursor.take("日");
    }
    Some((whole_date(year, month, day)?, cursor.at))
}

/// Day first; month first if the second number cannot be a month.
fn year_last(mut cursor: Cursor) -> Option<(PartialDate, usize)> {
    let begin = cursor.at;
    let first = cursor.number(1, 2)?;
    let separator = cursor.take(".-_ /")?;
    let second = cursor.number(1, 2)?;
    // "5.1.2019" more likely means channels and a year.
    let is_long = cursor.at - begin > 3 || matches!(separator, '-' | '/');
    cursor.take(separator.encode_utf8(&mut [0; 4]))?;
    let year = cursor.number(4, 4).filter(|_| is_long)?;
    let date = whole_date(year, second, first).or_else(|| whole_date(year, first, second))?;
    cursor.ends_word().then_some((date, cursor.at))
}

fn compact(mut cursor: Cursor) -> Option<(PartialDate, usize)> {
    let number = cursor.number(8, 8)?;
    let date = whole_date(number / 10_000, number / 100 % 100, number % 100)?;
    cursor.ends_word().then_some((date, cursor.at))
}

/// "23rd Feb 2024", "23. Februar 2024", "February 23, 2024", "23 de febrero de 2024".
fn spelled(mut cursor: Cursor) -> Option<(PartialDate, usize)> {
    let (month, day) = if cursor.peek()?.is_alphabetic() {
        // Checked first because the table of months is slow to search.
        let mut following = cursor.rest().trim_start_matches(char::is_alphabetic).chars();
        following
            .find(|character| !BETWEEN.contains(*character))
            .filter(char::is_ascii_digit)?;
        let month = month_name(&mut cursor)?;
        cursor.skip(BETWEEN, 2);
        (month, day(&mut cursor)?)
    } else {
        let day = day(&mut cursor)?;
        cursor.skip(BETWEEN, 2);
        if cursor.any_word(&["de ", "of "]) {
            cursor.skip(BETWEEN, 1);
        }
        (month_name(&mut cursor)?, day)
    };
    cursor.skip(".,-_ ", 2);
    if cursor.word("de ") {
        cursor.skip(BETWEEN, 1);
    }
    let year = cursor.number(4, 4)?;
    let date = whole_date(year, month, day)?;
    cursor.ends_word().then_some((date, cursor.at))
}

/// A day, also as an ordinal number: "23", "23rd", "1st".
fn day(cursor: &mut Cursor) -> Option<u32> {
    let day = cursor.number(1, 2)?;
    let _ = cursor.any_word(&["st", "nd", "rd", "th", "er", "º"]);
    Some(day)
}

/// A complete date within the years of television.
fn whole_date(year: u32, month: u32, day: u32) -> Option<PartialDate> {
    let year = u16::try_from(year)
        .ok()
        .filter(|year| (1930..=2099).contains(year))?;
    date_from_parts(year, u8::try_from(month).ok(), u8::try_from(day).ok()).filter(|date| date.day.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_every_common_order() {
        for (text, expected) in [
            ("A 2017.04.20", Some("2017-4-20")),
            ("A 2017 Apr 20", Some("2017-4-20")),
            ("A 20.04.2017", Some("2017-4-20")),
            ("A 04.28.2014", Some("2014-4-28")),
            ("A 3-12-2014", Some("2014-12-3")),
            ("A 20170420", Some("2017-4-20")),
            ("A 23rd Feb 2024", Some("2024-2-23")),
            ("A February 23, 2024", Some("2024-2-23")),
            ("A 23. Februar 2024", Some("2024-2-23")),
            ("A 3 de enero de 2024", Some("2024-1-3")),
            ("A 12 марта 2024", Some("2024-3-12")),
            ("A 2026年01月10日", Some("2026-1-10")),
            ("A DD5.1.2019", None),
            ("A 31.02.2019", None),
            ("March 10", None),
        ] {
            let starts: Vec<usize> = word_starts(text).collect();
            let name = Name::alone(text, &starts);
            let described = date(&name).and_then(|found| found.date).map(|date| {
                let (month, day) = (date.month.unwrap_or(0), date.day.unwrap_or(0));
                format!("{}-{month}-{day}", date.year)
            });
            assert_eq!(described.as_deref(), expected, "{text}");
        }
    }
}
