//! Tests of output validation: invalid results are faults, unusual but valid ones are accepted.

use crate::tests::*;
use svc_domain::extraction::{Extraction, Value};
use svc_test_support::guests::Part;

fn answer(parts: &[Part]) -> ExtractOutcome {
    let bytes = guests::with_manifest(
        guests::component(&guests::answering(parts)),
        &guests::manifest("answer"),
    );
    let harness = Harness::new().with("answer.wasm", &bytes);
    let plugins = harness.load();
    let plugin = plugins
        .handle("answer")
        .unwrap_or_else(|| panic!("{:?}", plugins.list()));
    plugins.worker().extract(&plugin, &harness.source(&[0; 1000]))
}

#[track_caller]
fn is_rejected(part: Part, reason: &str) {
    let outcome = answer(&[part]);
    assert_eq!(code(&outcome), "bad_output", "{outcome:?}");
    let text = outcome.unwrap_err().to_string();
    assert!(text.contains(reason), "{text}");
}

fn only_value(part: Part) -> Value {
    let Extraction { fields, .. } = answer(&[part]).unwrap().unwrap();
    let [field] = fields.try_into().unwrap();
    field.value
}

#[test]
fn span_outside_of_the_file_is_rejected() {
    is_rejected(Part::BytesAt("x.answer.raw", 990, 11), "outside of the file");
    is_rejected(Part::BytesAt("x.answer.raw", u64::MAX, 2), "outside of the file");
    is_rejected(Part::Picture("image/jpeg", 0, 1001), "outside of the file");
    assert!(matches!(
        only_value(Part::BytesAt("x.answer.raw", 990, 10)),
        Value::BytesAt(_)
    ));
}

#[test]
fn non_finite_number_is_rejected() {
    is_rejected(Part::Real("music.bpm", f64::NAN), "not finite");
    is_rejected(Part::Real("music.bpm", f64::NEG_INFINITY), "not finite");
    is_rejected(Part::Rational("photo.aperture", 28, 0), "denominator");
}

#[test]
fn invalid_date_is_rejected() {
    is_rejected(Part::Date("music.date", 0, None, None), "not a date");
    is_rejected(Part::Date("music.date", 2024, Some(13), None), "not a date");
    is_rejected(Part::Date("music.date", 2024, Some(2), Some(32)), "not a date");
    is_rejected(Part::Date("music.date", 2024, None, Some(3)), "not a date");
    assert!(matches!(
        only_value(Part::Date("music.date", 2024, Some(2), None)),
        Value::Date(_)
    ));
}

#[test]
fn known_key_with_another_type_is_rejected() {
    is_rejected(
        Part::Integer("music.album", 3),
        "`music.album` is text, not integer",
    );
}

#[test]
fn malformed_key_is_rejected() {
    is_rejected(Part::Integer("Music Album", 3), "not a key");
}

#[test]
fn malformed_mime_type_is_rejected() {
    is_rejected(Part::Picture("image/jpeg\r\nX: y", 0, 10), "MIME");
}

#[test]
fn unknown_key_is_dropped_with_a_warning_and_an_own_key_is_kept() {
    let parts = [
        Part::Integer("music.nonsense", 1),
        Part::Integer("x.other.a", 2),
        Part::Integer("x.answer.a", 3),
    ];
    let extraction = answer(&parts).unwrap().unwrap();
    assert_eq!(extraction.fields.len(), 1);
    assert_eq!(extraction.fields[0].key, "x.answer.a");
    assert_eq!(extraction.warnings.len(), 2);
}

#[test]
fn control_characters_are_removed_from_texts() {
    let value = only_value(Part::Text("music.comment", " a\u{1b}[2J\0b\r\nc\td "));
    assert_eq!(value, Value::Text("a[2Jb\ncd".to_owned()));
}

#[test]
fn blank_text_is_dropped() {
    assert_eq!(
        answer(&[Part::Text("music.comment", " \u{1} \n")])
            .unwrap()
            .unwrap()
            .fields,
        []
    );
}
