//! Every file opens with its contents, and none is too long.

use svc_tests::{rust_sources, workspace};

/// Lines that a file may have.
const MAX_LINES: usize = 400;

#[test]
fn every_file_starts_with_an_opening_comment() {
    let silent: Vec<String> = rust_sources(&workspace())
        .into_iter()
        .filter(|file| !file.text.starts_with("//!") && !file.text.starts_with("#![cfg"))
        .map(|file| file.path)
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn no_file_grows_past_its_bound() {
    let too_long: Vec<String> = rust_sources(&workspace())
        .into_iter()
        .filter(|file| !file.path.contains("test"))
        .filter_map(|file| {
            let lines = file.text.lines().count();
            (lines > MAX_LINES).then(|| format!("{}: {lines} lines, at most {MAX_LINES}", file.path))
        })
        .collect();
    assert!(too_long.is_empty(), "{too_long:#?}");
}
