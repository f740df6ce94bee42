//! `svc plugin keygen`, `sign`, `verify`.

use std::fs;

use serde_json::Value;
use svc_test_support::guests;

use super::Author;

#[test]
fn folder_stands_for_the_component_that_was_built_of_it() {
    let author = Author::new();
    author.passes(&["new", "notes", "--lang", "c", "--kind", "music"]);
    author.passes(&["keygen", "key"]);
    let said = author.fails(&["sign", "notes", "--key", "key"], 1, "file");
    assert!(said.contains("svc plugin build"), "{said}");
    fs::create_dir(author.at("notes/dist")).unwrap();
    fs::write(
        author.at("notes/dist/notes.wasm"),
        guests::plugin("good", "notes"),
    )
    .unwrap();
    let signed = author.passes(&["sign", "notes", "--key", "key"]);
    assert_eq!(signed["signature"], "notes/dist/notes.wasm.sig");
    author.passes(&["verify", "notes"]);
    author.fails(&["verify"], 1, "no_project");
}

#[test]
fn signed_plugin_is_verified_and_a_changed_one_is_not() {
    let author = Author::new();
    fs::write(author.at("a.wasm"), guests::plugin("good", "good")).unwrap();
    let key = author.passes(&["keygen", "key"])["publicKey"]
        .as_str()
        .unwrap()
        .to_owned();
    let said = author.fails(&["keygen", "key"], 1, "argument");
    assert!(said.contains("never overwritten"), "{said}");
    author.fails(&["verify", "a.wasm"], 1, "file");
    author.passes(&["sign", "a.wasm", "--key", "key"]);
    author.passes(&["verify", "a.wasm"]);
    author.passes(&["check", "a.wasm"]);
    author.passes(&["verify", "a.wasm", "--key", &key]);
    let inspected = author.passes(&["inspect", "a.wasm"]);
    assert_eq!(inspected["signature"]["publicKey"], key.as_str(), "{inspected:#}");

    let other = author.passes(&["keygen", "other"])["publicKey"]
        .as_str()
        .unwrap()
        .to_owned();
    let verdict = author.plugin(&["verify", "a.wasm", "--key", &other]);
    assert_eq!(
        (verdict.code, &verdict.json["valid"]),
        (Some(4), &false.into()),
        "{verdict:#?}"
    );

    fs::write(author.at("a.wasm"), guests::plugin("good", "evil")).unwrap();
    let verdict = author.plugin(&["verify", "a.wasm", "--key", &key]);
    assert_eq!(verdict.code, Some(4), "{verdict:#?}");
    assert!(
        verdict.json["reason"]
            .as_str()
            .unwrap()
            .contains("changed after it was signed"),
        "{verdict:#?}"
    );
    let checked = author.plugin(&["check", "a.wasm"]);
    assert_eq!(checked.code, Some(4), "{checked:#?}");
    let checks = checked.json["checks"].as_array().unwrap();
    let is_failed = |check: &&Value| check["status"] == "failed";
    let failed: Vec<&Value> = checks
        .iter()
        .filter(is_failed)
        .map(|check| &check["check"])
        .collect();
    assert_eq!(failed, ["signature"], "{checked:#?}");
    author.fails(&["sign", "a.wasm", "--key", "a.wasm.sig"], 1, "key");
}
