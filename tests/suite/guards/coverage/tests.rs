//! The guard itself, on small inputs.

use serde_json::json;
use svc_tests::SourceFile;

use super::attributes::covering_tests;
use super::faults;
use super::requirements::{constants, error_codes, operations, parse_list};

const REQUIREMENTS: &str = "
# Threats
T01 | Every route requires authentication.
T02 | No spelling of a URL leads to a protected route.

T30 | later: issue H | A cloud account is linked by its user alone.
";

const COVERED: &str = r##"
//! `#[covers("T99")]` in a comment is not an attribute.

use svc_covers::covers;

#[covers("T01")]
#[tokio::test(flavor = "multi_thread")]
async fn anonymous_callers_are_refused() {}

#[cfg(test)]
mod tests {
    #[svc_covers::covers(
        "T02",
        "T01",
    )]
    #[test]
    fn urls_are_normalized() {
        let text = "#[covers(\"T98\")]";
    }

    #[test]
    #[ignore]
    fn nothing_in_particular() {}
}
"##;

/// The result of the guard with `source` as the only test source.
fn faults_of(source: &str) -> Vec<String> {
    let file = SourceFile {
        path: "a.rs".to_owned(),
        text: source.to_owned(),
    };
    faults(&parse_list(REQUIREMENTS).unwrap(), &covering_tests(&file))
}

#[test]
fn covered_requirements_have_no_faults() {
    assert_eq!(faults_of(COVERED), [""; 0]);
}

#[test]
fn requirement_without_a_test_is_a_fault() {
    let source = COVERED.replace("\"T02\",", "");
    assert_eq!(
        faults_of(&source),
        ["T02: no test. No spelling of a URL leads to a protected route."]
    );
    assert_eq!(faults_of("").len(), 2);
}

#[test]
fn unknown_requirement_is_a_fault() {
    let source = COVERED.replace("\"T02\"", "\"T02\", \"T03\"");
    assert_eq!(
        faults_of(&source),
        ["a.rs: urls_are_normalized covers \"T03\", which is not required"]
    );
}

#[test]
fn later_requirement_that_a_test_covers_is_a_fault() {
    let source = COVERED.replace("\"T02\"", "\"T02\", \"T30\"");
    assert_eq!(
        faults_of(&source),
        ["a.rs: urls_are_normalized covers \"T30\", which is required later"]
    );
}

#[test]
fn ignored_test_covers_nothing() {
    for ignore in [
        "#[ignore]",
        "#[ignore = \"slow\"]",
        "#[cfg_attr(debug_assertions, ignore)]",
    ] {
        let ignored = format!("{ignore}\n#[svc_covers::covers(");
        let source = COVERED.replace("#[svc_covers::covers(", &ignored);
        assert_eq!(
            faults_of(&source),
            [
                "a.rs: urls_are_normalized is ignored and covers nothing",
                "T02: no test. No spelling of a URL leads to a protected route.",
            ],
            "{ignore}"
        );
    }
}

#[test]
fn requirement_that_is_listed_twice_is_a_fault() {
    let twice = format!("{REQUIREMENTS}T01 | Every route, again.");
    let file = SourceFile {
        path: "a.rs".to_owned(),
        text: COVERED.to_owned(),
    };
    let faults = faults(&parse_list(&twice).unwrap(), &covering_tests(&file));
    assert_eq!(faults, ["T01: required twice"]);
}

#[test]
fn malformed_line_of_the_list_is_an_error() {
    for line in [
        "T01",
        "T01 | ",
        "T01 | sentence",
        " | Every route requires authentication.",
        "T01 | later: issue H",
        "T01 | soon | Every route requires authentication.",
        "T01 | later: issue H | Every route | requires authentication.",
    ] {
        assert!(parse_list(line).is_err(), "{line}");
    }
}

#[test]
fn requirements_are_derived_from_the_api_description_and_the_limits() {
    let table = "Errors.\n\n| Code | Status | Meaning |\n|---|---|---|\n| `busy` | 503 | Try later. |\n";
    let document = json!({
        "info": {"description": table},
        "paths": {"/movies": {"get": {}, "post": {}}, "/movies/{id}": {"get": {}}},
    });
    assert_eq!(error_codes(&document), ["busy"]);
    assert_eq!(
        operations(&document),
        ["GET /movies", "POST /movies", "GET /movies/{id}"]
    );
    let source = "/// Bytes.\npub const BODY: usize = 1;\npub(crate) const TIME: u8 = 1;\nconst OWN: u8 = 1;";
    assert_eq!(constants(source), ["BODY", "TIME"]);
}
