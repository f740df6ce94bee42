//! `tests/rows.txt` maps each row of the contract to the test that holds it: every operation of the API, every error
//! code, every limit of requests, and the numbered traps and threats of the security notes.

use std::collections::BTreeSet;

use svc_tests::{SourceFile, rust_sources, workspace};

/// Traps of the security notes: their numbers, and the letters of those that were put in between.
const TRAPS: u32 = 65;
const TRAPS_BETWEEN: [&str; 5] = ["33a", "33b", "33c", "50a", "50b"];
/// Threats of the security notes, T01 to this.
const THREATS: u32 = 56;

/// What may be without a test yet: there is no cloud.
const LATER: &str = "later: issue of the cloud";

/// Rows by key; a value is a test's path, or [`LATER`].
fn rows() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(workspace().join("tests/rows.txt")).unwrap();
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (key, value) = line
                .split_once('|')
                .unwrap_or_else(|| panic!("no `|` in {line:?}"));
            (key.trim().to_owned(), value.trim().to_owned())
        })
        .collect()
}

fn operations() -> Vec<String> {
    let document = serde_json::to_value(svc_api::openapi::document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let mut operations = Vec::new();
    for (path, item) in paths {
        let methods = item.as_object().unwrap().keys();
        operations.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
    }
    operations
}

fn limits() -> Vec<String> {
    let text = std::fs::read_to_string(workspace().join("host/src/http/limits.rs")).unwrap();
    let constants = text.lines().filter_map(|line| line.strip_prefix("pub const "));
    constants
        .map(|line| format!("limit {}", line.split(':').next().unwrap()))
        .collect()
}

#[test]
fn every_row_of_the_contract_has_a_line() {
    let known: BTreeSet<_> = rows().into_iter().map(|(key, _)| key).collect();
    let traps = (1..=TRAPS).map(|number| format!("trap {number}"));
    let between = TRAPS_BETWEEN.iter().map(|number| format!("trap {number}"));
    let threats = (1..=THREATS).map(|number| format!("T{number:02}"));
    let codes = svc_api::problem::CODES.iter();
    let codes = codes.map(|(code, _, _)| format!("code {code}"));
    let wanted = operations().into_iter().chain(limits()).chain(codes);
    let wanted = wanted.chain(traps).chain(between).chain(threats);
    let missing: Vec<_> = wanted.filter(|key| !known.contains(key)).collect();
    assert!(
        missing.is_empty(),
        "no line in tests/rows.txt:\n{}",
        missing.join("\n")
    );
}

/// Whether there is a test of this path: a function of its name, marked as a test, in a file of its module.
fn exists(path: &str, sources: &[SourceFile]) -> bool {
    let mut parts: Vec<_> = path.split("::").collect();
    let name = parts.pop().unwrap();
    let module = parts.iter().rev().find(|part| **part != "tests").unwrap_or(&"");
    sources.iter().any(|file| {
        let in_module = file
            .path
            .trim_end_matches(".rs")
            .split('/')
            .any(|part| part == *module || part == format!("{module}_tests"));
        let found = file.text.find(&format!("fn {name}("));
        in_module
            && found.is_some_and(|at| {
                let before = file.text[..at].trim_end_matches("async ").trim_end();
                before.ends_with(']') && before.lines().rev().take(4).any(|line| line.contains("test"))
            })
    })
}

#[test]
fn every_line_names_a_test_that_exists() {
    let sources = rust_sources(&workspace());
    let wrong: Vec<_> = rows()
        .into_iter()
        .filter(|(_, value)| *value != LATER && !exists(value, &sources))
        .map(|(key, value)| format!("{key} | {value}"))
        .collect();
    assert!(
        wrong.is_empty(),
        "no such tests, named in tests/rows.txt:\n{}",
        wrong.join("\n")
    );
}
