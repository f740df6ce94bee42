//! Tests may not accept several statuses, or wait for a fixed time.

use svc_tests::{SourceFile, rust_sources, workspace};

/// The tests of host, suite and plugins.
fn test_sources() -> Vec<SourceFile> {
    let sources = rust_sources(&workspace()).into_iter();
    sources
        .filter(|file| {
            let path = &file.path;
            let is_test = ["/tests/", "tests/suite/", "tests/src/"]
                .iter()
                .any(|part| path.contains(part));
            (is_test || path.ends_with("tests.rs")) && !path.ends_with("guards/assertions.rs")
        })
        .collect()
}

fn lines(found: impl Fn(&str) -> bool) -> Vec<String> {
    let sources = test_sources();
    assert!(sources.len() > 100, "{} files", sources.len());
    let of_file = |file: &SourceFile| {
        let numbered = file.text.lines().enumerate();
        let numbered = numbered.filter(|(_, line)| found(line));
        numbered
            .map(|(at, line)| format!("{}:{}: {}", file.path, at + 1, line.trim()))
            .collect::<Vec<_>>()
    };
    sources.iter().flat_map(of_file).collect()
}

/// Whether a text holds a list of statuses that one is looked for in: `[200, 404].contains(`, `200 | 404 =>`.
fn accepts_several(line: &str) -> bool {
    let is_status =
        |text: &str| text.len() == 3 && text.parse().is_ok_and(|status: u16| (100..600).contains(&status));
    let list = line
        .split("].contains(&")
        .next()
        .filter(|list| list.len() < line.len());
    let list = list.and_then(|list| list.rsplit('[').next());
    let of_list = list.is_some_and(|list| {
        list.split(',')
            .map(str::trim)
            .filter(|one| is_status(one))
            .count()
            > 1
    });
    let arms = line
        .split(" | ")
        .map(|arm| arm.trim().trim_end_matches([' ', '=', '>', ')', ',', ';']));
    let of_arms = line.contains("status")
        && arms
            .filter(|arm| is_status(arm.rsplit([' ', '(']).next().unwrap_or(arm)))
            .count()
            > 1;
    let of_either = line.matches("status ==").count() > 1 && line.contains("||");
    of_list || of_arms || of_either
}

#[test]
fn no_assertion_accepts_several_statuses() {
    for line in [
        "assert!([200, 404].contains(&reply.status), \"{at}\");",
        "assert!(matches!(status, 200 | 404));",
        "assert!(reply.status == 200 || reply.status == 404);",
    ] {
        assert!(accepts_several(line), "{line}");
    }
    let accepting = lines(accepts_several);
    assert!(accepting.is_empty(), "{accepting:#?}");
}

/// Files whose tests may wait for a fixed time, with the reason.
const WAITS: [(&str, &str); 0] = [];

/// Whether a line waits for a fixed time.
fn waits_for_a_time(line: &str) -> bool {
    let wait = line.split("sleep(").nth(1);
    wait.is_some_and(|wait| {
        let chosen = wait.contains("Duration::from_");
        // Short waits are polling.
        let millis = wait
            .split("from_millis(")
            .nth(1)
            .and_then(|rest| rest.split(')').next());
        let is_short = millis
            .and_then(|millis| millis.parse::<u64>().ok())
            .is_some_and(|millis| millis <= 200);
        chosen && !is_short && !wait.contains("from_millis(u64") && !wait.contains("from_millis(wait")
    })
}

#[test]
fn no_test_waits_for_a_fixed_time() {
    assert!(waits_for_a_time(
        "tokio::time::sleep(Duration::from_millis(1300)).await;"
    ));
    assert!(waits_for_a_time("std::thread::sleep(Duration::from_secs(1));"));
    let known = |line: &String| WAITS.iter().any(|(file, _)| line.starts_with(file));
    let waiting: Vec<_> = lines(waits_for_a_time)
        .into_iter()
        .filter(|line| !known(line))
        .collect();
    assert!(waiting.is_empty(), "{waiting:#?}");
}

/// What xtask may install; CONTRIBUTING.md names each.
const INSTALLED: [&str; 10] = [
    "wasm32-unknown-unknown",
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "postgresql",
    "cargo-deny",
    "schemathesis",
    "componentize-py",
    "ziglang",
    "jco",
];

#[test]
fn xtask_installs_only_what_contributing_lists() {
    let reported = std::fs::read_to_string(workspace().join("CONTRIBUTING.md")).unwrap();
    for name in INSTALLED {
        assert!(reported.contains(name), "{name}");
    }
    let chores = rust_sources(&workspace().join("xtask/src"));
    let installing = chores.iter().filter(|file| file.text.contains("\"install\""));
    let installing: Vec<&str> = installing.map(|file| file.path.as_str()).collect();
    assert_eq!(
        installing,
        [
            "fuzz_api.rs",
            "lint.rs",
            "plugin_tools.rs",
            "postgres.rs",
            "wasm_target_debian.rs"
        ]
    );
    // The tests install only a database server.
    let tests = chores.iter().find(|file| file.path == "test.rs").unwrap();
    assert_eq!(
        tests.text.matches("install").count(),
        tests.text.matches("find_or_install").count()
    );
}
