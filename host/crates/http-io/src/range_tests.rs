//! Tests of range and conditional requests.

use salvo::http::HeaderValue;
use svc_covers::covers;

use super::Decision::{Full, NotModified, PreconditionFailed, Unsatisfiable};
use super::*;

const TAG: &str = "\"a-64-1\"";
const MODIFIED: i64 = 784_111_777;
const ON_TIME: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
const EARLIER: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
const LATER: &str = "Sun, 06 Nov 1994 08:49:38 GMT";

const fn part(start: u64, end: u64) -> Decision {
    Decision::Partial { start, end }
}

fn answer(method: Method, headers: &[(&str, &str)], length: u64) -> Decision {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = HeaderName::try_from(*name).unwrap();
        map.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    decide(
        &method,
        &map,
        Representation {
            tag: TAG,
            modified: MODIFIED,
            length,
        },
    )
}

#[covers("R63")]
#[test]
fn range_header_of_get_leads_to_the_expected_decision() {
    // (Range, length of the file, decision)
    let cases: &[(&str, u64, Decision)] = &[
        ("bytes=0-0", 100, part(0, 0)),
        ("bytes=0-49", 100, part(0, 49)),
        ("bytes=0-99", 100, part(0, 99)),
        ("bytes=99-99", 100, part(99, 99)),
        ("bytes=50-", 100, part(50, 99)),
        ("bytes=0-", 100, part(0, 99)),
        ("bytes=99-", 100, part(99, 99)),
        ("bytes=-1", 100, part(99, 99)),
        ("bytes=-100", 100, part(0, 99)),
        ("bytes=-101", 100, part(0, 99)),
        ("bytes=-99999999999999999999999", 100, part(0, 99)),
        ("bytes=0-100", 100, part(0, 99)),
        ("bytes=90-1000", 100, part(90, 99)),
        ("bytes=0-18446744073709551615", 100, part(0, 99)),
        ("bytes=0-18446744073709551616", 100, part(0, 99)),
        ("bytes=5-99999999999999999999999999999999", 100, part(5, 99)),
        ("bytes=100-", 100, Unsatisfiable),
        ("bytes=100-200", 100, Unsatisfiable),
        ("bytes=18446744073709551615-", 100, Unsatisfiable),
        ("bytes=99999999999999999999999-", 100, Unsatisfiable),
        ("bytes=-0", 100, Unsatisfiable),
        ("bytes=0-0", 1, part(0, 0)),
        ("bytes=1-", 1, Unsatisfiable),
        ("bytes=0-", 0, Unsatisfiable),
        ("bytes=0-0", 0, Unsatisfiable),
        ("bytes=-0", 0, Unsatisfiable),
        ("bytes=-5", 0, Full),
        ("bytes=00-09", 100, part(0, 9)),
        // Unit and spaces
        ("Bytes=0-9", 100, part(0, 9)),
        ("BYTES=0-9", 100, part(0, 9)),
        (" bytes=0-9 ", 100, part(0, 9)),
        ("bytes= 0-9", 100, part(0, 9)),
        ("bytes=,0-9", 100, part(0, 9)),
        ("bytes=0-9,", 100, part(0, 9)),
        ("items=0-9", 100, Full),
        ("byte=0-9", 100, Full),
        ("seconds=1-2", 100, Full),
        // Malformed: ignored
        ("", 100, Full),
        ("bytes", 100, Full),
        ("bytes=", 100, Full),
        ("bytes=,", 100, Full),
        ("bytes=-", 100, Full),
        ("bytes=--1", 100, Full),
        ("bytes=5", 100, Full),
        ("bytes=a-b", 100, Full),
        ("bytes=0x0-9", 100, Full),
        ("bytes=1.0-9", 100, Full),
        ("bytes=+1-9", 100, Full),
        ("bytes=9-1", 100, Full),
        ("bytes=0-9-20", 100, Full),
        ("bytes=0 - 9", 100, Full),
        ("bytes=0-9;x", 100, Full),
        ("bytes:0-9", 100, Full),
        ("bytes 0-9/100", 100, Full),
        ("bytes=0\u{2013}9", 100, Full),
        // Several ranges
        ("bytes=0-9,20-29", 100, Full),
        ("bytes=0-9, 20-29, -5", 100, Full),
        ("bytes=0-,0-,0-,0-,0-,0-,0-,0-,0-", 100, Full),
        ("bytes=200-300,400-", 100, Full),
        ("bytes=0-9,junk", 100, Full),
    ];
    for (range, length, expected) in cases {
        assert_eq!(
            answer(Method::GET, &[("range", range)], *length),
            *expected,
            "{range:?} of {length}"
        );
    }
    assert!(cases.len() >= 60);
}

#[covers("R63")]
#[test]
fn conditions_lead_to_the_expected_decision() {
    let cases: &[(&[(&str, &str)], Decision)] = &[
        (&[], Full),
        // If-None-Match
        (&[("if-none-match", TAG)], NotModified),
        (&[("if-none-match", "W/\"a-64-1\"")], NotModified),
        (&[("if-none-match", "*")], NotModified),
        (&[("if-none-match", "\"x\"")], Full),
        (&[("if-none-match", "\"x\", \"a-64-1\"")], NotModified),
        (&[("if-none-match", "\"x\",\"y,z\",\"a-64-1\"")], NotModified),
        (&[("if-none-match", "\"x\""), ("if-none-match", TAG)], NotModified),
        (&[("if-none-match", "a-64-1")], Full),
        (&[("if-none-match", "\"a-64-1")], Full),
        (&[("if-none-match", "")], Full),
        // If-Modified-Since
        (&[("if-modified-since", ON_TIME)], NotModified),
        (&[("if-modified-since", LATER)], NotModified),
        (&[("if-modified-since", EARLIER)], Full),
        (&[("if-modified-since", "yesterday")], Full),
        (
            &[("if-modified-since", "Sunday, 06-Nov-94 08:49:37 GMT")],
            NotModified,
        ),
        (&[("if-none-match", "\"x\""), ("if-modified-since", LATER)], Full),
        (
            &[("if-none-match", TAG), ("if-modified-since", EARLIER)],
            NotModified,
        ),
        // If-Match and If-Unmodified-Since
        (&[("if-match", TAG)], Full),
        (&[("if-match", "*")], Full),
        (&[("if-match", "\"x\"")], PreconditionFailed),
        (&[("if-match", "W/\"a-64-1\"")], PreconditionFailed),
        (&[("if-match", "\"x\", \"a-64-1\"")], Full),
        (&[("if-unmodified-since", ON_TIME)], Full),
        (&[("if-unmodified-since", EARLIER)], PreconditionFailed),
        (&[("if-unmodified-since", "junk")], Full),
        (&[("if-match", TAG), ("if-unmodified-since", EARLIER)], Full),
        (&[("if-match", TAG), ("if-none-match", TAG)], NotModified),
        (
            &[("if-match", "\"x\""), ("if-none-match", TAG)],
            PreconditionFailed,
        ),
        // With a range: 304 and 412 come before 206 and 416
        (&[("range", "bytes=0-9"), ("if-none-match", TAG)], NotModified),
        (&[("range", "bytes=900-"), ("if-none-match", TAG)], NotModified),
        (
            &[("range", "bytes=0-9"), ("if-match", "\"x\"")],
            PreconditionFailed,
        ),
        (&[("range", "bytes=0-9"), ("if-match", TAG)], part(0, 9)),
        (&[("range", "bytes=0-9"), ("range", "bytes=5-9")], Full),
        // If-Range
        (&[("range", "bytes=0-9"), ("if-range", TAG)], part(0, 9)),
        (&[("range", "bytes=0-9"), ("if-range", "\"x\"")], Full),
        (&[("range", "bytes=0-9"), ("if-range", "W/\"a-64-1\"")], Full),
        (&[("range", "bytes=0-9"), ("if-range", ON_TIME)], part(0, 9)),
        (&[("range", "bytes=0-9"), ("if-range", LATER)], Full),
        (&[("range", "bytes=0-9"), ("if-range", EARLIER)], Full),
        (&[("range", "bytes=0-9"), ("if-range", "junk")], Full),
        (&[("range", "bytes=0-9"), ("if-range", "*")], Full),
        (&[("range", "bytes=900-"), ("if-range", "\"x\"")], Full),
        (&[("range", "bytes=900-"), ("if-range", TAG)], Unsatisfiable),
        (&[("if-range", TAG)], Full),
    ];
    for (headers, expected) in cases {
        assert_eq!(answer(Method::GET, headers, 100), *expected, "{headers:?}");
    }
}

#[test]
fn head_ignores_ranges_and_evaluates_conditions() {
    assert_eq!(answer(Method::HEAD, &[("range", "bytes=0-9")], 100), Full);
    assert_eq!(answer(Method::HEAD, &[("range", "bytes=900-")], 100), Full);
    assert_eq!(answer(Method::HEAD, &[("if-none-match", TAG)], 100), NotModified);
    assert_eq!(
        answer(Method::HEAD, &[("if-match", "\"x\"")], 100),
        PreconditionFailed
    );
}

#[test]
fn random_ranges_stay_within_the_file() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    for _ in 0..20_000 {
        let length = next(50);
        let (first, last) = (next(60), next(60));
        let expected = if last < first {
            Full
        } else if first >= length {
            Unsatisfiable
        } else {
            part(first, last.min(length - 1))
        };
        let range = format!("bytes={first}-{last}");
        assert_eq!(
            answer(Method::GET, &[("range", &range)], length),
            expected,
            "{range} of {length}"
        );
    }
}

#[test]
fn dates_are_formatted_as_http_dates() {
    assert_eq!(format_date(MODIFIED), ON_TIME);
    assert_eq!(format_date(-5), "Thu, 01 Jan 1970 00:00:00 GMT");
    assert_eq!(format_date(i64::MAX), "Fri, 31 Dec 9999 23:59:59 GMT");
}
