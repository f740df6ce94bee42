//! The layers of ARCHITECTURE.md.

use svc_covers::covers;
use svc_tests::{SourceFile, host_sources};

/// Files that start programs: the plugin compiler, which is this program.
const STARTS_PROGRAMS: [&str; 1] = ["plugins/compile.rs"];

#[covers("T39")]
#[test]
fn programs_are_started_in_one_place() {
    let sources = host_sources();
    let of_process = |file: &&SourceFile| {
        let code = code(file);
        !is_test(file) && (code.contains("Command::new(") || code.contains("std::process::Command"))
    };
    let starting: Vec<&str> = sources
        .iter()
        .filter(of_process)
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(starting, STARTS_PROGRAMS);
}

/// Modules that a module may name with `crate::`. Whatever is not listed here is not restricted.
const MAY_USE: [(&str, &[&str]); 7] = [
    ("domain", &["domain"]),
    ("store", &["store", "domain"]),
    ("plugins", &["plugins", "domain"]),
    (
        "scan",
        &["scan", "plugins", "store", "domain", "media_root", "tasks"],
    ),
    ("auth", &["auth", "domain", "random", "secret_key", "tasks"]),
    (
        "service",
        &[
            "service",
            "store",
            "plugins",
            "scan",
            "auth",
            "domain",
            "media_root",
            "tasks",
            "config",
            "random",
            "secret_key",
            "data_dir",
            "backups",
            "disk_cache",
            "heap",
        ],
    ),
    ("http", &["http", "service", "auth", "domain", "random", "tasks"]),
];

/// Words that may occur in one module only.
const ONLY_IN: [(&str, &[&str]); 6] = [
    ("wasmtime::", &["plugins"]),
    ("rayon::", &["scan"]),
    ("sqlx::", &["store"]),
    ("salvo::", &["http"]),
    ("StatusCode", &["http"]),
    ("std::env::", &["config", "cli", "app.rs"]),
];

fn module(file: &SourceFile) -> &str {
    file.path.split('/').next().unwrap()
}

/// The file without its tests and comments.
fn code(file: &SourceFile) -> String {
    let text = file.text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn is_test(file: &SourceFile) -> bool {
    file.path.contains("/tests/") || file.path.ends_with("tests.rs") || file.path.ends_with("_tests.rs")
}

#[test]
fn modules_know_only_what_is_below_them() {
    let mut violations = Vec::new();
    for file in host_sources().iter().filter(|file| !is_test(file)) {
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == module(file)) else {
            continue;
        };
        for (number, line) in code(file).lines().enumerate() {
            for used in line
                .match_indices("crate::")
                .map(|(at, _)| &line[at + "crate::".len()..])
            {
                let used = used
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap();
                if !used.is_empty() && !allowed.contains(&used) {
                    violations.push(format!("{} (about line {}): {used}", file.path, number + 1));
                }
            }
        }
    }
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn foreign_libraries_stay_in_their_module() {
    let mut violations = Vec::new();
    for file in host_sources().iter().filter(|file| !is_test(file)) {
        for (word, rooms) in ONLY_IN {
            if !rooms.contains(&module(file)) && code(file).contains(word) {
                violations.push(format!("{}: {word}", file.path));
            }
        }
    }
    assert!(violations.is_empty(), "{violations:#?}");
}

#[covers("T49")]
#[test]
fn sql_stands_in_the_store_only() {
    let words = ["SELECT ", "INSERT INTO", "DELETE FROM", "CREATE TABLE", "UPDATE "];
    let violations: Vec<String> = host_sources()
        .iter()
        .filter(|file| module(file) != "store" && !is_test(file))
        .filter(|file| words.iter().any(|word| code(file).contains(word)))
        .map(|file| file.path.clone())
        .collect();
    assert!(violations.is_empty(), "{violations:#?}");
}
