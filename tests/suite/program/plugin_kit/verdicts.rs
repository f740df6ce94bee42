//! What the verbs say of plugins and arguments that are not as they should be.

use std::fs;

use serde_json::Value;
use svc_test_support::guests;

use super::Author;

/// The failures that `svc plugin test` lists for a guest of `tests/guests`, by test.
fn conformance(guest: &str) -> Vec<(String, Vec<Value>)> {
    let author = Author::new();
    fs::write(author.at("guest.wasm"), guests::plugin(guest, "guest")).unwrap();
    let tested = author.plugin(&["test", "guest.wasm"]);
    let tests = tested.json["conformance"].as_array().unwrap().iter();
    let failed: Vec<_> = tests
        .map(|test| {
            let failures = test["failures"].as_array().unwrap().clone();
            (test["test"].as_str().unwrap().to_owned(), failures)
        })
        .filter(|(_, failures)| !failures.is_empty())
        .collect();
    assert_eq!(tested.code == Some(4), !failed.is_empty(), "{tested:#?}");
    failed
}

#[track_caller]
fn fails_in(guest: &str, test: &str, reason: &str) {
    let failed = conformance(guest);
    let found = failed.iter().find(|(name, _)| name == test);
    let (_, failures) = found.unwrap_or_else(|| panic!("{guest} passes `{test}`: {failed:#?}"));
    let first = failures[0].as_str().unwrap();
    assert!(first.contains(reason), "{guest}: {first}");
}

#[test]
fn good_guest_passes_the_conformance_tests() {
    let failed = conformance("good");
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn plugin_that_keeps_state_is_found() {
    fails_in("leaky", "state between files", "another record after");
}

#[test]
fn plugin_that_traps_is_found() {
    fails_in("trap", "empty file", "trapped");
    fails_in("endless_loop", "content of another format", "stopped after 0.2s");
    fails_in("memory_hog", "content of another format", "bytes of memory");
}

#[test]
fn check_lists_everything_that_is_wrong_at_once() {
    let author = Author::new();
    let manifest = guests::manifest("guest")
        .replace("log =", "related =")
        .replace("interface = \"0.1\"", "interface = \"0.9\"")
        .replace("memory-mib = 64", "memory-mib = 9999")
        + "\n[waveform]\nextensions = [\"wav\"]\n";
    let bytes = guests::with_manifest(guests::component(&guests::body("good")), &manifest);
    fs::write(author.at("guest.wasm"), bytes).unwrap();
    let checked = author.plugin(&["check", "guest.wasm"]);
    assert_eq!(checked.code, Some(4), "{checked:#?}");
    let found = |check: &str, status: &str, text: &str| {
        let checks = checked.json["checks"].as_array().unwrap();
        let is_it = |found: &&Value| {
            found["check"] == check && found["status"] == status && found.to_string().contains(text)
        };
        let found = checks.iter().find(is_it);
        assert!(
            found.is_some_and(|found| found["next"].is_string()),
            "{check} {text}: {checked:#?}"
        );
    };
    found("interface version", "failed", "built for 0.9");
    found("import", "failed", "no permission `log`");
    found("permissions", "warning", "`related` is granted but not imported");
    found("export", "failed", "promises `waveform`");
    found("limits", "warning", "9999 requested, 256 granted");
}

#[test]
fn plugin_for_the_kind_of_another_is_checked_beside_it() {
    let author = Author::new();
    fs::create_dir(author.at("plugins")).unwrap();
    let things = guests::kind_plugin(&guests::body("good"), "things", "things");
    fs::write(author.at("plugins/things.wasm"), things).unwrap();
    fs::write(author.at("plugins/notes.txt"), "no plugin").unwrap();
    let manifest = guests::manifest("more").replace("kind = \"music\"", "kind = \"things\"");
    let more = guests::with_manifest(guests::component(&guests::body("good")), &manifest);
    fs::write(author.at("more.wasm"), more).unwrap();
    let alone = author.plugin(&["check", "more.wasm"]);
    assert_eq!(alone.code, Some(4), "{alone:#?}");
    assert!(alone.json.to_string().contains("--plugin-dir DIR"), "{alone:#?}");
    author.passes(&["check", "more.wasm", "--plugin-dir", "plugins"]);
    fs::write(author.at("a.more"), "any").unwrap();
    let ran = author.passes(&["run", "more.wasm", "a.more", "--plugin-dir", "plugins"]);
    assert_eq!(ran["files"][0]["record"]["extraction"]["title"], "ok", "{ran:#}");
}

#[test]
fn check_lists_every_error_of_the_manifest() {
    let author = Author::new();
    let manifest = guests::manifest("guest")
        .replace("log =", "network =")
        .replace("version =", "versoin =");
    let bytes = guests::with_manifest(guests::component(&guests::body("good")), &manifest);
    fs::write(author.at("guest.wasm"), bytes).unwrap();
    let checked = author.plugin(&["check", "guest.wasm"]);
    assert_eq!(checked.code, Some(4), "{checked:#?}");
    let checks = checked.json["checks"].as_array().unwrap().iter();
    let problems: Vec<String> = checks
        .filter(|check| check["check"] == "manifest")
        .map(|check| check["detail"].as_str().unwrap().to_owned())
        .collect();
    for word in ["network", "versoin", "`version`"] {
        assert!(
            problems.iter().any(|problem| problem.contains(word)),
            "{word}: {problems:#?}"
        );
    }
    assert!(
        problems.iter().all(|problem| problem.contains("line ")),
        "{problems:#?}"
    );
}

#[test]
fn file_that_is_no_plugin_is_named_with_the_next_step() {
    let author = Author::new();
    fs::write(author.at("text.wasm"), "hello").unwrap();
    fs::write(author.at("module.wasm"), b"\0asm\x01\0\0\0").unwrap();
    for verb in ["check", "test", "inspect"] {
        author.fails(&[verb, "nowhere.wasm"], 1, "file");
    }
    author.fails(&["inspect", "text.wasm"], 1, "not_a_plugin");
    let said = author.fails(&["inspect", "module.wasm"], 1, "not_a_plugin");
    assert!(said.contains("svc plugin build --module"), "{said}");
    let said = author.fails(&["check", "."], 1, "no_project");
    assert!(said.contains("svc plugin new"), "{said}");
}

#[test]
fn missing_compiler_is_named_with_its_installation() {
    let author = Author::without_tools();
    for (language, tool, installation) in [
        ("rust", "wasm32-unknown-unknown", "rustup target add"),
        ("python", "componentize-py", "pip install"),
        ("js", "jco", "npm install"),
        ("c", "C compiler", "pip install"),
    ] {
        let folder = format!("in-{language}");
        author.passes(&["new", &folder, "--lang", language, "--kind", "music"]);
        let said = author.fails(&["build", &folder], 3, "tool_missing");
        assert!(said.contains(tool) && said.contains(installation), "{said}");
    }
}

#[test]
fn wrong_arguments_of_new_leave_nothing_behind() {
    let author = Author::new();
    author.fails(
        &["new", "Wrong Name", "--lang", "c", "--kind", "music"],
        1,
        "argument",
    );
    assert!(!author.at("Wrong Name").exists());
    author.passes(&["new", "right", "--lang", "c", "--kind", "music"]);
    author.fails(&["new", "right", "--lang", "c", "--kind", "music"], 1, "argument");
}

#[test]
fn invalid_manifest_is_reported_with_every_line() {
    let author = Author::new();
    author.passes(&["new", "notes", "--lang", "c", "--kind", "music"]);
    let path = author.at("notes/plugin.toml");
    let text = fs::read_to_string(&path).unwrap();
    let wrong = text
        .replace("version = \"0.1.0\"", "version = \"one\"")
        .replace("read-mib = 4", "read-mib = 0");
    fs::write(&path, wrong).unwrap();
    let said = author.fails(&["build", "notes"], 1, "manifest");
    assert!(said.contains("line 3") && said.contains("read-mib"), "{said}");
}

#[test]
fn module_of_another_compiler_becomes_a_plugin() {
    let author = Author::new();
    author.passes(&["new", "notes", "--lang", "js", "--kind", "music"]);
    let frame = include_str!("../../../guests/frame.wat").replace("BODY", &guests::body("good"));
    fs::write(author.at("module.wasm"), wat::parse_str(frame).unwrap()).unwrap();
    let arguments = [
        "build",
        "--module",
        "module.wasm",
        "--manifest",
        "notes/plugin.toml",
        "-o",
        "out.wasm",
    ];
    let said = author.fails(&arguments, 1, "module");
    assert!(said.contains("--wit"), "{said}");
    let built = author.passes(&[&arguments[..], &["--wit", "notes/wit"]].concat());
    assert_eq!(built["id"], "notes");
    fs::write(author.at("a.note"), "any").unwrap();
    author.passes(&["run", "out.wasm", "a.note"]);
    // A plugin that has a manifest gets the new one instead of a second one.
    author.passes(&[
        "build",
        "--module",
        "out.wasm",
        "--manifest",
        "notes/plugin.toml",
        "-o",
        "again.wasm",
    ]);
    author.passes(&["check", "again.wasm"]);
}

#[test]
fn module_that_wants_wasi_is_told_how_to_do_without() {
    let author = Author::new();
    author.passes(&["new", "notes", "--lang", "c", "--kind", "music"]);
    let text = r#"(module (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32))))"#;
    fs::write(author.at("module.wasm"), wat::parse_str(text).unwrap()).unwrap();
    let arguments = [
        "build",
        "--module",
        "module.wasm",
        "--manifest",
        "notes/plugin.toml",
        "-o",
        "out.wasm",
    ];
    let said = author.fails(&arguments, 1, "module");
    assert!(
        said.contains("fd_write") && said.contains("--stub-wasi"),
        "{said}"
    );
    assert!(!author.at("out.wasm").exists());
}

#[test]
fn slow_plugin_is_over_its_budget() {
    let author = Author::new();
    fs::write(author.at("guest.wasm"), guests::plugin("good", "guest")).unwrap();
    fs::write(author.at("a.guest"), "any").unwrap();
    author.passes(&["bench", "guest.wasm", "a.guest", "--budget", "10s"]);
    let slow = author.plugin(&["bench", "guest.wasm", "a.guest", "--budget", "0.001us"]);
    assert_eq!(slow.code, Some(4), "{slow:#?}");
    assert!(slow.json["files"][0]["warmUs"].as_f64() > Some(0.0), "{slow:#?}");
}

#[test]
fn doctor_finds_what_keeps_plugins_from_being_used() {
    let author = Author::new();
    let directory = author.at("plugins");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("a.wasm"), guests::plugin("good", "first")).unwrap();
    fs::write(directory.join("b.wasm"), guests::plugin("good", "first")).unwrap();
    fs::write(directory.join("c.txt"), "what is this").unwrap();
    let arguments = ["--plugin-dir", "plugins"];
    let listed = author.passes(&[&["list"][..], &arguments].concat());
    let plugins = listed["plugins"].as_array().unwrap();
    let of_directory: Vec<_> = plugins
        .iter()
        .filter(|plugin| plugin["origin"] != "built-in")
        .collect();
    assert_eq!(
        (of_directory.len(), &of_directory[0]["state"]),
        (2, &"active".into()),
        "{listed:#}"
    );
    assert!(plugins.len() > of_directory.len(), "{listed:#}");
    let examined = author.plugin(&[&["doctor"][..], &arguments].concat());
    assert_eq!(examined.code, Some(4), "{examined:#?}");
    let text = examined.json.to_string();
    assert!(text.contains("the id `first` is taken by"), "{examined:#?}");
    assert!(text.contains("c.txt is ignored"), "{examined:#?}");
    let nowhere = author.plugin(&["doctor", "--plugin-dir", "nowhere"]);
    assert_eq!(nowhere.code, Some(4), "{nowhere:#?}");
}
