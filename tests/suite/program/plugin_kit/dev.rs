//! `svc plugin dev`: an author's edits reach a running server.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use svc_test_support::guests;
use svc_tests::program::{Server, program, serve, wait_for};
use svc_tests::skipped;

use super::{Author, rust_is_installed};

#[test]
fn dev_builds_and_swaps_at_each_change() {
    if let Err(reason) = rust_is_installed() {
        return skipped(&reason);
    }
    let author = Author::new();
    author.passes(&["new", "remarks", "--lang", "rust", "--kind", "remarks"]);
    let root = format!("remarks={}", author.dir.path().display());
    let server = Server::start_as_owner(&author.at("data"), &["--root", &root]);
    let mut dev = Dev::start(&author, "remarks", &server);
    let first = dev.next();
    assert_eq!(
        (&first["plugin"]["state"], &first["plugin"]["origin"]),
        (&json!("active"), &json!("uploaded"))
    );

    let manifest = fs::read_to_string(author.at("remarks/plugin.toml")).unwrap();
    let version = first["plugin"]["version"].as_str().unwrap();
    fs::write(
        author.at("remarks/plugin.toml"),
        manifest.replace(version, "7.0.0"),
    )
    .unwrap();
    let second = dev.next();
    assert_eq!(
        (&second["plugin"]["version"], &second["plugin"]["state"]),
        (&json!("7.0.0"), &json!("active"))
    );
    assert_eq!(second["plugin"]["previous"]["version"], version);

    // A mistake is reported, and the version in use stays.
    fs::write(author.at("remarks/plugin.toml"), "id = 3").unwrap();
    let mistake = dev.next();
    assert_eq!(mistake["error"]["code"], "manifest", "{mistake}");
    assert_eq!(server.get("/api/v1/plugins/remarks").json()["version"], "7.0.0");
}

/// A running `svc plugin dev`.
struct Dev {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Dev {
    /// Watches a plugin in the author's folder.
    fn start(author: &Author, plugin: &str, server: &Server) -> Self {
        let mut command = Command::new(program());
        author.prepare(&mut command);
        let url = format!("http://{}", server.address());
        let mut process = command
            .args(["plugin", "--json", "dev", plugin, "--server", &url])
            .env("SVC_TOKEN", server.token())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { process, lines }
    }

    /// What it says next: of a swap, or of an error.
    fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// A plugin for items of the kind `things`, which are titled by its version. It logs its version for each file.
fn logging_plugin(version: &str) -> Vec<u8> {
    let title = format!("of {version}");
    let length = title.len();
    let body = format!(
        r#"(data (i32.const 1032) "\01")
        (data (i32.const 1040) "\01\00\00\00\00\20\00\00\{length:02x}\00\00\00")
        (data (i32.const 8192) "{title}")
        (func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
          (call $log (i32.const 1) (i32.const 8192) (i32.const {length}))
          (i32.const 1024))"#
    );
    let manifest = guests::kind_manifest("things", "things").replace("\"1.0.0\"", &format!("{version:?}"));
    guests::with_manifest(guests::component(&body), &manifest)
}

/// A plugin for items of the kind `things` that traps at each file, after it logged why.
fn faulty_plugin() -> Vec<u8> {
    let said = "things.rs:7: planted";
    let length = said.len();
    let body = format!(
        r#"(data (i32.const 8192) "{said}")
        (func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
          (call $log (i32.const 3) (i32.const 8192) (i32.const {length}))
          unreachable)"#
    );
    guests::with_manifest(
        guests::component(&body),
        &guests::kind_manifest("things", "things"),
    )
}

#[test]
fn dev_prints_the_files_that_fail_at_the_server_with_the_reason() {
    let author = Author::new();
    let things = author.at("things");
    fs::create_dir(&things).unwrap();
    for name in ["1.shared", "2.shared"] {
        fs::write(things.join(name), name).unwrap();
    }
    let root = format!("things={}", things.display());
    let server = Server::start_as_owner(&author.at("data"), &["--root", &root]);
    fs::write(author.at("things.wasm"), faulty_plugin()).unwrap();
    let mut dev = Dev::start(&author, "things.wasm", &server);
    assert_eq!(dev.next()["plugin"]["state"], "active");
    let mut failed = [dev.next(), dev.next()];
    failed.sort_by_key(|line| line["relativePath"].to_string());
    for (line, name) in failed.iter().zip(["1.shared", "2.shared"]) {
        assert_eq!(
            (&line["event"], &line["relativePath"], &line["plugin"]),
            (&json!("file_errored"), &json!(name), &json!("things 1.0.0")),
            "{line}"
        );
        let reason = line["reason"].as_str().unwrap();
        assert!(
            reason.starts_with("trap: ") && reason.contains("things.rs:7: planted"),
            "{reason}"
        );
    }

    fs::write(author.at("next"), logging_plugin("2.0.0")).unwrap();
    fs::rename(author.at("next"), author.at("things.wasm")).unwrap();
    assert_eq!(dev.next()["plugin"]["version"], "2.0.0");
    wait_for("the items of the corrected version", || {
        server.get("/api/v1/items?kind=things").json()[1] == 2
    });

    // A state that others change is news as well.
    let disabled = json!({ "enabled": false });
    assert_eq!(
        server
            .request("PATCH", "/api/v1/plugins/things", &[], Some(&disabled))
            .status,
        200
    );
    let state = dev.next();
    assert_eq!(
        (&state["event"], &state["state"]),
        (&json!("state"), &json!("disabled")),
        "{state}"
    );
}

/// How often each version read each file, by the server's log.
fn reads(log: &str) -> BTreeMap<(String, String), usize> {
    let mut reads = BTreeMap::new();
    for line in log.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if line["target"] == "svc::plugin" {
            let of = |key: &str| line[key].as_str().unwrap().to_owned();
            *reads.entry((of("message"), of("file"))).or_default() += 1;
        }
    }
    reads
}

/// A hundred builds while files are read: no file is lost, none is read twice by a version.
#[test]
fn dev_swaps_a_component_a_hundred_times_while_files_are_read() {
    const FILES: usize = 600;
    let author = Author::new();
    let things = author.at("things");
    fs::create_dir(&things).unwrap();
    for number in 0..FILES {
        fs::write(things.join(format!("{number:05}.shared")), number.to_string()).unwrap();
    }
    let component = author.at("things.wasm");
    let put = |version: &str| {
        fs::write(author.at("next"), logging_plugin(version)).unwrap();
        fs::rename(author.at("next"), &component).unwrap();
    };
    put("1.0.0");
    let log = author.at("log");
    let root = format!("things={}", things.display());
    let mut command = serve(&author.at("data"), &["--root", &root, "--log-format", "json"]);
    command.stderr(fs::File::create(&log).unwrap());
    let server = Server::spawn_as_owner(&mut command);
    let mut dev = Dev::start(&author, "things.wasm", &server);
    let (mut during_a_run, mut items) = (0, 0);
    for number in 0..=100 {
        let swap = dev.next();
        let version = format!("1.0.{number}");
        assert_eq!(
            (&swap["plugin"]["version"], &swap["plugin"]["state"]),
            (&json!(version), &json!("active")),
            "{swap}"
        );
        let listed = server.get("/api/v1/items?kind=things&take=1").json()[1].as_u64();
        assert!(listed.unwrap() >= items, "items are lost: {listed:?} of {items}");
        items = listed.unwrap();
        if number < 100 {
            put(&format!("1.0.{}", number + 1));
            let state = server.get("/api/v1/index/state").json();
            during_a_run += usize::from(state["state"] != "idle");
        }
    }
    drop(dev);
    let read_by_the_last = || {
        let log = fs::read_to_string(&log).unwrap();
        let reads = reads(log.get(..log.rfind('\n').unwrap()).unwrap());
        let last = reads
            .keys()
            .filter(|(version, _)| version == "of 1.0.100")
            .count();
        (reads, last)
    };
    wait_for("the last version", || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let state = server.get("/api/v1/index/state").json();
        state["state"] == "idle" && read_by_the_last().1 == FILES
    });
    let (reads, _) = read_by_the_last();
    let twice: Vec<_> = reads.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let page = server.get("/api/v1/items?kind=things&take=1").json();
    assert_eq!(
        (&page[0][0]["title"], &page[1]),
        (&json!("of 1.0.100"), &json!(FILES))
    );
    println!("{} reads, {during_a_run} swaps during a run", reads.len());
    assert!(during_a_run > 10, "{during_a_run}");
}
