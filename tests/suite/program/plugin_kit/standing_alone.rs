//! The folders of the comics and audiobooks plugins, copied out of the repository: what an author has.

use std::fs;
use std::path::Path;

use serde_json::json;
use svc_tests::workspace;

use super::Author;

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// An author with a copy of the folder, and with the component where `svc plugin build` leaves it.
fn author_of(id: &str) -> Author {
    let author = Author::new();
    copy(&workspace().join("plugins").join(id), &author.at(id));
    let built = workspace().join(format!("target/plugins/{id}.wasm"));
    fs::create_dir(author.at(id).join("dist")).unwrap();
    fs::copy(&built, author.at(id).join(format!("dist/{id}.wasm")))
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask plugins`", built.display()));
    author
}

#[track_caller]
fn passes_alone(id: &str, fixtures: &[&str]) {
    let author = author_of(id);
    let manifest = fs::read_to_string(author.at(id).join("Cargo.toml")).unwrap();
    // The SDK, which an author has by its version, is all that lies outside of the folder.
    let outside: Vec<&str> = manifest
        .lines()
        .filter(|line| line.contains("path = ") || line.contains("workspace"))
        .collect();
    assert_eq!(outside, [r#"svc-plugin-api = { path = "../../plugin-api" }"#]);

    let checked = author.passes(&["check", id]);
    assert_eq!(checked["id"], id);
    let tested = author.passes(&["test", id]);
    let records: Vec<_> = tested["golden"]
        .as_array()
        .unwrap()
        .iter()
        .map(|golden| {
            (
                golden["fixture"].as_str().unwrap(),
                golden["status"].as_str().unwrap(),
            )
        })
        .collect();
    let expected: Vec<_> = fixtures.iter().map(|path| (*path, "passed")).collect();
    assert_eq!(records, expected, "{tested:#}");
    // Each field that the manifest declares is in a record.
    assert_eq!(tested["findings"], json!([]), "{tested:#}");
}

#[test]
fn comics_pass_their_tests_in_a_folder_of_their_own() {
    passes_alone("comics", &["Saga 003.cbz"]);
}

#[test]
fn audiobooks_pass_their_tests_in_a_folder_of_their_own() {
    let fixtures = ["Dan Writer/In Parts/01 - Departure.flac", "The Road.m4b"];
    passes_alone("audiobooks", &fixtures);
}
