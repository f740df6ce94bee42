//! `svc plugin dev`: an author's edits reach a running server.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use svc_tests::program::{Server, program};
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
    let mut command = Command::new(program());
    author.prepare(&mut command);
    let url = format!("http://{}", server.address());
    let mut dev = command
        .args(["plugin", "--json", "dev", "remarks", "--server", &url])
        .env("SVC_TOKEN", server.token())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(dev.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let first = next();
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
    let second = next();
    assert_eq!(
        (&second["plugin"]["version"], &second["plugin"]["state"]),
        (&json!("7.0.0"), &json!("active"))
    );
    assert_eq!(second["plugin"]["previous"]["version"], version);

    // A mistake is reported, and the version in use stays.
    fs::write(author.at("remarks/plugin.toml"), "id = 3").unwrap();
    let mistake = next();
    assert_eq!(mistake["error"]["code"], "manifest", "{mistake}");
    assert_eq!(server.get("/api/v1/plugins/remarks").json()["version"], "7.0.0");
    dev.kill().unwrap();
    dev.wait().unwrap();
}
