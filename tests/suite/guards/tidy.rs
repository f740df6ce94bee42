//! Every file opens with its contents; no file and no crate is too long.

use std::collections::BTreeMap;

use svc_tests::{rust_sources, workspace};

/// Lines that a file may have, unless it holds only tests.
const MAX_LINES: usize = 400;
/// Lines that a crate of the server may have, without its tests.
const MAX_CRATE_LINES: usize = 15_000;

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
        .filter(|file| !file.is_test())
        .filter_map(|file| {
            let lines = file.text.lines().count();
            (lines > MAX_LINES).then(|| format!("{}: {lines} lines, at most {MAX_LINES}", file.path))
        })
        .collect();
    assert!(too_long.is_empty(), "{too_long:#?}");
}

#[test]
fn no_crate_grows_past_its_bound() {
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for file in rust_sources(&workspace().join("host/crates")) {
        if let Some((name, _)) = file.path.split_once("/src/")
            && !file.is_test()
        {
            *lines.entry(name.to_owned()).or_default() += file.without_tests().lines().count();
        }
    }
    assert!(
        lines.values().all(|lines| *lines <= MAX_CRATE_LINES),
        "at most {MAX_CRATE_LINES} lines a crate: {lines:#?}"
    );
}
