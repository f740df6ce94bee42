//! Query parameters, valid and invalid.

use svc_covers::covers;

use super::*;

fn read<T>(query: &[(&str, &str)], read: impl Fn(&mut QueryParams<'_>) -> T) -> (T, usize) {
    let mut params = QueryParams::new(query.iter().copied());
    let value = read(&mut params);
    (value, params.into_errors().len())
}

#[covers("R42")]
#[test]
fn booleans_are_true_false_1_and_0() {
    for (text, expected) in [
        ("true", Some(true)),
        ("1", Some(true)),
        ("false", Some(false)),
        ("0", Some(false)),
    ] {
        assert_eq!(read(&[("b", text)], |r| r.boolean("b", "")), (expected, 0));
    }
    for text in ["", "yes", "TRUE", "2", "null"] {
        assert_eq!(
            read(&[("b", text)], |r| r.boolean("b", "")),
            (None, 1),
            "{text:?}"
        );
    }
    assert_eq!(read(&[], |r| r.boolean("b", "")), (None, 0));
}

#[test]
fn empty_text_is_an_error_or_none() {
    assert_eq!(
        read(&[("t", "x")], |r| r.text("t", "")),
        (Some("x".to_owned()), 0)
    );
    assert_eq!(read(&[("t", "")], |r| r.text("t", "")), (None, 1));
    assert_eq!(read(&[], |r| r.text("t", "")), (None, 0));
    assert_eq!(read(&[("t", "")], |r| r.text_or_none("t", "")), (None, 0));
}

#[test]
fn required_parameter_that_is_missing_or_invalid_is_one_error() {
    for (query, expected) in [
        (vec![("n", "5")], (5, 0)),
        (vec![], (0, 1)),
        (vec![("n", "x")], (0, 1)),
        (vec![("n", "5"), ("n", "6")], (0, 1)),
    ] {
        let read = read(&query, |r| r.required("n", 0_i64, |r| r.integer("n", "", 0..=9)));
        assert_eq!(read, expected, "{query:?}");
    }
}

#[test]
fn integers_are_plain_digits_within_bounds() {
    for (text, valid) in [
        ("0", true),
        ("1000", true),
        ("1001", false),
        ("-1", false),
        ("+1", false),
        ("1.0", false),
        ("1e2", false),
        ("", false),
        (" 1", false),
        ("99999999999999999999", false),
        ("0x10", false),
    ] {
        let (number, errors) = read(&[("n", text)], |r| r.integer::<i64>("n", "", 0..=1000));
        assert_eq!(
            (number.is_some(), errors),
            (valid, usize::from(!valid)),
            "{text:?}"
        );
    }
}

#[test]
fn parameter_given_twice_is_an_error() {
    assert_eq!(
        read(&[("n", "1"), ("n", "1")], |r| r.integer::<i64>("n", "", 0..=9)),
        (None, 1)
    );
}

#[covers("R44")]
#[test]
fn lists_of_texts_have_four_notations() {
    for query in [
        [("a", "x"), ("a", "y")],
        [("a[]", "x"), ("a[]", "y")],
        [("a[0]", "x"), ("a[1]", "y")],
    ] {
        assert_eq!(read(&query, |r| r.texts("a", "")).0, ["x", "y"]);
    }
    assert_eq!(read(&[("a", "x,y")], |r| r.texts("a", "")).0, ["x,y"]);
    assert_eq!(read(&[("a", "x"); 1000], |r| r.texts("a", "")).1, 0);
    assert_eq!(read(&[("a", "x"); 1001], |r| r.texts("a", "")).1, 1);
    assert!(
        read(&[("a[x]", "x"), ("ab", "x")], |r| r.texts("a", ""))
            .0
            .is_empty()
    );
}

#[test]
fn date_times_are_dates_or_times_with_offset() {
    for (text, millis) in [
        ("1970-01-02", Some(86_400_000)),
        ("1970-01-01T00:00:01Z", Some(1000)),
        ("1970-01-01T01:00:00.5+01:00", Some(500)),
        ("1970-01-01T00:00:01", None),
        ("yesterday", None),
        ("1970-13-01", None),
    ] {
        let (date_time, _) = read(&[("m", text)], |r| r.date_time("m", ""));
        assert_eq!(date_time.map(Timestamp::millis), millis, "{text:?}");
    }
}

#[test]
fn numbers_must_have_the_expected_count() {
    assert_eq!(
        read(&[("b", "1,2.5,-3,4")], |r| r.numbers::<4>("b", "")).0,
        Some([1.0, 2.5, -3.0, 4.0])
    );
    for text in ["1,2,3", "1,2,3,4,5", "1,2,3,x", "1,2,3,NaN", "", "1,2,3,"] {
        assert_eq!(
            read(&[("b", text)], |r| r.numbers::<4>("b", "")),
            (None, 1),
            "{text:?}"
        );
    }
}
