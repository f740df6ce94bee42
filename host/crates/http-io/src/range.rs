//! Conditional and range requests by RFC 9110 §13 and §14: from headers and a representation to a decision.

use std::time::{Duration, SystemTime};

use salvo::http::header::{
    HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE, RANGE,
};
use salvo::http::{HeaderMap, Method};

/// What there is to send.
#[derive(Debug, Clone, Copy)]
pub struct Representation<'a> {
    /// Its strong entity tag, with quotes.
    pub tag: &'a str,
    /// When it was last changed, in seconds since 1970.
    pub modified: i64,
    /// Its length in bytes.
    pub length: u64,
}

/// What to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// 200 with everything.
    Full,
    /// 206 with these bytes.
    Partial {
        /// First byte.
        start: u64,
        /// Last byte, included.
        end: u64,
    },
    /// 304.
    NotModified,
    /// 412.
    PreconditionFailed,
    /// 416.
    Unsatisfiable,
}

/// Decides by the preconditions in the order of RFC 9110 §13.2.2, and then by the range.
pub fn decide(method: &Method, headers: &HeaderMap, what: Representation<'_>) -> Decision {
    if headers.contains_key(IF_MATCH) {
        if !any_match_holds(headers, what.tag) {
            return Decision::PreconditionFailed;
        }
    } else if date(headers, &IF_UNMODIFIED_SINCE).is_some_and(|moment| what.modified > moment) {
        return Decision::PreconditionFailed;
    }
    if headers.contains_key(IF_NONE_MATCH) {
        if none_match_fails(headers, what.tag) {
            return Decision::NotModified;
        }
    } else if date(headers, &IF_MODIFIED_SINCE).is_some_and(|moment| what.modified <= moment) {
        return Decision::NotModified;
    }
    // Range is defined for GET alone; a HEAD tells what a GET without it would.
    if method != Method::GET || !if_range_holds(headers, what) {
        return Decision::Full;
    }
    match single(headers, &RANGE).and_then(parse_range) {
        Some(range) => range.within(what.length),
        None => Decision::Full,
    }
}

/// Whether `If-None-Match` names the entity tag, so that the client has it already. Weak comparison.
pub fn none_match_fails(headers: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
    tags(headers, &IF_NONE_MATCH).any(|candidate| candidate == "*" || opaque(candidate) == opaque(tag))
}

/// Whether `If-Match` names the entity tag. Strong comparison.
fn any_match_holds(headers: &HeaderMap, tag: &str) -> bool {
    tags(headers, &IF_MATCH).any(|candidate| candidate == "*" || candidate == tag)
}

fn if_range_holds(headers: &HeaderMap, what: Representation<'_>) -> bool {
    if !headers.contains_key(IF_RANGE) {
        return true;
    }
    match single(headers, &IF_RANGE) {
        Some(tag) if tag.starts_with('"') => tag == what.tag,
        // A date must be exactly ours; a weak tag or junk never holds.
        Some(text) => parse_date(text) == Some(what.modified),
        None => false,
    }
}

/// The entity tags of a list header. Tags may hold commas, so the quotes decide where one ends.
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

/// The value of a header that must be there once; `None` if it is repeated or is no text.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value.trim())
}

fn date(headers: &HeaderMap, name: &HeaderName) -> Option<i64> {
    parse_date(single(headers, name)?)
}

fn parse_date(text: &str) -> Option<i64> {
    let moment = httpdate::parse_http_date(text).ok()?;
    i64::try_from(moment.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs()).ok()
}

/// Seconds since 1970 as an HTTP date.
pub fn format_date(seconds: i64) -> String {
    // Dates that HTTP cannot write, before 1970 and after 9999, become the nearest that it can.
    let seconds = u64::try_from(seconds).unwrap_or(0).min(253_402_300_799);
    httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

#[derive(Debug, Clone, Copy)]
enum RangeSpec {
    /// From the first to the last byte, as far as there are that many.
    Span(u64, u64),
    /// So many at the end.
    Suffix(u64),
}

/// The range of a header that asks for exactly one. Anything else, well-formed or not, is answered in full, which
/// RFC 9110 §14.2 allows: nobody who plays media asks for several.
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

/// Digits; `Some(None)` if there are none. A number beyond all files is as good as the largest.
fn number(digits: &str) -> Option<Option<u64>> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX)))
}

impl RangeSpec {
    fn within(self, length: u64) -> Decision {
        let Some(last_byte) = length.checked_sub(1) else {
            // Of nothing, "the last n bytes" is nothing and "from byte n" is not there.
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
