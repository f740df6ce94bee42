//! The layers: dependencies between crates, and what only certain crates may use (SQL, environment, processes).

use std::collections::BTreeMap;

use svc_covers::covers;
use svc_tests::{SourceFile, rust_sources, workspace};

/// The crates of the server, and those of ours that each may depend on.
const MAY_USE: [(&str, &[&str]); 14] = [
    ("domain", &[]),
    ("swagger-ui", &[]),
    ("platform", &["domain"]),
    ("database", &["domain"]),
    ("store", &["database", "domain"]),
    ("plugin-host", &["domain"]),
    ("plugin-kit", &["domain", "plugin-host"]),
    ("http-io", &[]),
    ("identity", &["domain", "platform", "store"]),
    (
        "cloud-client",
        &["domain", "identity", "platform", "plugin-host", "store"],
    ),
    ("events", &["domain", "identity"]),
    (
        "indexer",
        &["domain", "events", "identity", "platform", "plugin-host", "store"],
    ),
    (
        "library",
        &[
            "domain",
            "events",
            "identity",
            "indexer",
            "platform",
            "plugin-host",
            "store",
        ],
    ),
    (
        "api",
        &[
            "domain",
            "events",
            "http-io",
            "identity",
            "indexer",
            "library",
            "swagger-ui",
        ],
    ),
];

/// Libraries that only these crates depend on.
const ONLY_IN: [(&str, &[&str]); 7] = [
    ("wasmtime", &["plugin-host"]),
    ("rayon", &["indexer"]),
    ("sqlx", &["database", "store"]),
    ("salvo", &["api", "http-io"]),
    ("hyper-util", &["http-io"]),
    ("argon2", &["platform", "identity"]),
    ("jsonwebtoken", &["identity"]),
];

/// The non-development dependencies of each crate below `host/crates`.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let crates = std::fs::read_dir(workspace().join("host/crates")).unwrap();
    let names = crates.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .map(|name| {
            let path = workspace().join("host/crates").join(&name).join("Cargo.toml");
            let manifest: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
            let dependencies = manifest["dependencies"].as_table().unwrap();
            (name, dependencies.keys().cloned().collect())
        })
        .collect()
}

#[test]
fn crates_depend_only_on_those_below_them() {
    let found = dependencies();
    let listed: Vec<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
    assert!(
        found.keys().all(|name| listed.contains(&name.as_str())) && found.len() == listed.len(),
        "{:?} are not {listed:?}",
        found.keys()
    );
    for (name, allowed) in MAY_USE {
        for used in found[name].iter().filter_map(|used| used.strip_prefix("svc-")) {
            let is_shared_with_plugins = used == "plugin-language";
            assert!(
                allowed.contains(&used) || is_shared_with_plugins,
                "{name} depends on {used}"
            );
        }
    }
}

#[test]
fn libraries_stay_in_their_crates() {
    let found = dependencies();
    for (library, users) in ONLY_IN {
        for (name, used) in &found {
            let uses = used.iter().any(|used| used == library);
            assert!(
                !uses || users.contains(&name.as_str()),
                "{name} depends on {library}"
            );
        }
    }
}

/// Files that start programs: the compiler of plugins, which is this program again, and the author's own compilers
/// (`svc plugin build`), which the server never starts.
const STARTS_PROGRAMS: [&str; 2] = [
    "crates/plugin-host/src/compile.rs",
    "crates/plugin-kit/src/process.rs",
];

/// Folders that read the environment, by `std::env` or by the variables of options.
const READS_ENVIRONMENT: [&str; 2] = ["src/cli/", "src/config/"];

/// The server's files without tests, by their path below `host`.
fn sources() -> Vec<SourceFile> {
    let mut sources = rust_sources(&workspace().join("host"));
    sources.retain(|file| file.path != "build.rs" && !file.is_test());
    assert!(sources.len() > 300, "{} sources", sources.len());
    sources
}

/// The file without its tests and comments.
fn code(file: &SourceFile) -> String {
    let lines = file.without_tests().lines();
    let lines = lines.filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

#[covers("T39")]
#[test]
fn programs_are_started_in_one_place() {
    let sources = sources();
    let starting: Vec<&str> = sources
        .iter()
        .filter(|file| {
            let code = code(file);
            code.lines()
                .any(|line| line.contains("std::process::") && line.contains("Command"))
        })
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(starting, STARTS_PROGRAMS);
}

/// Whether a line reads the environment. The composition root may ask for the path of this program, which compiles plugins
/// as a child process.
fn reads_environment(path: &str, line: &str) -> bool {
    let is_own_path = path == "src/app.rs" && line.contains("std::env::current_exe");
    (line.contains("std::env::") && !is_own_path) || line.contains("env = \"SVC_")
}

#[test]
fn environment_is_read_by_the_configuration() {
    let violations: Vec<String> = sources()
        .into_iter()
        .filter(|file| {
            !READS_ENVIRONMENT
                .iter()
                .any(|allowed| file.path.starts_with(allowed))
        })
        .filter(|file| code(file).lines().any(|line| reads_environment(&file.path, line)))
        .map(|file| file.path)
        .collect();
    assert!(violations.is_empty(), "{violations:#?}");
}

#[covers("T49")]
#[test]
fn sql_stands_in_the_store_and_the_database_only() {
    let words = ["SELECT ", "INSERT INTO", "DELETE FROM", "CREATE TABLE", "UPDATE "];
    let violations: Vec<String> = sources()
        .into_iter()
        .filter(|file| !file.path.starts_with("crates/store/") && !file.path.starts_with("crates/database/"))
        .filter(|file| words.iter().any(|word| code(file).contains(word)))
        .map(|file| file.path)
        .collect();
    assert!(violations.is_empty(), "{violations:#?}");
}
