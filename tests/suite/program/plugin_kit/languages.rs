//! From `new` to `run` in every language: the same commands, the same files, the same records.

use std::fs;

use serde_json::{Value, json};
use svc_tests::skipped;

use super::{Author, rust_is_installed};

/// Files that every template has to read alike, with the record or the code of the failure.
fn files() -> Vec<(&'static str, Vec<u8>, Value)> {
    let record = |title: Value, fields: Value, warnings: Value| {
        json!({ "extraction": {
            "title": title, "durationMs": null, "width": null, "height": null,
            "fields": fields, "pictures": [], "warnings": warnings,
        }})
    };
    let failure = |code: &str| json!(code);
    vec![
        (
            "all.note",
            "NOTE\ntitle:x".into(),
            record(json!("x"), json!({}), json!([])),
        ),
        (
            "spaces.note",
            "NOTE\n  title :\t Ünïcode: with a colon \r\nauthor: B,, A , B\npages: 007\nignored: yes\nignored: too\n\ntitle: after"
                .into(),
            record(
                json!("Ünïcode: with a colon"),
                json!({ "x.same.authors": ["B", "A"], "x.same.pages": 7 }),
                json!(["unknown line"]),
            ),
        ),
        (
            "number.note",
            "NOTE\npages: +7\n".into(),
            record(json!(null), json!({}), json!(["the number of pages is not a number"])),
        ),
        (
            "large.note",
            format!("NOTE\ntitle: {}\n", "long ".repeat(1000)).into(),
            record(json!("long ".repeat(1000).trim()), json!({}), json!([])),
        ),
        ("nothing.note", "NOTE\n".into(), json!({ "extraction": null })),
        ("other.note", "something else".into(), failure("refused")),
        ("empty.note", Vec::new(), failure("refused")),
        ("latin1.note", b"NOTE\ntitle: \xe4\n".to_vec(), failure("invalid")),
    ]
}

/// The whole way of an author, with a new kind of media.
fn whole_way(language: &str, installed: impl FnOnce(&Author) -> Result<(), String>) {
    let author = Author::new();
    author.passes(&["new", "same", "--lang", language, "--kind", "notes"]);
    if let Err(reason) = installed(&author) {
        return skipped(&reason);
    }
    let built = author.passes(&["build", "same"]);
    assert!(built["bytes"].as_u64().unwrap() > 1000, "{built}");
    let exports = built["exports"].as_array().unwrap();
    assert!(exports.contains(&json!("svc:plugin/extractor@0.1.0")), "{built}");
    let imports: Vec<&str> = built["imports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i.as_str().unwrap())
        .collect();
    assert!(
        imports.iter().all(|import| import.starts_with("svc:plugin/")),
        "{built}"
    );

    let checked = author.passes(&["check", "same"]);
    let failed = |check: &&Value| check["status"] != "passed";
    let found: Vec<_> = checked["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(failed)
        .collect();
    assert!(found.is_empty(), "not even a warning: {found:#?}");

    let tested = author.passes(&["test", "same"]);
    assert_eq!(tested["golden"][0]["status"], "passed", "{tested:#}");
    assert_eq!(tested["findings"], json!([]), "{tested:#}");
    let conformance = tested["conformance"].as_array().unwrap();
    assert_eq!(conformance.len(), 10, "{tested:#}");
    assert!(
        conformance.iter().all(|test| test["cases"].as_u64() > Some(0)),
        "{tested:#}"
    );

    if matches!(language, "rust" | "c") {
        author.passes(&["repro", "same"]);
    }

    let inspected = author.passes(&["inspect", "same"]);
    assert_eq!(
        inspected["manifest"]["defines"],
        json!(["notes"]),
        "{inspected:#}"
    );
    assert_eq!(inspected["hasFunctionNames"], true, "{inspected:#}");

    let files = files();
    let mut arguments = vec!["run", "same/dist/same.wasm", "--trace-reads"];
    for (name, content, _) in &files {
        fs::write(author.at(name), content).unwrap();
        arguments.push(name);
    }
    let ran = author.plugin(&arguments);
    assert_eq!(ran.code, Some(4), "a file was refused: {ran:#?}");
    for ((name, content, expected), file) in files.iter().zip(ran.json["files"].as_array().unwrap()) {
        let record = &file["record"];
        match expected.as_str() {
            Some(code) => assert_eq!(
                record["extraction"]["failure"]["code"], code,
                "{language} {name}: {file:#}"
            ),
            None => assert_eq!(record, expected, "{language} {name}: {file:#}"),
        }
        assert!(file["bytesRead"].as_u64() <= Some(content.len() as u64), "{file}");
        assert_eq!(file["reads"], file["trace"].as_array().unwrap().len(), "{file}");
    }
}

#[test]
fn plugin_in_rust_goes_the_whole_way() {
    whole_way("rust", |_| rust_is_installed());
}

#[test]
fn plugin_in_python_goes_the_whole_way() {
    whole_way("python", |author| author.install("python", "same"));
}

#[test]
fn plugin_in_javascript_goes_the_whole_way() {
    whole_way("js", |author| author.install("js", "same"));
}

#[test]
fn plugin_in_c_goes_the_whole_way() {
    whole_way("c", |author| author.install("c", "same"));
}

/// A fault planted in the code of a template.
struct Fault {
    language: &'static str,
    source: &'static str,
    /// The line of the template that the fault follows.
    after: &'static str,
    code: &'static str,
}

/// The reason of a failure names the message of the fault with its file and line.
#[track_caller]
fn fault_is_named(fault: &Fault, installed: impl FnOnce(&Author) -> Result<(), String>, said: &str) {
    let author = Author::new();
    author.passes(&["new", "faulty", "--lang", fault.language, "--kind", "notes"]);
    if let Err(reason) = installed(&author) {
        return skipped(&reason);
    }
    let source = author.at("faulty").join(fault.source);
    let code = fs::read_to_string(&source).unwrap();
    let (before, rest) = code.split_once(fault.after).unwrap();
    let before = format!("{before}{}\n", fault.after);
    let line = before.lines().count() + 1;
    fs::write(&source, format!("{before}{}{rest}", fault.code)).unwrap();
    author.passes(&["build", "faulty"]);
    let ran = author.plugin(&["run", "faulty/dist/faulty.wasm", "faulty/fixtures/example.note"]);
    assert_eq!(ran.code, Some(4), "{ran:#?}");
    let failure = &ran.json["files"][0]["record"]["extraction"]["failure"];
    assert_eq!(failure["code"], "trap", "{ran:#?}");
    let expected = said.replace("LINE", &line.to_string());
    let message = failure["message"].as_str().unwrap();
    assert!(message.contains(&expected), "{message}: expected {expected}");
}

#[test]
fn panic_in_rust_is_named_with_file_and_line() {
    let fault = Fault {
        language: "rust",
        source: "src/lib.rs",
        after: "let bytes = source.bytes_at(0, MAX_BYTES)?;",
        code: "        assert!(bytes.is_empty(), \"planted\");",
    };
    fault_is_named(
        &fault,
        |_| rust_is_installed(),
        "panicked at src/lib.rs:LINE:9: planted",
    );
}

#[test]
fn exception_in_python_is_named_with_file_and_line() {
    let fault = Fault {
        language: "python",
        source: "app.py",
        after: "data = read_start(MAX_BYTES)",
        code: "    1 / 0",
    };
    fault_is_named(
        &fault,
        |author| author.install("python", "faulty"),
        "/app.py:LINE: ZeroDivisionError: division by zero",
    );
}

#[test]
fn exception_in_javascript_is_named_with_file_and_line() {
    let fault = Fault {
        language: "js",
        source: "plugin.js",
        after: "const data = readStart(MAX_BYTES);",
        code: "  throw new Error(\"planted\");",
    };
    fault_is_named(
        &fault,
        |author| author.install("js", "faulty"),
        "read@plugin.js:LINE:9: Error: planted",
    );
}

#[test]
fn build_without_the_sdk_says_where_else_it_is() {
    if let Err(reason) = rust_is_installed() {
        return skipped(&reason);
    }
    let author = Author::new();
    // A crates.io without any crate.
    fs::create_dir(author.at("nothing")).unwrap();
    let config = format!(
        "[source.crates-io]\nreplace-with = \"nothing\"\n[source.nothing]\ndirectory = {:?}\n",
        author.at("nothing")
    );
    fs::write(author.at(".cargo/config.toml"), config).unwrap();
    author.passes(&["new", "lonely", "--lang", "rust", "--kind", "notes"]);
    let said = author.fails(&["build", "lonely"], 1, "sdk_missing");
    assert!(said.contains("--sdk CHECKOUT/plugin-api"), "{said}");
}

#[test]
fn changed_code_fails_the_golden_file_until_it_is_blessed() {
    if let Err(reason) = rust_is_installed() {
        return skipped(&reason);
    }
    let author = Author::new();
    author.passes(&["new", "changed", "--lang", "rust", "--kind", "music"]);
    let source = author.at("changed/src/lib.rs");
    let code = fs::read_to_string(&source).unwrap();
    let changed = code.replace(
        "extraction.title(value);",
        "extraction.title(&value.to_uppercase());",
    );
    assert_ne!(code, changed);
    fs::write(&source, changed).unwrap();
    author.passes(&["build", "changed"]);
    let tested = author.plugin(&["test", "changed"]);
    assert_eq!(tested.code, Some(4));
    let expected = "/extraction/title: expected \"The First Changed\", returned \"THE FIRST CHANGED\"";
    assert_eq!(
        tested.json["golden"][0]["differences"],
        json!([expected]),
        "{tested:#?}"
    );
    let blessed = author.passes(&["test", "changed", "--bless"]);
    assert_eq!(blessed["golden"][0]["status"], "written");
    author.passes(&["test", "changed"]);
}
