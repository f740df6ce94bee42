//! The plugin directory of a running server: added, replaced and removed plugins, and what happens to their kind.

use std::fs::{self, File};
use std::path::Path;

use serde_json::Value;
use svc_test_support::guests;
use svc_tests::program::{Server, run, serve, wait_for};

/// A plugin of this version that reads files of the kind `things`.
fn plugin(version: &str) -> Vec<u8> {
    let manifest = guests::kind_manifest("things", "things").replace("1.0.0", version);
    guests::with_manifest(guests::component(&guests::body("good")), &manifest)
}

/// Puts a complete file in place, as an operator should.
fn put(plugins: &Path, name: &str, bytes: &[u8]) {
    let unfinished = plugins.join("unfinished");
    fs::write(&unfinished, bytes).unwrap();
    fs::rename(unfinished, plugins.join(name)).unwrap();
}

fn directory(server: &Server) -> Value {
    server.get("/api/v1/index/directories").json()[0].clone()
}

fn files(server: &Server) -> Value {
    server.get("/api/v1/index/counts").json()["thingsFiles"].clone()
}

/// The plugin `things` in a list with the built-in ones.
fn listed(server: &Server) -> Value {
    listed_as(server, "things")
}

fn listed_as(server: &Server, id: &str) -> Value {
    let plugins = server.get("/api/v1/plugins").json();
    let mut plugins = plugins.as_array().unwrap().iter();
    plugins
        .find(|plugin| plugin["pluginId"] == id)
        .cloned()
        .unwrap_or_default()
}

#[test]
fn plugin_is_added_replaced_and_removed_beside_a_running_server() {
    let dir = tempfile::tempdir().unwrap();
    let [plugins, things, data] = ["plugins", "things", "data"].map(|name| dir.path().join(name));
    fs::create_dir_all(&plugins).unwrap();
    fs::create_dir_all(&things).unwrap();
    fs::write(things.join("a.shared"), "a thing").unwrap();
    let root = format!("things={}", things.display());
    let arguments = ["--plugin-dir", plugins.to_str().unwrap(), "--root", &root];
    let mut command = serve(&data, &arguments);
    command.stderr(File::create(dir.path().join("log")).unwrap());
    let server = Server::spawn_as_owner(&mut command);
    let log = || fs::read_to_string(dir.path().join("log")).unwrap();
    assert_eq!(directory(&server)["state"], "no_plugin");
    assert!(log().contains("no plugin defines the kind `things`"), "{}", log());
    assert!(
        log().contains("plugin loaded") && log().contains("music"),
        "{}",
        log()
    );

    put(&plugins, "things.wasm", &plugin("1.0.0"));
    wait_for("the plugin", || directory(&server)["state"] == "active");
    wait_for("its file", || files(&server) == 1);
    assert_eq!(
        listed(&server)["path"],
        plugins.join("things.wasm").to_str().unwrap()
    );

    put(&plugins, "things.wasm", &plugin("1.1.0"));
    wait_for("the new version", || listed(&server)["version"] == "1.1.0");
    put(&plugins, "things.wasm", b"\0asm, but not for long");
    wait_for("the damaged file", || directory(&server)["state"] == "no_plugin");
    fs::remove_file(plugins.join("things.wasm")).unwrap();
    wait_for("the end of the plugin", || {
        let plugins = server.get("/api/v1/plugins").json();
        !plugins.to_string().contains("things.wasm")
    });
    assert!(log().contains("plugin unloaded"), "{}", log());
    assert_eq!(files(&server), 1, "nothing is lost");
    server.index("quick");
    assert_eq!(files(&server), 1, "nothing is marked as missing");

    put(&plugins, "Things.WASM", &plugin("1.1.0"));
    wait_for("its return", || directory(&server)["state"] == "active");
    server.index("quick");
    assert_eq!(files(&server), 1);
}

/// The newcomer comes first by id and by the name of its file.
#[test]
fn file_that_defines_a_kind_in_use_fails_until_the_plugin_of_the_kind_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let [plugins, things, data] = ["plugins", "things", "data"].map(|name| dir.path().join(name));
    fs::create_dir_all(&plugins).unwrap();
    fs::create_dir_all(&things).unwrap();
    fs::write(things.join("a.shared"), "a thing").unwrap();
    put(&plugins, "things.wasm", &plugin("1.0.0"));
    let root = format!("things={}", things.display());
    let arguments = ["--plugin-dir", plugins.to_str().unwrap(), "--root", &root];
    let server = Server::start_as_owner(&data, &arguments);
    server.index("quick");
    assert_eq!(files(&server), 1);

    let newcomer = guests::kind_plugin(&guests::body("good"), "aaa", "things");
    put(&plugins, "aaa.wasm", &newcomer);
    wait_for("the newcomer", || !listed_as(&server, "aaa").is_null());
    let stays = |server: &Server| {
        assert_eq!(listed(server)["state"], "active");
        assert_eq!(directory(server)["state"], "active");
        let newcomer = listed_as(server, "aaa");
        assert_eq!(newcomer["state"], "failed", "{newcomer}");
        let reason = newcomer["reason"].as_str().unwrap();
        let owner = format!(
            "it is that of `things` 1.0.0 ({}",
            plugins.join("things.wasm").display()
        );
        assert!(reason.contains(&owner), "{reason}");
    };
    stays(&server);
    server.stop();
    let server = Server::start_as_owner(&data, &arguments);
    stays(&server);

    server.stop();
    fs::remove_file(plugins.join("things.wasm")).unwrap();
    let server = Server::start_as_owner(&data, &arguments);
    assert_eq!(listed_as(&server, "aaa")["state"], "active");
    assert_eq!(directory(&server)["state"], "active");
    server.index("quick");
    assert_eq!(files(&server), 1, "the new plugin reads the files of the former");
}

#[test]
fn manifest_errors_and_limits_are_shown_by_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let [plugins, things] = ["plugins", "things"].map(|name| dir.path().join(name));
    fs::create_dir_all(&plugins).unwrap();
    fs::create_dir_all(&things).unwrap();
    fs::write(things.join("a.shared"), "a thing").unwrap();
    let manifest = guests::kind_manifest("broken", "other")
        .replace("app = \"photos\"", "app = \"books\"")
        .replace("[permissions]", "[permissions]\nnetwork = \"Fetches covers\"");
    put(
        &plugins,
        "broken.wasm",
        &guests::with_manifest(guests::component(&guests::body("good")), &manifest),
    );
    put(&plugins, "things.wasm", &plugin("1.0.0"));
    let (file, plugins) = (things.join("a.shared"), plugins.to_str().unwrap());
    let shown = run(&["inspect", "--plugin-dir", plugins, file.to_str().unwrap()]);
    let (out, errors) = (
        String::from_utf8(shown.stdout).unwrap(),
        String::from_utf8(shown.stderr).unwrap(),
    );
    assert!(out.contains("read by things 1.0.0 ("), "{out}");
    assert!(
        out.contains("limits of extractor: 64 MiB of memory (requested 64)"),
        "{out}"
    );
    for expected in [
        "`kinds[0].app` is",
        "one of music, photos, cinema",
        "`permissions.network` is not a permission",
    ] {
        assert!(errors.contains(expected), "{errors}");
    }
}

#[test]
fn index_scans_roots_of_a_plugins_kind_without_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let [plugins, things, data] = ["plugins", "things", "data"].map(|name| dir.path().join(name));
    fs::create_dir_all(&plugins).unwrap();
    fs::create_dir_all(&things).unwrap();
    fs::write(things.join("a.shared"), "a thing").unwrap();
    put(&plugins, "things.wasm", &plugin("1.0.0"));
    let root = format!("things={}", things.display());
    let index = |arguments: &[&str]| {
        let always = [
            "index",
            "--json",
            "--data-dir",
            data.to_str().unwrap(),
            "--root",
            &root,
        ];
        let ran = run(&[&always[..], arguments].concat());
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        serde_json::from_slice::<Value>(&ran.stdout).unwrap()
    };
    let with_plugin = ["--plugin-dir", plugins.to_str().unwrap(), "--kind", "things"];
    let first = index(&with_plugin);
    assert_eq!(first["counts"]["things"]["added"], 1, "{first}");
    let without = index(&["--kind", "things"]);
    assert_eq!(without["counts"]["things"]["missing"], 0, "{without}");
    assert!(
        without["warnings"][0]
            .as_str()
            .unwrap()
            .contains("no plugin defines the kind"),
        "{without}"
    );
    let back = index(&with_plugin);
    assert_eq!(
        (&back["filesOpened"], &back["counts"]["things"]["unchanged"]),
        (&0.into(), &1.into()),
        "{back}"
    );
}
