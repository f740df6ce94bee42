//! What the log says of plugins: the first compilation, the order of several plugins for one extension, and faults.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use svc_test_support::guests;
use svc_tests::program::{Server, serve};

/// The lines of a log.
fn lines(log: &Path) -> Vec<Value> {
    let text = fs::read_to_string(log).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The lines with this start of their message.
fn saying<'a>(lines: &'a [Value], message: &str) -> Vec<&'a Value> {
    let says = |line: &&Value| {
        line["message"]
            .as_str()
            .is_some_and(|text| text.starts_with(message))
    };
    lines.iter().filter(says).collect()
}

fn text<'a>(line: &'a Value, key: &str) -> &'a str {
    line[key].as_str().unwrap_or_else(|| panic!("{key}: {line}"))
}

#[test]
fn log_names_first_compilations_the_order_of_plugins_and_each_fault() {
    let dir = tempfile::tempdir().unwrap();
    let [plugins, things, data] = ["plugins", "things", "data"].map(|name| dir.path().join(name));
    fs::create_dir_all(&plugins).unwrap();
    fs::create_dir_all(things.join("shelf")).unwrap();
    fs::write(things.join("shelf/a.shared"), "trap").unwrap();
    fs::write(things.join("shelf/b.shared"), "refused by the first").unwrap();
    let owner = guests::kind_plugin(&guests::body("good"), "things", "things");
    fs::write(plugins.join("things.wasm"), owner).unwrap();
    // It comes first by its id, and reads the kind without defining it.
    let manifest = guests::manifest("aid").replace("kind = \"music\"", "kind = \"things\"");
    let aid = guests::with_manifest(guests::component(&guests::body("by_first_byte")), &manifest);
    fs::write(plugins.join("aid.wasm"), aid).unwrap();

    let root = format!("things={}", things.display());
    let command = |log: &Path| -> Command {
        let plugins = plugins.to_str().unwrap();
        let arguments = ["--plugin-dir", plugins, "--root", &root, "--log-format", "json"];
        let mut command = serve(&data, &arguments);
        command.stderr(File::create(log).unwrap());
        command
    };
    let log = dir.path().join("first");
    let server = Server::spawn_as_owner(&mut command(&log));
    server.index("quick");
    assert_eq!(server.get("/api/v1/items?kind=things").json()[1], 1);
    server.stop();

    let first = lines(&log);
    let compiling = "compiling plugin for its first start on this machine";
    for message in [compiling, "plugin compiled"] {
        let said = saying(&first, message);
        let mut of: Vec<_> = said
            .iter()
            .map(|line| (text(line, "level"), text(line, "plugin"), text(line, "version")))
            .collect();
        of.sort_unstable();
        assert_eq!(
            of,
            [("INFO", "aid", "1.0.0"), ("INFO", "things", "1.0.0")],
            "{said:?}"
        );
    }

    let several = saying(&first, "several plugins read these files");
    let of_things = several.iter().find(|line| line["kind"] == "things").unwrap();
    assert_eq!(
        (text(of_things, "extensions"), text(of_things, "message")),
        (
            "shared",
            "several plugins read these files; in the order of calls: aid, things"
        )
    );

    let faults: Vec<_> = first.iter().filter(|line| line["code"] == "trap").collect();
    assert_eq!(faults.len(), 1, "{faults:?}");
    let fault = faults[0];
    assert_eq!(
        ["level", "file", "plugin", "version"].map(|key| text(fault, key)),
        ["WARN", "shelf/a.shared", "aid", "1.0.0"],
        "{fault}"
    );
    assert!(text(fault, "message").contains("the plugin trapped"), "{fault}");

    // Compiled plugins are kept.
    let log = dir.path().join("second");
    let server = Server::spawn_as_owner(&mut command(&log));
    server.stop();
    let second = lines(&log);
    assert!(saying(&second, compiling).is_empty());
    assert_eq!(
        saying(&second, "several plugins read these files").len(),
        several.len()
    );
}
