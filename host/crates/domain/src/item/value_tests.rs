//! Tests of the keys of field values.

use serde_json::json;

use super::*;

fn field(field_type: FieldType) -> FieldSchema {
    FieldSchema {
        key: "x.test.field".to_owned(),
        label: [("en".to_owned(), "Field".to_owned())].into(),
        field_type,
        search: false,
        sort: true,
        facet: true,
    }
}

fn key(field_type: FieldType, value: &Json) -> String {
    let values = field(field_type).declared_values(Some(value));
    values[0].values[0].key.clone()
}

#[test]
fn keys_are_in_the_order_of_their_values() {
    let integers = [i64::MIN, -1000, -999, -10, -9, -1, 0, 1, 9, 10, 2019, i64::MAX];
    let keys: Vec<String> = integers
        .iter()
        .map(|number| key(FieldType::Integer, &json!(number)))
        .collect();
    assert!(keys.is_sorted(), "{keys:?}");
    let reals = [f64::MIN, -1e9, -1.5, -1e-9, 0.0, 1e-9, 0.1, 1.0, 1e9, f64::MAX];
    let keys: Vec<String> = reals
        .iter()
        .map(|number| key(FieldType::Real, &json!(number)))
        .collect();
    assert!(keys.is_sorted(), "{keys:?}");
    assert_eq!(
        key(FieldType::Real, &json!(-0.0)),
        key(FieldType::Real, &json!(0.0))
    );
    let texts = ["\"Adam\"", "The Boys", "Boys, The", "Çelik", "Zoo"];
    let keys: Vec<String> = texts
        .iter()
        .map(|text| key(FieldType::Text, &json!(text)))
        .collect();
    assert!(keys.is_sorted(), "{keys:?}");
    let natural = ["a/2", "a/010", "a/11", "A/100", "a 2/1", "disc 2b", "Disc 10"];
    let mut keys: Vec<String> = natural.iter().map(|text| natural_key(text)).collect();
    keys[..4].sort();
    assert_eq!(keys[..4], ["a/2", "a/010", "a/11", "A/100"].map(natural_key));
    assert!(keys[5] < keys[6]);
}

#[test]
fn facet_texts_round_trip() {
    let cases = [
        (FieldType::Text, json!("The Boys"), "The Boys"),
        (FieldType::Texts, json!(["Ärger", "b"]), "Ärger"),
        (FieldType::Integer, json!(-120), "-120"),
        (FieldType::Integer, json!(i64::MIN), "-9223372036854775808"),
        (FieldType::Duration, json!(61_000), "61000"),
        (FieldType::Real, json!(-0.5), "-0.5"),
        (FieldType::Boolean, json!(true), "true"),
        (FieldType::Date, json!("2019-07-04"), "2019"),
    ];
    for (field_type, value, text) in cases {
        let values = field(field_type).declared_values(Some(&value));
        let facet = values.iter().find(|one| one.used_for != ValueUse::Sort).unwrap();
        assert_eq!(field_type.facet_text(&facet.values[0]), text);
        assert_eq!(field_type.facet_key(text).as_ref(), Some(&facet.values[0].key));
    }
    for (field_type, text) in [
        (FieldType::Integer, "1.5"),
        (FieldType::Real, "NaN"),
        (FieldType::Boolean, "yes"),
        (FieldType::Date, "2019-07"),
        (FieldType::Date, "0"),
        (FieldType::Text, " "),
    ] {
        assert_eq!(field_type.facet_key(text), None, "{field_type:?} {text}");
    }
}

#[test]
fn texts_that_differ_in_more_than_case_are_different_values() {
    let keys = ["The Boys", "the boys", "Boys", "A Boys"].map(text_key);
    assert_eq!(keys[0], keys[1]);
    assert!(keys[0] != keys[2] && keys[0] != keys[3] && keys[2] != keys[3]);
}

#[test]
fn several_texts_sort_by_the_first_and_are_counted_once_each() {
    let values = field(FieldType::Texts).declared_values(Some(&json!(["B", "a", "b"])));
    let keys = |at: usize| {
        values[at]
            .values
            .iter()
            .map(|value| value.key.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!((values[0].used_for, keys(0)), (ValueUse::Sort, vec!["b"]));
    assert_eq!((values[1].used_for, keys(1)), (ValueUse::Facet, vec!["b", "a"]));
}

#[test]
fn value_of_another_type_counts_as_absent() {
    for (field_type, value) in [
        (FieldType::Text, json!(7)),
        (FieldType::Texts, json!("text")),
        (FieldType::Integer, json!("7")),
        (FieldType::Boolean, json!(1)),
        (FieldType::Date, json!(2019)),
    ] {
        let values = field(field_type).declared_values(Some(&value));
        assert!(values.iter().all(|one| one.values.is_empty()), "{field_type:?}");
        assert!(
            values[0].sorts,
            "an item without a value has a place in the order"
        );
    }
}
