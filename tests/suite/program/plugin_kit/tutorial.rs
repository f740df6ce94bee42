//! The commands of `docs/plugins/tutorial.md`, word for word.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use svc_tests::program::program;
use svc_tests::{skipped, workspace};

use super::{Author, rust_is_installed};

/// The lines in blocks of shell commands.
fn commands() -> String {
    let text = fs::read_to_string(workspace().join("docs/plugins/tutorial.md")).unwrap();
    let blocks = text
        .split("```sh\n")
        .skip(1)
        .map(|block| block.split_once("```").unwrap().0);
    blocks.collect()
}

#[test]
fn tutorial_ends_with_an_indexed_item() {
    if let Err(reason) = rust_is_installed() {
        return skipped(&reason);
    }
    let mut author = Author::new();
    fs::create_dir(author.at("bin")).unwrap();
    symlink(program(), author.at("bin/svc")).unwrap();
    author.path = format!("{}:{}", author.at("bin").display(), author.path);
    let script = commands();
    assert!(
        script.contains("svc plugin new") && script.contains("svc index"),
        "{script}"
    );
    let mut shell = Command::new("bash");
    author.prepare(&mut shell);
    let output = shell.args(["-euxc", &script]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{log}");
    assert!(said.contains("\"title\": \"The First Notes\""), "{said}\n{log}");
    let indexed = said.lines().rfind(|line| line.starts_with("notes "));
    let counts: Vec<&str> = indexed.unwrap_or_default().split_whitespace().collect();
    assert_eq!(
        counts.get(1..3),
        Some(&["1", "1"][..]),
        "found and added: {said}\n{log}"
    );
}
