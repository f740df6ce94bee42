//! Conditional and range requests (RFC 9110 §13 and §14): decides on the response from request headers and the
//! representation.

use std::time::{Duration, SystemTime};

use salvo::http::header::{
    HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, RANGE,
};
use salvo::http::{HeaderMap, Method};

use crate::headers::single_value;

/// The representation that is requested.
#[derive(Debug, Clone, Copy)]
pub struct Representation<'a> {
    /// Strong entity tag, with quotes.
    pub tag: &'a str,
    /// Last modification, in seconds since 1970.
    pub modified: i64,
    /// Length in bytes.
    pub length: u64,
}

/// The response to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// 200 with the whole representation.
    Full,
    /// 206 with these bytes.
    Partial {
        /// First byte.
        start: u64,
        /// Last byte, inclusive.
        end: u64,
    },
    /// 304.
    NotModified,
    /// 412.
    PreconditionFailed,
    /// 416.
    Unsatisfiable,
}

/// Evaluates the preconditions in the order of RFC 9110 §13.2.2, then the range.
pub fn decide(method: &Method, headers: &HeaderMap, representation: Representation<'_>) -> Decision {
    if headers.contains_key(IF_MATCH) {
        if !any_match_holds(headers, representation.tag) {
            return Decision::PreconditionFailed;
        }
    } else if date(headers, &IF_UNMODIFIED_SINCE).is_some_and(|moment| representation.modified > moment) {
        return Decision::PreconditionFailed;
    }
    if headers.contains_key(IF_NONE_MATCH) {
        if none_match_fails(headers, representation.tag) {
            return Decision::NotModified;
        }
    } else if date(headers, &IF_MODIFIED_SINCE).is_some_and(|moment| representation.modified <= moment) {
        return Decision::NotModified;
    }
    // `Range` is defined for GET only; HEAD responds as a GET without it.
    if method != Method::GET || !if_range_holds(headers, representation) {
        return Decision::Full;
    }
    match single_value(headers, &RANGE).map(str::trim).and_then(parse_range) {
        Some(range) => range.within(representation.length),
        None => Decision::Full,
    }
}

/// Whether `If-None-Match` contains the entity tag, by weak comparison: the client has the representation.
pub fn none_match_fails(headers: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    tags(headers, &IF_NONE_MATCH).any(|candidate| candidate == "*" || opaque(candidate) == opaque(tag))
}

/// Whether `If-Match` contains the entity tag, by strong comparison.
fn any_match_holds(headers: &HeaderMap, tag: &str) -> bool {
    tags(headers, &IF_MATCH).any(|candidate| candidate == "*" || candidate == tag)
}

fn if_range_holds(headers: &HeaderMap, representation: Representation<'_>) -> bool {
    if !headers.contains_key(IF_RANGE) {
        return true;
    }
    match single_value(headers, &IF_RANGE).map(str::trim) {
        Some(tag) if tag.starts_with('"') => tag == representation.tag,
        // A date has to match exactly; a weak tag or an invalid value never matches.
        Some(text) => parse_date(text) == Some(representation.modified),
        None => false,
    }
}

/// The entity tags of a list header. Quoted tags may contain commas.
fn tags<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| {
            let mut rest = line;
            std::iter::from_fn(move || {
                rest = rest.trim_start_matches([' ', '\t', ',']);
                let prefix = if rest.starts_with("W/") { 2 } else { 0 };
                let end = match rest.get(prefix..)?.strip_prefix('"') {
                    Some(inner) => inner.find('"').map(|at| prefix + at + 2)?,
                    None => rest.find(',').unwrap_or(rest.len()),
                };
                let (tag, after) = rest.split_at_checked(end).filter(|(tag, _)| !tag.is_empty())?;
                rest = after;
                Some(tag.trim_end())
            })
        })
}

fn date(headers: &HeaderMap, name: &HeaderName) -> Option<i64> {
    parse_date(single_value(headers, name)?.trim())
}

fn parse_date(text: &str) -> Option<i64> {
    let moment = httpdate::parse_http_date(text).ok()?;
    i64::try_from(moment.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs()).ok()
}

/// Formats seconds since 1970 as an HTTP date.
pub fn format_date(seconds: i64) -> String {
    // HTTP dates have the years 1970 to 9999; others are clamped.
    let seconds = u64::try_from(seconds).unwrap_or(0).min(253_402_300_799);
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

#[derive(Debug, Clone, Copy)]
enum RangeSpec {
    /// First and last byte, limited by the length.
    Span(u64, u64),
    /// Number of bytes at the end.
    Suffix(u64),
}

/// Parses a header with exactly one range. Any other value gets the whole representation, which RFC 9110 §14.2
/// permits: media players never request several ranges.
fn parse_range(value: &str) -> Option<RangeSpec> {
    let (unit, list) = value.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let mut specs = list.split(',').map(str::trim).filter(|spec| !spec.is_empty());
    let spec = specs.next()?;
    if specs.next().is_some() {
        return None;
    }
    let (first, last) = spec.split_once('-')?;
    match (number(first)?, number(last)?) {
        (None, None) => None,
        (None, Some(length)) => Some(RangeSpec::Suffix(length)),
        (Some(first), None) => Some(RangeSpec::Span(first, u64::MAX)),
        (Some(first), Some(last)) => (first <= last).then_some(RangeSpec::Span(first, last)),
    }
}

/// Parses digits; `Some(None)` if there are none. Numbers above `u64::MAX` are clamped.
fn number(digits: &str) -> Option<Option<u64>> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX)))
}

impl RangeSpec {
    fn within(self, length: u64) -> Decision {
        let Some(last_byte) = length.checked_sub(1) else {
            // In an empty representation a suffix is empty, and a first byte is out of range.
            return match self {
                Self::Suffix(1..) => Decision::Full,
                _ => Decision::Unsatisfiable,
            };
        };
        match self {
            Self::Suffix(0) => Decision::Unsatisfiable,
            Self::Suffix(count) => Decision::Partial {
                start: length.saturating_sub(count),
                end: last_byte,
            },
            Self::Span(first, _) if first > last_byte => Decision::Unsatisfiable,
            Self::Span(first, last) => Decision::Partial {
                start: first,
                end: last.min(last_byte),
            },
        }
    }
}

#[cfg(test)]
#[path = "range_tests.rs"]
mod tests;
