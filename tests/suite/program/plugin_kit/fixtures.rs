//! `svc plugin test`: what it says of fixtures, their records and the fields of the manifest.

use std::fs;

use serde_json::{Value, json};
use svc_test_support::guests::{self, Part};

use super::Author;

/// An author with a plugin, and a folder for its fixtures.
fn author_of(component: &[u8]) -> Author {
    let author = Author::new();
    fs::write(author.at("guest.wasm"), component).unwrap();
    fs::create_dir(author.at("fixtures")).unwrap();
    author
}

/// The status and the text of each finding.
fn findings(tested: &Value) -> Vec<(&str, &str)> {
    let findings = tested["findings"].as_array().unwrap().iter();
    let texts = findings.map(|finding| (finding["status"].as_str(), finding["detail"].as_str()));
    texts
        .map(|(status, detail)| (status.unwrap(), detail.unwrap()))
        .collect()
}

#[test]
fn fixtures_without_records_do_not_pass() {
    let author = author_of(&guests::plugin("good", "guest"));
    let tested = author.passes(&["test", "guest.wasm"]);
    assert_eq!(
        findings(&tested),
        [("warning", "there are none, so no record is compared")]
    );
    fs::write(author.at("fixtures/a.guest"), "any").unwrap();
    let tested = author.plugin(&["test", "guest.wasm"]);
    assert_eq!(tested.code, Some(4), "{tested:#?}");
    let next = tested.json["findings"][0]["next"].as_str().unwrap();
    assert!(next.contains("--bless"), "{tested:#?}");
    author.passes(&["test", "guest.wasm", "--bless"]);
    let tested = author.passes(&["test", "guest.wasm"]);
    assert_eq!(tested["findings"], json!([]), "{tested:#}");
}

#[test]
fn fault_is_never_an_expected_record() {
    let author = author_of(&guests::plugin("trap", "guest"));
    fs::write(author.at("fixtures/a.guest"), "any").unwrap();
    for arguments in [&["test", "guest.wasm"][..], &["test", "guest.wasm", "--bless"]] {
        let tested = author.plugin(arguments);
        assert_eq!(tested.code, Some(4), "{tested:#?}");
        let golden = &tested.json["golden"][0];
        assert_eq!(golden["status"], "failed", "{tested:#?}");
        let fault = golden["differences"][0].as_str().unwrap();
        assert!(fault.starts_with("trap: "), "{fault}");
    }
    assert!(!author.at("fixtures/a.guest.json").exists());
}

#[test]
fn tests_after_too_many_faults_are_not_run() {
    let author = author_of(&guests::plugin("trap", "guest"));
    let tested = author.plugin(&["test", "guest.wasm"]);
    assert_eq!(tested.code, Some(4), "{tested:#?}");
    let tests = tested.json["conformance"].as_array().unwrap();
    let test = |name: &str| tests.iter().find(|test| test["test"] == name).unwrap();
    assert_eq!(test("empty file")["status"], "failed", "{tested:#?}");
    let last = test("concurrent instances");
    assert_eq!(
        (&last["status"], &last["cases"]),
        (&json!("not-run"), &json!(0)),
        "{tested:#?}"
    );
}

#[test]
fn fields_of_records_are_compared_with_the_manifest() {
    let parts = [
        Part::Text("x.guest.series", "a"),
        Part::Integer("x.guest.nummer", 1),
    ];
    let manifest = guests::kind_manifest("guest", "things");
    let component =
        |parts: &[Part]| guests::with_manifest(guests::component(&guests::answering(parts)), &manifest);
    let author = author_of(&component(&parts));
    fs::write(author.at("fixtures/a.shared"), "any").unwrap();
    let tested = author.passes(&["test", "guest.wasm", "--bless"]);
    let detail = "declared, but in no expected record: `x.guest.number`; \
                  returned, but not declared: `x.guest.nummer`";
    assert_eq!(findings(&tested), [("warning", detail)]);

    let parts = [
        Part::Text("x.guest.series", "a"),
        Part::Integer("x.guest.number", 1),
        Part::Integer("x.sheets.number", 1),
    ];
    fs::write(author.at("guest.wasm"), component(&parts)).unwrap();
    let tested = author.plugin(&["test", "guest.wasm", "--bless"]);
    assert_eq!(tested.code, Some(4), "{tested:#?}");
    let detail = "returned, but dropped by the server: `x.sheets.number`";
    assert_eq!(findings(&tested.json), [("failed", detail)]);
}
