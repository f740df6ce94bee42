//! `svc plugin keygen`, `sign`, `verify`.

use std::fs;

use svc_test_support::guests;

use super::Author;

#[test]
fn signed_plugin_is_verified_and_a_changed_one_is_not() {
    let author = Author::new();
    fs::write(author.at("a.wasm"), guests::plugin("good", "good")).unwrap();
    let key = author.passes(&["keygen", "key"])["publicKey"]
        .as_str()
        .unwrap()
        .to_owned();
    author.fails(&["keygen", "key"], 1, "file");
    author.fails(&["verify", "a.wasm"], 1, "file");
    author.passes(&["sign", "a.wasm", "--key", "key"]);
    author.passes(&["verify", "a.wasm"]);
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
    author.fails(&["sign", "a.wasm", "--key", "a.wasm.sig"], 1, "key");
}
