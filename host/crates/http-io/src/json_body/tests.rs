//! Valid and invalid JSON bodies.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use svc_covers::covers;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Blue,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Inner {
    media_id: String,
    #[serde(default)]
    rate: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Outer {
    name: String,
    #[serde(default)]
    count: u32,
    #[serde(default)]
    offset: i64,
    flag: Option<bool>,
    color: Option<Color>,
    #[serde(default)]
    items: Vec<Inner>,
    inner: Option<Inner>,
    #[serde(default)]
    by_name: BTreeMap<String, Inner>,
    #[serde(default)]
    anything: Value,
}

fn json_error(text: &str) -> (String, String) {
    let error = parse::<Outer>(text.as_bytes()).unwrap_err();
    (error.path(), error.to_string())
}

#[test]
fn fields_of_every_type_are_read_and_unknown_ones_ignored() {
    let body = json!({
        "name": "x", "count": 3, "offset": -5, "flag": null, "color": "blue", "unknown": [{}, [1]],
        "items": [{"mediaId": "a", "rate": 1}, {"mediaId": "b", "rate": 0.5, "more": []}],
        "inner": {"mediaId": "c"}, "byName": {"k": {"mediaId": "d"}},
        "anything": {"deep": [1, -2, 1.5, "t", null, true]},
    });
    let read: Outer = parse(body.to_string().as_bytes()).unwrap();
    assert_eq!((read.name.as_str(), read.count, read.offset), ("x", 3, -5));
    assert!(read.flag.is_none() && matches!(read.color, Some(Color::Blue)));
    assert_eq!((read.items[0].rate, read.items[1].rate), (1.0, 0.5));
    assert_eq!(read.items[1].media_id, "b");
    assert_eq!(read.inner.unwrap().media_id, "c");
    assert_eq!(read.by_name["k"].media_id, "d");
    assert_eq!(read.anything, body["anything"]);
    let red: Outer = parse(br#"{"name": "x", "color": "red"}"#).unwrap();
    assert!(matches!(red.color, Some(Color::Red)));
}

#[test]
fn array_in_place_of_an_object_is_rejected_at_any_depth() {
    for (text, path) in [
        (r#"["x"]"#, ""),
        (r#"{"name": "x", "inner": ["a", 1]}"#, "inner"),
        (
            r#"{"name": "x", "items": [{"mediaId": "a"}, ["b", 1]]}"#,
            "items[1]",
        ),
        (r#"{"name": "x", "byName": {"k": ["a"]}}"#, "byName.k"),
        (r#"{"name": "x", "byName": []}"#, "byName"),
    ] {
        let (at, message) = json_error(text);
        assert_eq!(at, path, "{text}");
        assert!(
            message.ends_with("must be an object") || at.is_empty(),
            "{message}"
        );
    }
    for root in ["[]", "\"x\"", "5", "null", "true"] {
        let expected = (String::new(), "the body must be a JSON object".to_owned());
        assert_eq!(json_error(root), expected, "{root}");
    }
}

#[covers("A10")]
#[test]
fn errors_name_the_path_of_the_field() {
    for (text, path, message) in [
        ("{}", "name", "is missing"),
        (r#"{"name": 5}"#, "name", "must be a string"),
        (r#"{"name": null}"#, "name", "must be a string"),
        (r#"{"name": "x", "name": "y"}"#, "name", "is given more than once"),
        (
            r#"{"name": "x", "count": -1}"#,
            "count",
            "must be a whole number, 0 to 4294967295",
        ),
        (
            r#"{"name": "x", "count": 4294967296}"#,
            "count",
            "must be a whole number, 0 to 4294967295",
        ),
        (
            r#"{"name": "x", "offset": 1.5}"#,
            "offset",
            "must be a whole number",
        ),
        (r#"{"name": "x", "flag": "yes"}"#, "flag", "must be true or false"),
        (
            r#"{"name": "x", "color": "green"}"#,
            "color",
            "must be one of red, blue",
        ),
        (
            r#"{"name": "x", "color": ["red"]}"#,
            "color",
            "must be one of red, blue",
        ),
        (r#"{"name": "x", "items": {}}"#, "items", "must be a list"),
        (
            r#"{"name": "x", "items": [{}]}"#,
            "items[0].mediaId",
            "is missing",
        ),
        (
            r#"{"name": "x", "items": [{"mediaId": "a", "rate": "1"}]}"#,
            "items[0].rate",
            "must be a number",
        ),
        (
            r#"{"name": "x", "byName": {"a.b": {}}}"#,
            "byName.a.b.mediaId",
            "is missing",
        ),
    ] {
        assert_eq!(json_error(text), (path.to_owned(), message.to_owned()), "{text}");
    }
    assert_eq!(
        json_error("{\n\"name\": oops}").1,
        "the body is not valid JSON: line 2, column 9"
    );
    for nothing in ["", "  \n"] {
        assert_eq!(
            json_error(nothing).1,
            "the body is missing; it must be a JSON object"
        );
    }
}
